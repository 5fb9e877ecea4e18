import { readFileSync } from 'node:fs';
import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pathsOf } from '../../src/paths.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { type RemoteBench, remoteBench } from '../harness/remote.ts';
import {
  type Answering,
  legacyServer,
  type StandInServer,
  sendJson,
  sendResult,
  startStandIn,
} from '../harness/stand-in-server.ts';
import { until } from '../harness/until.ts';

const MIB = 1024 * 1024;

let home: TemporaryHome;
let bench: RemoteBench;
const servers: StandInServer[] = [];

beforeEach(async () => {
  home = await temporaryHome();
  bench = remoteBench(home);
});
afterEach(async () => {
  await bench.processes.dispose();
  for (const server of servers.splice(0)) await server.close();
  expect(await home.cleanup()).toEqual([]);
});

async function standIn(answer: Answering): Promise<StandInServer> {
  const server = await startStandIn(answer);
  servers.push(server);
  return server;
}

/** One that answers `ping` well and anything else by `fault`: what goes wrong there must cost the ping nothing. */
async function faulty(fault: Answering, more: Parameters<RemoteBench['open']>[1] = {}): Promise<StandInServer> {
  const server = await standIn(
    legacyServer((request, response) =>
      request.message.method === 'ping' ? sendResult(response, request, {}) : fault(request, response),
    ),
  );
  expect(await bench.open(server.url, more)).toBe(true);
  await bench.handshake();
  return server;
}

/** The error that a call gets; and the connection is as good as before. */
async function errorOf(
  method = 'tools/call',
): Promise<{ code: number; message: string; data: Record<string, unknown> }> {
  const { error } = JSON.parse(await bench.ask(method, { name: 'x' }));
  expect(await bench.ask('ping')).toContain('result');
  expect(bench.of('server-exited')).toEqual([]);
  return error;
}

describe('a remote server that cannot be reached', () => {
  test('because nothing listens there ends the start with that reason', async () => {
    expect(await bench.open(`http://127.0.0.1:${home.port}/mcp`)).toBe(false);
    expect((await bench.exit()).cause).toBe(
      `could not reach http://127.0.0.1:${home.port}/mcp: connection refused; nothing listens there`,
    );
    expect(bench.of('server-spawned')).toEqual([]);
  });

  test('because its name is unknown ends the start with that reason', async () => {
    expect(await bench.open('http://no-such-host.invalid/mcp')).toBe(false);
    expect((await bench.exit()).cause).toContain('could not reach http://no-such-host.invalid/mcp');
  });

  test('by https because it speaks http ends the start with that reason', async () => {
    const server = await standIn(() => undefined);
    expect(await bench.open(server.url.replace('http:', 'https:'))).toBe(false);
    expect((await bench.exit()).cause).toContain('no secure connection');
  });

  test('any more ends the connection when nothing is open on it, and the call that met it says why', async () => {
    const server = await faulty((request, response) => sendResult(response, request, {}));
    servers.splice(0);
    await server.close();
    const answer = JSON.parse(await bench.ask('tools/call', { name: 'x' }));
    expect(answer.error).toMatchObject({ code: -32603, data: { server: 'far' } });
    if (answer.error.data.reason !== 'unreachable') await bench.ask('tools/call', { name: 'x' });
    expect((await bench.exit()).cause).toContain('connection refused');
  });

  test('since it does not speak HTTP fails with that reason', async () => {
    const tcp = createTcpServer((socket) => {
      socket.on('error', () => undefined); // whoever has heard enough hangs up
      socket.resume();
      socket.write('SSH-2.0-OpenSSH_9.6\r\n');
    });
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const { port } = tcp.address() as { port: number };
    expect(await bench.open(`http://127.0.0.1:${port}/`)).toBe(true);
    bench.send('initialize');
    expect((await bench.exit()).cause).toContain('does not speak HTTP');
    await new Promise((resolve) => tcp.close(resolve));
  });
});

