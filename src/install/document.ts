import { open } from 'node:fs/promises';
import type { Published } from '../../registry/published.ts';
import { publishedOf } from '../../registry/server-json.ts';
import { errnoOf, McpdError } from '../errors.ts';
import { SERVER_JSON_BYTES_MAX } from '../input-limits.ts';
import { jsonFault } from './json-fault.ts';

/** A `server.json` on this machine. @throws McpdError CONFIG_INVALID saying what is wrong with it; FOLDER_UNKNOWN where there is none */
export async function readDocument(path: string): Promise<Published> {
  const text = await textOf(path);
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new McpdError('CONFIG_INVALID', {
      what: `${path} is not valid JSON`,
      why: jsonFault(text, error),
      fix: 'repair that place',
    });
  }
  if (typeof document === 'object' && document !== null && 'mcpServers' in document) {
    throw new McpdError('CONFIG_INVALID', {
      what: `${path} is no server.json`,
      why: 'it declares servers, as hosts do',
      fix: `mcpd apply -f ${path}`,
    });
  }
  return publishedOf(document);
}

// — internal —

async function textOf(path: string): Promise<string> {
  const unreadable = (why: string) => new McpdError('FOLDER_UNKNOWN', { what: `${path} cannot be read`, why });
  try {
    const file = await open(path, 'r');
    try {
      const found = await file.stat();
      if (!found.isFile()) throw unreadable('it is no file');
      if (found.size > SERVER_JSON_BYTES_MAX) throw unreadable(`it has more than ${SERVER_JSON_BYTES_MAX} bytes`);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof McpdError ? error : unreadable(errnoOf(error) ?? String(error));
  }
}
