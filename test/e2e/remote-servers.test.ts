import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { askModern } from '../harness/modern.ts';
import { legacyServer, sendResult, startStandIn } from '../harness/stand-in-server.ts';
import { until } from '../harness/until.ts';

const EVERYTHING = join(
  packageRoot(),
  'node_modules',
  '@modelcontextprotocol',
  'server-everything',
  'dist',
  'index.js',
);

test.for([
  ['streamableHttp', '/mcp'],
  ['sse', '/sse'],
] as const)(
  'the reference server over %s is added by its address and used like any other',
  async ([kind, path], { machine }) => {
    const port = await freePort();
    const server = await serving(machine, port, EVERYTHING, kind);
    await machine.startDaemon();
    const added = await machine.ok('add', 'everything', '--url', `http://127.0.0.1:${port}${path}`, '--json');
    expect(added.server).toMatchObject({
      name: 'everything',
      source: { kind: 'url' },
      launch: { kind: 'http', transport: 'auto' },
    });
    expect(added.warnings).toEqual([]);

    const host = await machine.connected();
    expect(await host.toolNames()).toContain('everything__echo');
    expect(textOf(await host.call('everything__echo', { message: 'é\u2028' }))).toBe('Echo: é\u2028');
    const modern = machine.host();
    const answer = await askModern(modern, 'tools/call', { name: 'everything__echo', arguments: { message: 'm' } });
    expect(textOf(answer)).toBe('Echo: m');
    const read = await host.result('resources/read', { uri: 'demo://resource/static/document/features.md' });
    expect(JSON.stringify(read)).toContain('text');

    // It starts anew, and knows nothing of the session.
    await ended(server);
    const next = await serving(machine, port, EVERYTHING, kind);
    await until(
      'a call that works',
      async () => textOf(await host.call('everything__echo', { message: 'again' })) === 'Echo: again',
    );
    expect(await machine.ok('info', 'everything')).toContain(`http://127.0.0.1:${port}${path}`);
    expect(await machine.ok('list')).toContain(`url: http://127.0.0.1:${port}${path}`);
    await ended(next);
  },
);

test('a stateless server by its address gets what it wants in headers, also from a daemon that has only its memory', async ({
  machine,
}) => {
  const { child, url } = await fixture(machine, 'modern');
  await machine.startDaemon();
  const added = await machine.ok('add', 'far', '--url', url, '--json');
  expect(added.server).toMatchObject({ era: 'modern', listed: true });
  const call = async () => {
    const host = await machine.connected();
    return textOf(await host.call('far__test_x_mcp_header', { region: 'eu-west' }));
  };
  expect(await call()).toBe('region: eu-west');
  await machine.ok('down');
  await machine.startDaemon();
  expect(await call()).toBe('region: eu-west');
  await ended(child);
});

test.for(['legacy', 'both'])(
  'a server of the era "%s" by its address is met in its newest',
  async (era, { machine }) => {
    const { child, url } = await fixture(machine, era);
    await machine.startDaemon();
    const added = await machine.ok('add', 'far', '--url', url, '--json');
    expect(added.server.era).toBe(era === 'legacy' ? 'legacy' : 'modern');
    const host = await machine.connected();
    expect(textOf(await host.call('far__test_simple_text', {}))).toContain('simple text');
    const progress = await host.ask('tools/call', {
      name: 'far__test_tool_with_progress',
      arguments: {},
      _meta: { progressToken: 'p' },
    });
    expect(progress.result).toBeDefined();
    expect(host.notifications.filter(({ method }) => method === 'notifications/progress').length).toBeGreaterThan(0);
    await ended(child);
  },
);

test('a host asks a remote server for what its call needs, and is asked by it', async ({ machine }) => {
  const port = await freePort();
  const server = await serving(machine, port, EVERYTHING, 'streamableHttp');
  await machine.startDaemon();
  await machine.ok('add', 'far', '--url', `http://127.0.0.1:${port}/mcp`, '--sharing', 'per-session');
  const host = machine.host();
  host.onRequest = () => ({
    result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'the model says' } },
  });
  await host.init('2025-11-25', { sampling: {} });
  const name = await until('the tool that asks', async () =>
    (await host.toolNames()).find((tool) => tool === 'far__trigger-sampling-request'),
  );
  expect(textOf(await host.call(name, { prompt: 'hello' }))).toContain('the model says');
  await ended(server);
});