const FAULTS: [what: string, fault: Answering, message: string | RegExp, reason: string][] = [
  ['502', (_, response) => void response.writeHead(502).end('<h1>Bad'), 'answered 502 Bad Gateway', 'http_status'],
  [
    'a page',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    'answered with a web page',
    'not_mcp',
  ],
  [
    'plain text',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('hi'),
    'answered with something else: 200, text/plain',
    'not_mcp',
  ],
  ['a bare 202', (_, response) => void response.writeHead(202).end(), 'took the request and gave no answer', 'not_mcp'],
  [
    'an empty body',
    (_, response) => sendJson(response, ''),
    'answered without an answer: the body is empty',
    'not_mcp',
  ],
  [
    'a reason in plain words',
    (_, response) => void response.writeHead(400, { 'content-type': 'text/plain' }).end('no such\n thing'),
    'answered 400 Bad Request: no such thing',
    'http_status',
  ],
  [
    'an encoding nobody asked for',
    (_, response) => void response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
    'compressed by "zstd"',
    'not_mcp',
  ],
  [
    'gzip that is none',
    (_, response) => sendJson(response, 'not gzip at all', 200, { 'content-encoding': 'gzip' }),
    'compressed answer',
    'cut',
  ],
  [
    'headers without end',
    (_, response) => void response.writeHead(200, { 'x-long': 'x'.repeat(100 * 1024) }).end(),
    'headers are longer than 64 KiB',
    'too_large',
  ],
  [
    'a stream without an answer',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    'ended the stream',
    'cut',
  ],
  ['a connection that breaks', (_, response) => void response.destroy(), 'broke before an answer was whole', 'cut'],
  [
    'a body that breaks',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"jsonrpc"');
      setTimeout(() => response.destroy(), 20);
    },
    'broke before an answer was whole',
    'cut',
  ],
  [
    'a wish to be left alone for an hour',
    (_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end(),
    'asked too often: it wants to be asked again in 3600 s',
    'rate_limited',
  ],
  [
    'another server to go to',
    (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/steal' }).end(),
    'it leads to another server, http://127.0.0.1:9',
    'redirect',
  ],
  [
    'a circle',
    (_, response) => void response.writeHead(307, { location: '/mcp' }).end(),
    'redirects more than 3 times',
    'redirect',
  ],
];

test.each(FAULTS)('a call that is answered by %s fails alone, with that reason', async (_, fault, message, reason) => {
  await faulty(fault);
  const error = await errorOf();
  expect(error).toMatchObject({ code: -32603, data: { server: 'far', reason } });
  expect(error.message).toMatch(/^far: /);
  expect(error.message).toContain(message);
  expect(error.message.includes('whether the call was carried out is not known')).toBe(
    ['cut', 'not_mcp', 'too_large'].includes(reason),
  );
});

describe('a remote server', () => {
  test('that is asked too often is asked again when it says', async () => {
    const server = await faulty((request, response) => {
      if (server.of('tools/call').length < 2) response.writeHead(429, { 'retry-after': '0' }).end();
      else sendResult(response, request, { ok: true });
    });
    expect(await bench.ask('tools/call', { name: 'x' })).toContain('"ok":true');
    expect(server.of('tools/call')).toHaveLength(2);
  });

  test('that has moved within its origin is followed, with everything, and asked there from then on', async () => {
    const server = await faulty(
      (request, response) => {
        if (request.path === '/mcp') response.writeHead(308, { location: '/mcp/' }).end();
        else sendResult(response, request, { at: request.path, team: request.headers['x-team'] });
      },
      { headers: { 'X-Team': 'blue' } },
    );
    for (let n = 0; n < 2; n++)
      expect(await bench.ask('tools/call', { name: 'x' })).toContain('{"at":"/mcp/","team":"blue"}');
    expect(server.of('tools/call').map(({ path }) => path)).toEqual(['/mcp', '/mcp/', '/mcp/']);
  });

  test('that leads elsewhere does not get what was meant for it there', async () => {
    const thief = await standIn((_, response) => void response.writeHead(200).end());
    await faulty((_, response) => void response.writeHead(307, { location: thief.url }).end(), {
      headers: { Authorization: 'Bearer s3cret-token' },
    });
    expect((await errorOf()).data['reason']).toBe('redirect');
    expect(thief.seen).toEqual([]);
  });

  test('that does not answer in time fails that call', async () => {
    const server = await faulty(() => undefined, { limits: { callTimeoutMs: 50 } });
    const error = await errorOf();
    expect(error.data['reason']).toBe('timeout');
    expect(server.of('tools/call')).toHaveLength(1);
  });

  test.each<[string, Answering]>([
    ['a JSON text', (_, response) => endless(response, 'application/json', '{"jsonrpc":"2.0","x":"')],
    ['an event', (_, response) => endless(response, 'text/event-stream', 'data: {"jsonrpc":"2.0","x":"')],
  ])('whose answer is %s without end fails that call, and is not read on', async (_, fault) => {
    const server = await faulty(fault, { limits: { lineBytesMax: MIB } });
    const id = bench.send('tools/call', { name: 'x' });
    const noise = await until('the noise', () => bench.of('server-noise')[0]);
    expect(noise).toMatchObject({ reason: 'too-long', id: String(id) });
    await until('the end of the connection', () => stopped.has(server.of('tools/call')[0]?.text ?? ''));
    expect(await bench.ask('ping')).toContain('result');
  });

  test('may compress its answers, but not to hide a hundred megabytes in them', async () => {
    await faulty(
      (request, response) => {
        const isBomb = request.message.params?.['name'] === 'bomb';
        const text = JSON.stringify({
          jsonrpc: '2.0',
          id: request.message.id,
          result: { text: 'x'.repeat(isBomb ? 100 * MIB : 9) },
        });
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(text));
      },
      { limits: { lineBytesMax: MIB } },
    );
    expect(await bench.ask('tools/call', { name: 'small' })).toContain('"text":"xxxxxxxxx"');
    const id = bench.send('tools/call', { name: 'bomb' });
    expect(await until('the noise', () => bench.of('server-noise')[0])).toMatchObject({
      reason: 'too-long',
      id: String(id),
    });
    expect(await bench.ask('ping')).toContain('result');
  });

  test('whose answer is no message fails that call as unreadable', async () => {
    await faulty((_, response) => sendJson(response, '{"nonsense":1}'));
    const id = bench.send('tools/call', { name: 'x' });
    expect(await until('the noise', () => bench.of('server-noise')[0])).toMatchObject({
      reason: 'not-jsonrpc',
      id: String(id),
    });
  });

  test('that is no MCP server ends the start with what it is', async () => {
    const server = await standIn(
      (_, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<p>'),
    );
    await bench.open(server.url);
    expect(await bench.ask('server/discover', {}, 'modern')).toContain('answered 404 Not Found');
    bench.send('initialize');
    expect((await bench.exit()).cause).toBe(
      `${server.url} answered 404 Not Found; try: check the address: it often ends in /mcp or /sse`,
    );
  });

  test('whose idle connection was closed meanwhile is asked again where that does no harm', async () => {
    let drops = 0;
    const server = await faulty((request, response) => {
      if (request.message.method === 'tools/list' && drops++ === 0) response.socket?.resetAndDestroy();
      else sendResult(response, request, {});
    });
    await bench.ask('ping');
    expect(await bench.ask('tools/list')).toContain('result');
    expect(server.of('tools/list')).toHaveLength(2);
  });
});

/** Somebody has logged in, with fewer rights than the server wants. */
const WANTS_MORE = { header: async () => 'Bearer a-token', challenged: async () => ({ scope: 'files:write' }) };

describe('a remote server with a lock', () => {
  test('is reported as locked, with the reason, and the connection ends', async () => {
    const server = await standIn((_, response) => void response.writeHead(401).end());
    await bench.open(server.url);
    bench.send('server/discover', {}, 'modern');
    await bench.exit();
    const reason = `${server.url} lets nobody in without a login (401)`;
    expect(bench.of('server-locked')).toMatchObject([
      { server: 'far', lock: { because: 'login-wanted', reason, fix: 'mcpd auth far' } },
    ]);
    expect((await bench.exit()).cause).toBe(reason);
  });

  test('opens to a login that somebody holds, and is asked again with a renewed one', async () => {
    await bench.processes.dispose();
    let token = 'old';
    bench = remoteBench(home, {
      auth: {
        header: async () => `Bearer ${token}`,
        challenged: async (_, challenge) => {
          expect(challenge).toMatchObject({ status: 401, sent: 'Bearer old', wwwAuthenticate: 'Bearer realm="x"' });
          token = 'new';
          return 'retry';
        },
      },
    });
    const server = await standIn((request, response) => {
      if (request.headers.authorization === 'Bearer new') sendResult(response, request, {});
      else response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end();
    });
    await bench.open(server.url);
    expect(await bench.ask('tools/list', {}, 'modern')).toContain('result');
  });

  test('that wants more rights for a call fails that call, and lets others through', async () => {
    await bench.processes.dispose();
    bench = remoteBench(home, { auth: WANTS_MORE });
    const server = await standIn(legacyServer((_, response) => void response.writeHead(403).end()));
    await bench.open(server.url);
    await bench.handshake();
    const answer = await bench.ask('tools/call', { name: 'x' });
    expect(answer).toContain('the scope files:write');
    expect(JSON.parse(answer).error.data).toMatchObject({
      reason: 'insufficient_scope',
      status: 403,
      fix: 'mcpd auth far --scope files:write',
    });
    expect(bench.of('server-locked')).toEqual([]);
    expect(bench.of('server-exited')).toEqual([]);
  });

  test('that wants more rights for the first words is locked until somebody has logged in with them', async () => {
    await bench.processes.dispose();
    bench = remoteBench(home, { auth: WANTS_MORE });
    const server = await standIn((_, response) => void response.writeHead(403).end());
    await bench.open(server.url);
    bench.send('initialize');
    await bench.exit();
    expect(bench.of('server-locked')).toMatchObject([
      { lock: { because: 'login-wanted', fix: 'mcpd auth far --scope files:write' } },
    ]);
  });

  test('is told without its address where that has more than a place in it, as hosts are shown it', async () => {
    const server = await standIn((request, response) => {
      if (request.message.method === 'initialize') sendResult(response, request, {});
      else response.writeHead(401).end();
    });
    await bench.open(`${server.url}?key=s3cret-key`, { headers: { Authorization: 'Bearer x' } });
    await bench.ask('initialize');
    const refused = await bench.ask('tools/call', { name: 'x' });
    expect(refused).toContain('mcpd add far --url URL --header Authorization');
    expect(refused).not.toContain('s3cret-key');
    await bench.exit();
    expect(JSON.stringify(bench.of('server-locked'))).not.toContain('s3cret-key');
  });

  test('gets the headers that a person gave, filled from the secrets, which appear nowhere else', async () => {
    await bench.processes.dispose();
    bench = remoteBench(home, { secrets: { TOKEN: 's3cret-token-1' } });
    const server = await standIn((request, response) => {
      if (request.message.method === 'initialize') sendResult(response, request, {});
      else response.writeHead(request.message.method === 'ping' ? 400 : 401).end(request.headers.authorization);
    });
    await bench.open(server.url, { headers: { Authorization: `Bearer \${secret:TOKEN}` } });
    await bench.ask('initialize');
    expect(server.seen[0]?.headers.authorization).toBe('Bearer s3cret-token-1');
    expect(await bench.ask('ping')).toContain('answered 400 Bad Request: Bearer ***');
    expect(await bench.ask('tools/call', { name: 'x' })).toContain('header_refused');
    expect((await bench.exit()).cause).toContain('does not accept the Authorization header');
    expect(bench.of('server-locked')).toMatchObject([
      { lock: { because: 'header-refused', fix: 'mcpd secret set far TOKEN' } },
    ]);
    await bench.processes.dispose();
    const log = readFileSync(pathsOf(home.mcpdHome).logOf('far'), 'utf8');
    expect(log).toContain('answered 400 Bad Request: Bearer ***');
    expect(log + JSON.stringify(bench.of('server-exited')) + JSON.stringify(bench.of('server-locked'))).not.toContain(
      's3cret',
    );
  });

  test('that repeats the login it was sent in an error does not have it told to hosts', async () => {
    await bench.processes.dispose();
    const auth = { header: async () => 'Bearer an-access-token', challenged: async () => ({ locked: 'locked' }) };
    bench = remoteBench(home, { auth });
    const server = await standIn(
      legacyServer((request, response) => void response.writeHead(400).end(`no: ${request.headers.authorization}`)),
    );
    await bench.open(server.url);
    await bench.handshake();
    expect(await bench.ask('tools/call', { name: 'x' })).toContain('answered 400 Bad Request: no: Bearer ***');
  });

  test('that is to be sent what no header can have is not asked, and the reason says so', async () => {
    await bench.processes.dispose();
    bench = remoteBench(home, { secrets: { KEY: 'a\r\nHost: evil.example' } });
    const server = await standIn((_, response) => void response.writeHead(200).end());
    await bench.open(server.url, { headers: { 'X-Key': `\${secret:KEY}` } });
    bench.send('initialize');
    const { cause } = await bench.exit();
    expect(cause).toContain('far cannot be sent its header X-Key: the value has a line break');
    expect(cause).toContain('mcpd secret set far KEY');
    expect(server.seen).toEqual([]);
  });

  test('that needs a secret which is not there cannot be asked', async () => {
    const server = await standIn((_, response) => void response.writeHead(200).end());
    await bench.open(server.url, { headers: { 'X-Key': `\${secret:GONE}` } });
    bench.send('initialize');
    expect((await bench.exit()).cause).toContain('far has no value for GONE');
    expect(server.seen).toEqual([]);
  });
});

// — internal —

const stopped = new Set<string>();

function endless(response: Parameters<Answering>[1], type: string, start: string): void {
  response.writeHead(200, { 'content-type': type });
  response.write(start);
  const piece = 'x'.repeat(64 * 1024);
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  response.on('close', () => stopped.add(textOfRequest(response)));
  more();
}

function textOfRequest(response: Parameters<Answering>[1]): string {
  return (
    servers.flatMap(({ seen }) => seen).find(({ message }) => message.method === 'tools/call')?.text ??
    String(response.statusCode)
  );
}
