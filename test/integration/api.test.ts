import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApi } from '../../src/api/listen.ts';
import { keptToken } from '../../src/api/token.ts';
import { API_BODY_BYTES_MAX } from '../../src/operation-limits.ts';
import { freePort } from '../harness/home.ts';
import {
  askLocal,
  askWeb,
  callback,
  JSON_TYPE,
  type ListeningApi,
  listeningApi,
  sendRaw,
} from '../harness/listening-api.ts';
import { PlainControl } from '../harness/plain-control.ts';
import { serverStatus } from '../harness/server-status.ts';
import { until } from '../harness/until.ts';

let here: ListeningApi;
let signed: Record<string, string>;
beforeAll(async () => {
  here = await listeningApi();
  signed = { authorization: `Bearer ${here.token}` };
});
afterAll(() => here.close());

describe('over the socket of the home', () => {
  test('everything can be read', async () => {
    const read = async (path: string) => JSON.parse((await askLocal(here.paths, path)).text);
    expect(await read('/api/status')).toMatchObject({ version: '0.1.0', servers: 2 });
    expect(await read('/api/servers')).toHaveLength(2);
    expect(await read('/api/servers/weather')).toMatchObject({ name: 'weather', exits: [] });
    expect(await read('/api/tools?server=todo')).toEqual([]);
    expect(await read('/api/tools')).toHaveLength(1);
    expect(await read('/api/sessions')).toEqual([]);
    expect(await read('/api/processes')).toMatchObject({ servers: [] });
    expect(await read('/api/catalog?query=wea')).toEqual([]);
    expect(await read('/api/calls?limit=7&server=todo&minMs=1.5&host=')).toMatchObject({ calls: [], next: null });
    expect(await read('/api/declared')).toEqual({ mcpServers: {} });
    expect(here.control.asked).toEqual(
      expect.arrayContaining(['catalog wea', 'calls {"server":"todo","minMs":1.5,"limit":7}']),
    );
  });

  test('health is what the doctor finds, looked at once for all who ask', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => askLocal(here.paths, '/api/health')));
    const report = JSON.parse(first?.text ?? '');
    expect(report.checks).toContainEqual(
      expect.objectContaining({ topic: 'server weather', verdict: 'note', fix: null }),
    );
    expect(['ok', 'note', 'warning', 'failure']).toContain(report.verdict);
    expect(second?.text).toBe(first?.text);
  });

  test('a page may plan what has a name in the catalog or in an MCP registry, and nothing else', async () => {
    const plan = (spec: string) =>
      askWeb(here.port, `/api/plans?spec=${encodeURIComponent(spec)}`, { headers: signed });
    for (const spec of ['weather', 'io.github.acme/weather', 'io.github.acme/weather@1.2.0-rc.1+x'])
      expect([spec, (await plan(spec)).status]).toEqual([spec, 200]);
    for (const spec of ['', '/etc', '.', '../x', 'C:/x', 'npm:x', 'https://x.example/mcp', 'a/../b', 'a/b/c', 'a b'])
      expect([spec, (await plan(spec)).status]).toEqual([spec, 400]);
    expect(here.control.asked).toContain('plan io.github.acme/weather');
  });

  test('everything can be changed', async () => {
    const change = (method: string, path: string, body?: object) =>
      askLocal(here.paths, path, { method, headers: JSON_TYPE, ...(body && { body: JSON.stringify(body) }) });
    const asked = here.control.asked.length;
    expect((await change('POST', '/api/plans', { spec: 'weather' })).status).toBe(200);
    expect((await change('PATCH', '/api/servers/weather', { enabled: false, other: 1 })).status).toBe(200);
    expect((await change('PATCH', '/api/servers/weather', { sharing: 'per-session' })).status).toBe(200);
    expect((await change('PATCH', '/api/servers/weather', { sharing: 'alone' })).status).toBe(400);
    expect((await change('POST', '/api/servers/weather/restart')).status).toBe(200);
    expect((await change('DELETE', '/api/servers/weather?purge=1')).text).toBe('{"removed":"weather"}');
    expect((await change('POST', '/api/secrets/weather', { name: 'KEY', value: 'v' })).status).toBe(200);
    expect((await change('POST', '/api/secrets/weather', { name: 'KEY' })).status).toBe(400);
    expect((await change('DELETE', '/api/secrets/weather?secret=KEY')).text).toBe('{"removed":["KEY"]}');
    expect((await change('DELETE', '/api/secrets/ghost')).text).toBe('{"removed":["all"]}');
    expect((await change('POST', '/api/declared', { path: '/x/mcpd.json', text: '{}' })).status).toBe(200);
    expect(here.control.asked.slice(asked)).toEqual([
      'plan weather',
      'patch weather {"enabled":false}',
      'patch weather {"sharing":"per-session"}',
      'command weather restart',
      'uninstall weather true',
      'set weather KEY v',
      'remove weather KEY',
      'remove ghost null',
      'apply /x/mcpd.json',
    ]);
  });

  test('a page asks for the version that it was shown, also for another one of the same name', async () => {
    const ask = (version: string) => {
      const body = JSON.stringify({ action: 'try-update', server: 'weather', version });
      return askWeb(here.port, '/api/approvals', { method: 'POST', headers: { ...signed, ...JSON_TYPE }, body });
    };
    const { status, text } = await ask('1.2@sha256:0123456789ab');
    expect([status, JSON.parse(text).says]).toEqual([200, expect.stringContaining('fetch 1.2@sha256:0123456789ab')]);
    for (const version of ['1.2@evil', '1.2@sha256:0123456789ab/x', '@sha256:0123456789ab', '1.2@sha256:0123456789AB'])
      expect([version, (await ask(version)).status]).toEqual([version, 400]);
  });

  test('a login is told line by line, and how it ended', async () => {
    const asked = here.control.asked.length;
    const login = { method: 'POST', headers: JSON_TYPE, body: '{"clientId":"abc"}' };
    const { text } = await askLocal(here.paths, '/api/servers/weather/auth', login);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ type: 'link', url: 'https://login.test/', expiresInMs: 1, joined: false });
    expect(lines[1]).toMatchObject({ type: 'failed', error: { code: 'LOGIN_REFUSED' } });
    expect((await askLocal(here.paths, '/api/servers/none/auth', login)).status).toBe(404);
    const forgotten = await askLocal(here.paths, '/api/servers/weather/auth', { method: 'DELETE' });
    expect(forgotten.text).toBe('{"server":"weather","forgotten":false,"revocation":null,"issuer":null}');
    expect(here.control.asked.slice(asked)).toEqual(['login weather abc', 'forget login weather']);
  });

  test('the file can be opened by its owner alone, and a stale one does not block a start', async () => {
    const file = join(here.paths.home, here.paths.apiSocket);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { home, apiSocket: socket } = here.paths;
    const next = createApi({
      control: new PlainControl('next'),
      home,
      socket,
      token: 'x',
      port: 0,
      assets: home,
      scrapeToken: () => null,
      front: null,
      callback,
    });
    await next.listen();
    expect((await askLocal(here.paths, '/api/servers')).text).toContain('the next server');
    await next.close();
    expect(existsSync(file)).toBe(false);
    await here.close();
    here = await listeningApi();
    signed = { authorization: `Bearer ${here.token}` };
  });

  test('a file in the place of the socket is left alone and told', async () => {
    const { home } = here.paths;
    writeFileSync(join(home, 'other.sock'), 'mine');
    const api = createApi({
      control: new PlainControl(),
      home,
      socket: 'other.sock',
      token: 'x',
      port: 0,
      assets: home,
      scrapeToken: () => null,
      front: null,
      callback,
    });
    await expect(api.listen()).rejects.toMatchObject({ code: 'HOME_UNSAFE' });
    expect(readFileSync(join(home, 'other.sock'), 'utf8')).toBe('mine');
  });

  test('errors have their status and their three parts', async () => {
    const unknown = await askLocal(here.paths, '/api/servers/wether');
    expect([unknown.status, JSON.parse(unknown.text)]).toEqual([
      404,
      { error: { code: 'SERVER_UNKNOWN', what: 'no server is called wether', fix: 'mcpd list' } },
    ]);
    expect((await askLocal(here.paths, '/api/nothing')).status).toBe(404);
    expect((await askLocal(here.paths, '/')).status).toBe(404);
    expect((await askLocal(here.paths, '/api/servers/..%2f..%2fconfig/logs')).text).toContain('SERVER_UNKNOWN');
    expect((await askLocal(here.paths, '/api/servers/__proto__')).text).toContain('SERVER_UNKNOWN');
    expect((await askLocal(here.paths, '/api/servers/weather/logs?lines=x')).text).toContain('REQUEST_INVALID');
    for (const query of ['limit=0', 'limit=x', 'since=-1', 'outcome=fine', 'order=best', 'before=%27', 'minMs=1e9'])
      expect((await askLocal(here.paths, `/api/calls?${query}`)).text).toContain('REQUEST_INVALID');
    for (const id of ['7', '0', 'x', '99999999999999999'])
      expect(JSON.parse((await askLocal(here.paths, `/api/calls/${id}`)).text).error.code).toBe('CALL_UNKNOWN');
    expect(here.control.asked.filter((asked) => asked.startsWith('call '))).toEqual(['call 7']);
  });

  test('a body that does not fit is refused with the reason', async () => {
    const post = (body: string | Buffer) =>
      askLocal(here.paths, '/api/plans', { method: 'POST', headers: JSON_TYPE, body });
    const reason = async (body: string | Buffer) => JSON.parse((await post(body)).text).error;
    expect(await reason('{"spec":')).toMatchObject({ code: 'REQUEST_INVALID', what: 'the request is not JSON' });
    expect(await reason('{"spec":7}')).toMatchObject({ code: 'REQUEST_INVALID', why: 'spec must be string' });
    expect(await reason('')).toMatchObject({ code: 'REQUEST_INVALID', why: 'spec must be string' });
    expect(await reason(Buffer.from('{"spec":"\xff"}', 'latin1'))).toMatchObject({ what: 'the request is not JSON' });
    expect(await reason('{"spec":"x","env":{"A":{"value":1,"secret":true}}}')).toMatchObject({
      why: 'env.A.value must be string',
    });
    const tooLarge = await post(`{"spec":"${'x'.repeat(API_BODY_BYTES_MAX)}"}`);
    expect([0, 400]).toContain(tooLarge.status);
    expect((await askLocal(here.paths, '/api/status')).status).toBe(200);
  });
});

