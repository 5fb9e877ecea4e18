import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { asMcpdError, errnoOf, McpdError } from '../errors.ts';
import type { CallbackPage } from '../oauth-callback.ts';
import { PAGE_FILES } from './guard.ts';

/**
 * Answers with a file of the dashboard. Read anew each time: the files are small, and a rebuilt page shows at once.
 * @throws {McpdError} ROUTE_UNKNOWN when there is no such file, or the dashboard was not built
 */
export async function answerPage(folder: string, path: string, outgoing: ServerResponse): Promise<void> {
  const entry = PAGE_FILES.get(path);
  if (entry === undefined) throw new McpdError('ROUTE_UNKNOWN', { what: 'nothing is here' });
  let bytes: Buffer;
  try {
    bytes = await readFile(join(folder, entry.file));
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw asMcpdError(thrown, 'INTERNAL', 'the dashboard cannot be read');
    throw new McpdError('ROUTE_UNKNOWN', { what: 'the dashboard is not part of this build', fix: 'npm run build' });
  }
  outgoing.writeHead(200, { 'content-type': entry.type, 'content-length': bytes.length });
  outgoing.end(bytes);
}

/** A page that is made here, without anything of the request in it. */
export function answerHtml(outgoing: ServerResponse, { status, html }: CallbackPage): void {
  const bytes = Buffer.from(html);
  outgoing.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'content-length': bytes.length });
  outgoing.end(bytes);
}