test('headers are secrets: they reach the server, and are shown nowhere', async ({ machine }) => {
  const server = await startStandIn(
    legacyServer((request, response) =>
      sendResult(response, request, { tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
    ),
  );
  await machine.startDaemon();
  const token = 'tok-0123456789abcdef';
  const added = await machine.ok(
    'add',
    'acme',
    '--url',
    server.url,
    '--header',
    `Authorization: Bearer ${token}`,
    '--json',
  );
  expect(added.server.launch.headers).toEqual({ Authorization: `Bearer \${secret:Authorization}` });
  expect(server.seen.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true);
  const info = await machine.ok('info', 'acme');
  expect(info).toContain(`Authorization: Bearer \${secret:Authorization}`);
  const exported = await machine.ok('export');
  expect(JSON.parse(exported).mcpServers.acme).toEqual({
    url: server.url,
    headers: { Authorization: `Bearer \${secret:Authorization}` },
  });
  const shown =
    info + exported + JSON.stringify(added) + readFileSync(join(machine.home.mcpdHome, 'registry.db'), 'latin1');
  expect(shown).not.toContain(token);
  await server.close();
});

test('a file declares remote servers in the words of hosts', async ({ machine }) => {
  const server = await startStandIn(legacyServer((request, response) => sendResult(response, request, { tools: [] })));
  await machine.startDaemon();
  const file = join(machine.home.root, 'servers.json');
  const headers = { Authorization: 'Bearer declared-0123456789', 'X-Team': 'blue' };
  writeFileSync(file, JSON.stringify({ mcpServers: { far: { type: 'http', url: server.url, headers } } }));
  expect(await machine.ok('apply', '-f', file, '--json')).toMatchObject({ added: ['far'], failed: [] });
  await machine.reaches('far', 'running');
  expect(server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer declared-0123456789', 'x-team': 'blue' });
  expect(await machine.ok('apply', '-f', file, '--json')).toMatchObject({ unchanged: ['far'] });
  expect(await machine.ok('list', '--json')).toMatchObject([{ launch: { headers: { 'X-Team': 'blue' } } }]);
  await server.close();
});

test('a server that nobody has reached yet is not told to have no tools: it is said why, and what to do', async ({
  machine,
}) => {
  const url = `http://127.0.0.1:${await freePort()}/mcp`;
  await machine.ok('add', 'far', '--no-trial', '--start', 'manual', '--url', url);
  expect(await machine.cli('tools', 'far', '--json')).toMatchObject({
    code: 5,
    json: { error: { code: 'SERVER_UNREAD', why: 'it was not reached yet', fix: 'mcpd start far' } },
  });
  await machine.cli('start', 'far');
  const told = async () => (await machine.cli('tools', 'far')).stderr;
  await until('the reason', async () => (await told()).includes('it was not reached yet: could not reach'));
  const all = await machine.cli('tools');
  expect(all).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('what far offers is not known') });
});

test('an address that does not serve MCP is refused with the reason, and nothing of it is kept', async ({
  machine,
}) => {
  const page = await startStandIn(
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  );
  await machine.startDaemon();
  const nobody = `http://127.0.0.1:${await freePort()}/mcp`;
  expect((await machine.cli('install', nobody, '--name', 'x')).stderr).toContain('connection refused');
  const refused = await machine.cli('add', 'x', '--url', page.url);
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain('answered with a web page');
  expect(await machine.ok('list', '--json')).toEqual([]);
  for (const wrong of [
    ['add', 'x', '--url', 'ftp://x.test'],
    ['add', 'x', '--url', page.url, '--', 'node'],
    ['add', 'x', '--header', 'A: b', '--', 'node'],
    ['add', 'x', '--url', page.url, '--header', 'A'],
  ])
    expect((await machine.cli(...wrong)).code, wrong.join(' ')).toBe(2);
  await machine.ok('add', 'later', '--no-trial', '--url', nobody, '--start', 'manual');
  expect(await machine.ok('list', '--json')).toMatchObject([{ name: 'later', listed: false }]);
  await page.close();
});

// — internal —

/** A program that serves HTTP on this port, ready. */
async function serving(machine: Machine, port: number, program: string, ...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...machine.home.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  machine.home.track(child.pid);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk));
  await until('the server to listen', () => /listening|running/.test(said));
  return child;
}

/** The fixture of the conformance tests, made with the newest official SDK. */
async function fixture(machine: Machine, era: string) {
  const program = join(packageRoot(), 'test', 'conformance', 'fixture', 'fixture.mjs');
  const child = spawn(process.execPath, [program, '--transport', 'http', '--era', era], {
    env: machine.home.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  machine.home.track(child.pid);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk));
  const url = await until('its address', () => /^http\S+/.exec(said)?.[0]);
  return { child, url };
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await until('its end', () => child.signalCode);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