describe('on 127.0.0.1', () => {
  test('the page and its health need no token', async () => {
    expect(await askWeb(here.port, '/')).toMatchObject({
      status: 200,
      text: expect.stringContaining('<title>mcpd</title>'),
    });
    expect(await askWeb(here.port, '/healthz')).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect((await askWeb(here.port, '/main.js')).text).toContain('not part of this build');
  });

  test('with the token a page reads and restarts, and changes no command', async () => {
    const post = (path: string, body: object) =>
      askWeb(here.port, path, { method: 'POST', headers: { ...signed, ...JSON_TYPE }, body: JSON.stringify(body) });
    expect((await askWeb(here.port, '/api/servers', { headers: signed })).status).toBe(200);
    expect((await post('/api/servers/weather/restart', {})).status).toBe(200);
    const asked = here.control.asked.length;
    expect((await post('/api/servers', { spec: 'weather' })).status).toBe(403);
    expect((await post('/api/servers/add', { name: 'pwn', command: 'touch' })).status).toBe(403);
    expect((await post('/api/shutdown', {})).status).toBe(403);
    expect((await post('/api/codes', {})).status).toBe(403);
    expect((await askWeb(here.port, '/api/servers/weather', { method: 'DELETE', headers: signed })).status).toBe(403);
    expect(here.control.asked.length).toBe(asked);
  });

  test('a page may begin a login, and say nothing of where it leads or as whom mcpd is known there', async () => {
    const asked = here.control.asked.length;
    const begin = (body: string) =>
      askWeb(here.port, '/api/servers/weather/login', { method: 'POST', headers: { ...signed, ...JSON_TYPE }, body });
    const { status, text } = await begin('{}');
    expect([status, JSON.parse(text.split('\n')[0] ?? '')]).toEqual([200, expect.objectContaining({ type: 'link' })]);
    expect(here.control.asked.slice(asked)).toEqual(['login weather undefined']);
    for (const body of ['{"clientId":"abc"}', '{"clientSecret":"s"}', '{"scope":"admin"}', '{"url":"https://x.test/"}'])
      expect((await begin(body)).status, body).toBe(400);
    expect(here.control.asked.length).toBe(asked + 1);
  });

  test('a browser comes back from an authorization server without a token', async () => {
    const cross = { 'sec-fetch-site': 'cross-site' };
    const back = await askWeb(here.port, '/oauth/callback?code=c&state=s', { headers: cross });
    expect(back).toMatchObject({ status: 200, text: '<p>came back with 30 characters</p>' });
    expect(back.headers['content-security-policy']).toContain("default-src 'none'");
    const refused = [
      await askWeb(here.port, '/oauth/callback/x', { headers: signed }),
      await askWeb(here.port, '/oauth/callback', { method: 'POST', headers: { ...signed, ...JSON_TYPE } }),
      await askWeb(here.port, '/oauth/callback', { headers: { host: 'evil.test' } }),
      await askWeb(here.port, '/api/servers/weather/auth', { method: 'POST', headers: { ...signed, ...JSON_TYPE } }),
      await askWeb(here.port, '/api/servers/weather/auth', { method: 'DELETE', headers: signed }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 403, 403, 403]);
  });

  test('what a server says reaches the page without control or hidden characters', async () => {
    here.control.known.set('odd', serverStatus('odd', { reason: 'a\u001b[31m\u202eb' }));
    const [web, local] = [
      await askWeb(here.port, '/api/servers', { headers: signed }),
      await askLocal(here.paths, '/api/servers'),
    ];
    here.control.known.delete('odd');
    expect(web.text).toContain(String.raw`a\\x1b[31m\\u202eb`);
    expect(JSON.parse(local.text)[2].reason).toBe('a\u001b[31m\u202eb');
  });

  test('every answer forbids scripts, frames, sniffing and other origins, refusals too', async () => {
    const answers = [
      await askWeb(here.port, '/'),
      await askWeb(here.port, '/', { headers: { host: 'evil.example' } }),
      await askWeb(here.port, '/api/servers'),
      await askWeb(here.port, '/api/servers', { headers: signed }),
      await askWeb(here.port, '/api/nothing', { headers: signed }),
      await askWeb(here.port, '/healthz', { headers: { origin: 'https://evil.example' } }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 403, 401, 200, 404, 403]);
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toMatch(
        /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/,
      );
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('a browser is led to the dashboard by a file of this user, which is gone when its code was used', async () => {
    const { home } = here.paths;
    const openers = () => readdirSync(home).filter((name) => name.startsWith('open-'));
    writeFileSync(join(home, 'open-0123456789ab.html'), 'of a daemon that was killed');
    const order = { method: 'POST', headers: JSON_TYPE, body: '{"file":true}' };
    const { url, file } = JSON.parse((await askLocal(here.paths, '/api/codes', order)).text);
    expect(openers()).toEqual([basename(file)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(`content="0;url=${url}"`);
    const code = new URL(url).hash.replace('#code=', '');
    const session = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ code }) };
    expect((await askWeb(here.port, '/api/session', session)).status).toBe(200);
    expect(openers()).toEqual([]);
  });

  test('a one-time code from the CLI becomes the token once', async () => {
    const made = JSON.parse((await askLocal(here.paths, '/api/codes', { method: 'POST', headers: JSON_TYPE })).text);
    const url = new URL(made.url);
    expect([url.origin, url.search]).toEqual([`http://127.0.0.1:${here.port}`, '']);
    const code = url.hash.replace('#code=', '');
    const give = (given: string, headers = {}) =>
      askWeb(here.port, '/api/session', {
        method: 'POST',
        headers: { ...JSON_TYPE, origin: url.origin, ...headers },
        body: JSON.stringify({ code: given }),
      });
    expect((await give(code, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await give('guessed')).status).toBe(401);
    expect(JSON.parse((await give(code)).text)).toEqual({ token: here.token });
    expect((await give(code)).status).toBe(401);
  });
});

describe('attacks over raw connections', () => {
  const statusOf = async (lines: string[]) =>
    (await sendRaw(here.port, `${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n`)).split('\r\n', 1)[0];

  test('no Host, two Hosts and a request in absolute form are refused', async () => {
    expect(await statusOf(['GET /api/servers HTTP/1.1'])).toMatch(/^HTTP\/1\.1 400/);
    expect(await statusOf(['GET / HTTP/1.0'])).toMatch(/^HTTP\/1\.1 403/);
    const host = `Host: 127.0.0.1:${here.port}`;
    expect(await statusOf(['GET / HTTP/1.1', host, 'Host: evil.example'])).toMatch(/^HTTP\/1\.1 403/);
    expect(await statusOf([`GET http://127.0.0.1:${here.port}/ HTTP/1.1`, host])).toMatch(/^HTTP\/1\.1 400/);
    expect(await statusOf(['CONNECT 127.0.0.1:1 HTTP/1.1', host])).toBe('');
    expect(await statusOf(['OPTIONS * HTTP/1.1', host])).toMatch(/^HTTP\/1\.1 403/);
    expect(await statusOf(['TRACE / HTTP/1.1', host])).toMatch(/^HTTP\/1\.1 403/);
  });

  test('an offer of another protocol is passed over, and the request behind it is judged like any other', async () => {
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'];
    const host = `Host: 127.0.0.1:${here.port}`;
    const raw = (lines: string[], body = '') => sendRaw(here.port, `${lines.join('\r\n')}\r\n\r\n${body}`);
    expect(await raw(['GET /healthz HTTP/1.1', host, ...offer])).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\{"ok":true\}$/);
    const body = '{"code":"guessed"}';
    const post = ['POST /api/session HTTP/1.1', host, ...offer, `Content-Length: ${body.length}`];
    expect(await raw([...post, 'Content-Type: application/json'], body)).toMatch(/^HTTP\/1\.1 401/);
    expect(await raw(['GET / HTTP/1.1', 'Host: evil.example', ...offer])).toMatch(/^HTTP\/1\.1 403/);
    expect(await raw(['GET /api/servers HTTP/1.1', host, ...offer])).toMatch(/^HTTP\/1\.1 401/);
  });

  test('a flood of headers is cut off', async () => {
    expect(await statusOf(['GET / HTTP/1.1', `Host: 127.0.0.1:${here.port}`, ...Array(20_000).fill('X-A: b')])).toMatch(
      /^HTTP\/1\.1 431|^$/,
    );
    expect((await askWeb(here.port, '/healthz')).status).toBe(200);
  });

  test('a second request behind a refused one is not read', async () => {
    const refused =
      'POST /api/servers HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
    const hidden = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${here.port}\r\n\r\n`;
    const text = await sendRaw(here.port, refused + hidden);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403']);
  });
});

test('a taken port is told, the rest works, and the page comes when the port is free', async () => {
  const port = await freePort();
  const squatter = createServer((_request, response) => response.end('stranger'));
  await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
  const late = await listeningApi({ port });
  try {
    expect(late.api.port()).toBeNull();
    expect(late.api.warnings()).toEqual([expect.stringContaining(`port ${port} of 127.0.0.1 is taken`)]);
    expect((await askLocal(late.paths, '/api/status')).status).toBe(200);
    const refused = await askLocal(late.paths, '/api/codes', { method: 'POST', headers: JSON_TYPE });
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('MCPD_PORT')]);
    await new Promise<void>((resolve) => {
      squatter.close(() => resolve());
      squatter.closeAllConnections();
    });
    await until('the page', () => late.api.port() === port);
    expect(late.api.warnings()).toEqual([]);
    expect((await askWeb(port, '/')).text).toContain('mcpd');
  } finally {
    squatter.close();
    await late.close();
  }
});

test('the token is kept over starts, private, and replaced when others could have read it', () => {
  const file = here.paths.token;
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(keptToken(file)).toBe(here.token);
  expect(here.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const other = join(here.paths.home, 'other-token');
  writeFileSync(other, here.token, { mode: 0o600 });
  expect(keptToken(other)).toBe(here.token);
  writeFileSync(other, 'half a tok');
  const fresh = keptToken(other);
  expect(fresh).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(keptToken(other)).toBe(fresh);
});
