import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import * as z from 'zod';
import { DaemonClient } from '../../src/control/client.ts';
import { pathsOf } from '../../src/paths.ts';
import { test } from '../harness/machine.ts';

type Json = Record<string, unknown>;

/** Where an answer cannot be had without. */
const QUERIES: Readonly<Record<string, string>> = { '/api/plans': '?spec=weather' };

/** docs/openapi.json says of each route what it answers; a daemon at work is asked, and its answers are held against it. */
test('what a daemon answers is what docs/openapi.json says', async ({ machine }) => {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  const host = await machine.connected();
  await machine.add('echo', 'echo');
  const client = new DaemonClient(pathsOf(machine.home.mcpdHome));
  await client.request('POST', '/api/servers/echo/recording', { on: true });
  await host.call('echo__echo', { text: 'hello' });
  await machine.cli('call', 'echo__fail');
  await machine.ok('token', 'add', 'inspector');

  const routes = Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, { get }]) => {
    const schema = get === undefined ? undefined : answerOf(get);
    return schema === undefined || /\{(?!name\})/.test(path) ? [] : [{ path: path.replace('{name}', 'echo'), schema }];
  });
  expect(routes.length).toBeGreaterThan(10);
  for (const { path, schema } of routes) {
    const answer = await client.request<unknown>('GET', `${path}${QUERIES[path] ?? ''}`);
    const { success, error } = z.safeParse(checkOf(schema, document.components.schemas), answer);
    expect(success, `${path}: ${error === undefined ? '' : z.prettifyError(error)}`).toBe(true);
  }
});

function answerOf(operation: Json): Json | undefined {
  const { responses } = operation as { responses: Record<string, { content?: Record<string, { schema: Json }> }> };
  return responses['200']?.content?.['application/json']?.schema;
}

/** A schema by itself: what it refers to comes along. */
function checkOf(schema: Json, components: Json) {
  const text = JSON.stringify({ ...schema, $defs: components }).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(text));
}
