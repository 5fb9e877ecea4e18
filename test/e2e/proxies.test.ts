import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { CERTIFICATE } from '../harness/certificate.ts';
import { fake } from '../harness/fake.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { startNpmRegistry } from '../harness/npm-registry.ts';
import { startProxy, type TestProxy } from '../harness/proxy.ts';
import { type Answering, LEGACY, sendJson, sendResult, startStandIn } from '../harness/stand-in-server.ts';
import { until } from '../harness/until.ts';

/** A network that is left through a proxy only. The names in it are nowhere else, so what comes there has gone through. */

const LOGIN = 'ann:correct-horse-battery';
const SECRETS = ['correct-horse-battery', Buffer.from(LOGIN).toString('base64')];

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((each) => each.close()));
});

const HELLO: Answering = (request, response) => {
  const { id, method } = request.message;
  const results: Record<string, unknown> = {
    initialize: { protocolVersion: LEGACY, capabilities: { tools: {} }, serverInfo: { name: 'hello', version: '1' } },
    'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: `hello ${request.headers.host}` }] },
  };
  if (method === 'notifications/initialized') return void response.writeHead(202).end();
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const result = results[method ?? ''];
  if (result !== undefined) return sendResult(response, request, result);
  return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'unknown' } }), 404);
};

async function standIn(answer: Answering, secure: boolean) {
  const server = await startStandIn(answer, secure ? CERTIFICATE : undefined);
  closing.push(server);
  return { server, port: Number(new URL(server.origin).port) };
}

async function proxyTo(ports: Record<string, number>, login?: string): Promise<TestProxy> {
  const proxy = await startProxy(ports, login);
  closing.push(proxy);
  return proxy;
}

/** Starts the daemon as a terminal with these variables would. */
async function start(machine: Machine, env: Record<string, string>): Promise<void> {
  Object.assign(machine.home.env, { NODE_EXTRA_CA_CERTS: CERTIFICATE.file }, env);
  await machine.startDaemon();
}

/** Everything that mcpd has written, as one text. */
function written(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

test.for([true, false])(
  'a remote server is reached through the proxy (https: %s), and its password is seen by the proxy alone',
  async (secure, { machine }) => {
    const { server, port } = await standIn(HELLO, secure);
    const proxy = await proxyTo({ [`far.example:${secure ? 443 : 80}`]: port }, LOGIN);
    await start(machine, { [secure ? 'HTTPS_PROXY' : 'http_proxy']: `http://${LOGIN}@${proxy.place}` });
    await machine.ok('install', `${secure ? 'https' : 'http'}://far.example/mcp`, '--name', 'far');
    const host = await machine.connected();
    expect(textOf(await host.call('far__hello', {}))).toBe('hello far.example');
    expect(proxy.seen).toContain(secure ? 'CONNECT far.example:443' : 'POST http://far.example/mcp');
    for (const { headers } of server.seen) expect(headers).not.toHaveProperty('proxy-authorization');
    const shown = [
      await machine.ok('info', 'far', '--json'),
      await machine.ok('logs', 'far'),
      await machine.ok('doctor'),
    ];
    expect(shown[1]).toContain(`it is reached through the proxy http://${proxy.place}`);
    for (const secret of SECRETS) {
      expect(JSON.stringify(shown)).not.toContain(secret);
      expect(written(machine.home.mcpdHome)).not.toContain(secret);
    }
  },
);

test('a proxy that does not serve is named with what it did and what helps, and its password is not', async ({
  machine,
}) => {
  const { port } = await standIn(HELLO, true);
  const proxy = await proxyTo({ 'far.example:443': port }, LOGIN);
  await start(machine, { HTTPS_PROXY: `http://ann:wrong-password@${proxy.place}`, HTTP_PROXY: 'http://127.0.0.1:9' });
  const refused = await machine.cli('install', 'https://far.example/mcp');
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain(`the proxy http://${proxy.place} wants a user and a password`);
  expect(refused.stderr).toContain('mcpd restart');
  const away = await machine.cli('install', 'http://far.example/mcp');
  expect(away.stderr).toContain('the proxy http://127.0.0.1:9 cannot be reached: ECONNREFUSED');
  expect(refused.stdout + refused.stderr).not.toContain('wrong-password');
  const { server } = await standIn(HELLO, false);
  await machine.ok('install', server.url, '--name', 'near');
});

test('a login goes through the proxy as well', async ({ machine }) => {
  const { port } = await standIn((request, response) => {
    const issuer = 'https://as.example';
    const documents: Record<string, unknown> = {
      '/metadata': { resource: 'https://far.example/mcp', authorization_servers: [issuer] },
      '/.well-known/oauth-authorization-server': {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      },
    };
    const found = documents[request.path];
    if (found !== undefined) return sendJson(response, JSON.stringify(found));
    const challenge = 'Bearer resource_metadata="https://far.example/metadata"';
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  }, true);
  const proxy = await proxyTo({ 'far.example:443': port, 'as.example:443': port }, LOGIN);
  await start(machine, { HTTPS_PROXY: `http://${LOGIN}@${proxy.place}` });
  await machine.ok('install', 'https://far.example/mcp', '--name', 'far');
  const program = join(machine.package, 'dist', 'mcpd.js');
  const { env, userHome: cwd } = machine.home;
  const login = spawn(process.execPath, [program, 'auth', 'far', '--client-id', 'mcpd-test'], { env, cwd });
  machine.home.track(login.pid);
  let said = '';
  login.stdout.on('data', (text) => (said += text));
  await until('the link', () => said.includes('https://as.example/authorize?'));
  expect(proxy.seen).toContain('CONNECT as.example:443');
  login.kill('SIGINT');
});

test('packages of npm come through the proxy', async ({ machine }) => {
  const npm = await startNpmRegistry(machine.home.folder('published'), [
    {
      manifest: { name: 'tiny-server', version: '1.0.0', bin: 'server.mjs', type: 'module' },
      files: { 'server.mjs': readFileSync(fake('echo')[1] ?? '', 'utf8') },
    },
  ]);
  closing.push(npm);
  const proxy = await proxyTo({ 'registry.example:80': Number(new URL(npm.url).port) });
  writeFileSync(join(machine.home.userHome, '.npmrc'), 'registry=http://registry.example/\n');
  await start(machine, { HTTP_PROXY: `http://${proxy.place}`, NO_PROXY: '127.0.0.1' });
  await machine.cli('install', 'npm:tiny-server@1.0.0');
  expect(proxy.seen).toContain('GET http://registry.example/tiny-server');
});
