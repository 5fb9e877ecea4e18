import { expect } from 'vitest';
import { HttpCall } from '../harness/event-source.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { OFFICIAL_CLIENTS } from '../harness/official.ts';
import { until } from '../harness/until.ts';

/** What a person has who put the URL and a token into a host, or into a command line of a guide. */

const URLS = [
  ['/mcp', 'todo__'],
  ['/mcp/s/todo', ''],
] as const;

for (const which of OFFICIAL_CLIENTS) {
  test(`by HTTP ${which} uses tools, prompts and resources, and hears of changes`, async ({ machine }) => {
    await machine.startDaemon();
    await machine.ok('install', 'todo');
    for (const [path, prefix] of URLS) {
      const host = await machine.officialByHttp(which, path);
      expect(host.era).toBe(which === 'client 2.x, modern' ? 'modern' : 'legacy');
      expect((await host.tools()).map(({ name }) => name)).toContain(`${prefix}add_todo_item`);
      await host.subscribe(['todo://items']);
      const added = await host.call(`${prefix}add_todo_item`, { text: `by ${path}` });
      expect(textOf({ result: added })).toContain(`by ${path}`);
      expect(JSON.stringify(await host.read('todo://items'))).toContain(`by ${path}`);
      await until('the news of the change', () => host.updated.includes('todo://items'));
      expect((await host.prompts()).map(({ name }) => name)).toContain(`${prefix}plan_my_day`);
      await host.close();
    }
  });
}

test('by HTTP+SSE of the first revision the SDK of 1.x uses a server', async ({ machine }) => {
  await machine.add('echo', 'echo');
  for (const path of ['/mcp/sse', '/mcp/s/echo/sse']) {
    const host = await machine.officialByHttp('sdk 1.x', path);
    const name = path === '/mcp/sse' ? 'echo__echo' : 'echo';
    expect(textOf({ result: await host.call(name, { text: path }) })).toBe(path);
    await host.close();
  }
});

test('a token that is taken away ends what its client has open, and is not good any more', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const token = await newToken(machine, 'guest');
  const listing = { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } };
  expect((await asked(machine, token, listing)).json.result?.tools?.length).toBeGreaterThan(5);
  const open = call(machine, token, { body: toolCall('echo__sleep', { ms: 60_000 }) });
  await until('the call to be open', async () => (await machine.server('echo')).openCalls === 1);
  expect((await machine.cli('token', 'add', 'guest')).code).toBe(4);
  await machine.ok('token', 'remove', 'guest');
  expect((await open.whole()).json.error?.message).toContain('the token was taken away');
  expect((await asked(machine, token, listing)).status).toBe(401);
  expect(await machine.ok('token', 'list', '--json')).toEqual([]);
  await until('the call to be cancelled', async () => (await machine.server('echo')).openCalls === 0);
});

test('a client that hangs up cancels its stateless call; the daemon ends listens in good order when it stops', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  const token = await newToken(machine, 'modern');
  const openCalls = async () => (await machine.server('echo')).openCalls;
  const sleeping = modernCall(machine, token, 'tools/call', { name: 'echo__sleep', arguments: { ms: 60_000 } });
  await until('the call to be open', async () => (await openCalls()) === 1);
  sleeping.hangUp();
  await until('the call to be cancelled', async () => (await openCalls()) === 0);

  const listen = modernCall(machine, token, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
  await until('the acknowledgement', () => listen.messages.length === 1);
  await modernCall(machine, token, 'tools/call', { name: 'echo__toggle', arguments: {} }).whole();
  await until('the news', () => listen.messages.some(({ method }) => method === 'notifications/tools/list_changed'));
  await machine.ok('down');
  await listen.whole();
  expect(listen.messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } });
});

// — internal —

type Question = Parameters<typeof call>[2];

async function newToken(machine: Machine, name: string): Promise<string> {
  return (await machine.ok('token', 'add', name, '--json')).token;
}

function call(machine: Machine, token: string, { body, headers }: { body: object; headers?: Record<string, string> }) {
  const signed = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  return new HttpCall(machine.home.port, { body, headers: signed });
}

function asked(machine: Machine, token: string, question: Question): Promise<HttpCall> {
  return call(machine, token, question).whole();
}

function toolCall(name: string, args: object) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

function modernCall(
  machine: Machine,
  token: string,
  method: string,
  params: { name?: string } & Record<string, unknown>,
) {
  const PREFIX = 'io.modelcontextprotocol/';
  const revision = '2026-07-28';
  const meta = { [`${PREFIX}protocolVersion`]: revision, [`${PREFIX}clientCapabilities`]: {} };
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
  };
  return call(machine, token, { body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }, headers });
}
