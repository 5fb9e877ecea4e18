import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { type RemoteBench, remoteBench } from '../harness/remote.ts';
import { type Answering, type StandInServer, startStandIn, streamOn } from '../harness/stand-in-server.ts';

let home: TemporaryHome;
let bench: RemoteBench;
let server: StandInServer;

beforeEach(async () => {
  home = await temporaryHome();
  bench = remoteBench(home);
});
afterEach(async () => {
  await bench.processes.dispose();
  await server.close();
  expect(await home.cleanup()).toEqual([]);
});

/** A server of 2024-11-05: its one stream answers what is posted to where it says. `onPost` may do something else. */
function sseServer(
  endpoint = '/messages?id=1',
  onPost?: (request: Parameters<Answering>[0], response: ServerResponse) => boolean,
) {
  const live: { stream: ReturnType<typeof streamOn>; response: ServerResponse }[] = [];
  const answer: Answering = (request, response) => {
    if (request.method === 'GET') {
      const stream = streamOn(response);
      live.push({ stream, response });
      return stream.event(endpoint, 'event: endpoint\n');
    }
    if (request.path !== '/messages?id=1') return void response.writeHead(405).end();
    if (onPost?.(request, response)) return;
    response.writeHead(202).end('Accepted');
    const { id, method } = request.message;
    if (id !== undefined)
      live.at(-1)?.stream.event(`{"jsonrpc":"2.0","id":${id},"result":{"n":12345678901234567890,"to":"${method}"}}`);
  };
  return { answer, live };
}

describe('a server that knows HTTP+SSE alone', () => {
  test('is talked to over its stream, and is not asked for an era it cannot have', async () => {
    const { answer, live } = sseServer();
    server = await startStandIn(answer);
    await bench.open(server.url, { transport: 'sse', headers: { 'X-Team': 'blue' } });
    expect(await bench.ask('server/discover', {}, 'modern')).toContain('-32601');
    expect(await bench.handshake()).toContain('"n":12345678901234567890,"to":"initialize"');
    expect(await bench.ask('tools/call', { name: 'x' })).toContain('"to":"tools/call"');
    live[0]?.stream.event({ jsonrpc: '2.0', id: 7, method: 'roots/list' });
    expect(server.seen.map(({ headers }) => headers['x-team'])).toEqual(['blue', 'blue', 'blue', 'blue']);
    expect(server.of('server/discover')).toEqual([]);
    expect(bench.of('server-message').every(({ about }) => about === null)).toBe(true);
    expect((await bench.stop()).cause).toBe('disconnected');
  });

  test('is found out when it refuses a POST, and the first words reach it all the same', async () => {
    const { answer } = sseServer();
    server = await startStandIn(answer);
    await bench.open(server.url);
    expect(await bench.ask('server/discover', {}, 'modern')).toContain('answered 405');
    expect(await bench.handshake()).toContain('"to":"initialize"');
    expect(await bench.ask('tools/list')).toContain('"to":"tools/list"');
    expect(server.of('initialize').map(({ path }) => path)).toEqual(['/mcp', '/messages?id=1']);
  });

  test('is lost with its stream', async () => {
    const { answer, live } = sseServer();
    server = await startStandIn(answer);
    await bench.open(server.url, { transport: 'sse' });
    await bench.handshake();
    live[0]?.response.end();
    expect((await bench.exit()).cause).toBe(`${server.url} ended its stream`);
  });

  test('whose messages belong to another server is not believed', async () => {
    const { answer } = sseServer('http://127.0.0.1:9/steal');
    server = await startStandIn(answer);
    expect(await bench.open(server.url, { transport: 'sse' })).toBe(false);
    expect((await bench.exit()).cause).toContain('wants its messages at another server');
  });

  test('that refuses one message fails that one alone', async () => {
    const { answer } = sseServer('/messages?id=1', (request, response) => {
      if (request.message.method !== 'tools/call') return false;
      response.writeHead(500).end();
      return true;
    });
    server = await startStandIn(answer);
    await bench.open(server.url, { transport: 'sse' });
    await bench.handshake();
    expect(await bench.ask('tools/call', { name: 'x' })).toContain('answered 500 Internal Server Error');
    expect(await bench.ask('ping')).toContain('result');
  });

  test('whose stream holds a message without end is lost, with that reason', async () => {
    const { answer, live } = sseServer();
    server = await startStandIn(answer);
    await bench.open(server.url, { transport: 'sse', limits: { lineBytesMax: 1024 * 1024 } });
    await bench.handshake();
    const piece = 'x'.repeat(64 * 1024);
    live[0]?.response.write('data: {"jsonrpc":"2.0","x":"');
    for (let n = 0; n < 20; n++) live[0]?.response.write(piece);
    expect((await bench.exit()).cause).toContain('longer than 1048576 bytes');
  });

  test('that is none at all ends the start with what it answered', async () => {
    server = await startStandIn(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    );
    expect(await bench.open(server.url, { transport: 'sse' })).toBe(false);
    expect((await bench.exit()).cause).toContain('answered with a web page');
  });
});
