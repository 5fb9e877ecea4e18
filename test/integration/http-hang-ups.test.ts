import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HostEvent } from '../../src/hosts/connection.ts';
import type { HttpFront } from '../../src/hosts/http/front.ts';
import { HTTP_BODIES_BYTES_MAX, HTTP_QUEUED_MAX, HTTP_SESSIONS_MAX } from '../../src/http-limits.ts';
import { HttpCall, type HttpQuestion } from '../harness/event-source.ts';
import { type HttpDoor, openHttpDoor } from '../harness/http-door.ts';
import { until } from '../harness/until.ts';

/** Clients that leave, by raw bytes: at any moment, and with requests that nobody has begun to answer. */
let door: HttpDoor;
let front: HttpFront;
let port = 0;
let events: HostEvent[] = [];
let owners: Record<string, string> = {};
let sockets: Socket[] = [];

beforeEach(async () => {
  [events, sockets, owners] = [[], [], { t1: 'one' }];
  door = await openHttpDoor({
    report: (event) => events.push(event),
    now: () => 0,
    ownerOf: (token) => owners[token] ?? null,
    knows: () => false,
    toolHeaders: () => [],
  });
  ({ front, port } = door);
});

afterEach(async () => {
  front.stop();
  for (const socket of sockets) socket.destroy();
  await door.close();
});

const dial = async (): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined); // the door may close first
  await new Promise((done) => socket.once('connect', done));
  return socket;
};
const ask = (question: HttpQuestion) => new HttpCall(port, question);
const count = (type: HostEvent['type']) => events.filter((event) => event.type === type).length;

function head(method: string, path: string, more: string[] = []): string {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Authorization: Bearer t1', ...more];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function posted(id: number, method = 'tools/call'): string {
  const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
  return head('POST', '/mcp', ['Content-Type: application/json', `Content-Length: ${body.length}`]) + body;
}

test('a client with the most sessions makes room for its own, not at the cost of others', async () => {
  const opened = async (token: string, times: number) => {
    const before = events.length;
    const hello = { jsonrpc: '2.0', id: 0, method: 'initialize' };
    const headers = { ...SIGNED, authorization: `Bearer ${token}` };
    const calls = Array.from({ length: times }, () => ask({ body: hello, headers }));
    const fresh = () => events.slice(before).filter((event) => event.type === 'host-message');
    await until('initialize', () => fresh().length === times);
    const answer = Buffer.from('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}');
    for (const { session } of fresh()) front.send(session, [answer], 'answer', '0', '0');
    await Promise.all(calls.map((call) => call.whole()));
  };
  owners = { t1: 'one', t2: 'two' };
  await opened('t2', 1);
  await opened('t1', HTTP_SESSIONS_MAX - 1);
  await opened('t1', 1);
  expect(events.flatMap((event) => (event.type === 'host-closed' ? event.session : []))).toEqual(['h2']);
});

describe('a connection with several requests at once', () => {
  test('that ends calls all of them off', async () => {
    const socket = await dial();
    socket.write(posted(1) + posted(2) + head('GET', '/mcp/sse') + posted(3));
    await until('all are in', () => count('host-opened') === 4);
    socket.destroy();
    await until('all have ended', () => count('host-closed') === 4);
  });

  test('has a bound for how many wait', async () => {
    const socket = await dial();
    let answers = '';
    socket.on('data', (data) => {
      answers += data.toString('latin1');
    });
    socket.write(Array.from({ length: HTTP_QUEUED_MAX + 3 }, (_, i) => posted(i)).join(''));
    await until('most are in', () => count('host-message') === HTTP_QUEUED_MAX + 1);
    front.stop();
    await until('the last answers', () => answers.split('503 Service').length === 3);
    expect(count('host-message')).toBe(HTTP_QUEUED_MAX + 1);
  });

  test('that ends before its answers are written takes nothing from the room of others', async () => {
    const big = { jsonrpc: '2.0', id: 2, result: 'x'.repeat(9 * 1024 * 1024) };
    for (let round = 0; round < 10; round++) {
      const before = count('host-message');
      const socket = await dial();
      socket.write(posted(1) + posted(2));
      await until('both are in', () => count('host-message') === before + 2);
      const last = events.filter((event) => event.type === 'host-message').at(-1);
      if (last?.type === 'host-message')
        front.send(last.session, [Buffer.from(JSON.stringify(big))], 'answer', '2', '2');
      socket.destroy();
      await until('both have ended', () => count('host-closed') === before + 2);
    }
    const call = ask({ body: posted(1).split('\r\n\r\n')[1] ?? '', headers: SIGNED });
    await until('it is in', () => count('host-message') === 21);
    const last = events.at(-1);
    if (last?.type === 'host-message')
      front.send(last.session, [Buffer.from(JSON.stringify({ ...big, id: 1 }))], 'answer', '1', '1');
    expect((await call.whole()).json).toEqual({ ...big, id: 1 });
  });
});

const SIGNED = { authorization: 'Bearer t1', 'content-type': 'application/json' };

test('a message that was on its way when its token was taken away is not taken', async () => {
  const socket = await dial();
  let answer = '';
  socket.on('data', (data) => {
    answer += data.toString('latin1');
  });
  const whole = posted(1);
  const seen = new Promise((done) => door.server.once('request', done));
  socket.write(whole.slice(0, -5));
  await seen;
  owners = {};
  front.endClient('one');
  socket.write(whole.slice(-5));
  await until('an answer', () => answer.includes('\r\n\r\n'));
  expect(answer).toMatch(/^HTTP\/1.1 401/);
  expect(events).toEqual([]);
});

test('bodies that never end take no more than their room, and give it back with their connections', async () => {
  const part = 15 * 1024 * 1024;
  const begun = head('POST', '/mcp', ['Content-Type: application/json', `Content-Length: ${part + 1}`]);
  const piece = Buffer.alloc(part, ' ');
  let refused = 0;
  for (let held = 0; held <= HTTP_BODIES_BYTES_MAX; held += part) {
    const socket = await dial();
    socket.on('data', (data) => {
      if (data.toString('latin1').startsWith('HTTP/1.1 503')) refused++;
    });
    socket.write(begun);
    await new Promise((done) => socket.write(piece, done));
  }
  await until('one is refused', () => refused === 1);
  for (const socket of sockets) socket.destroy();
  await until('the room is back', async () => {
    const call = ask({ body: `{}${' '.repeat(part)}`, headers: SIGNED });
    return (await call.whole()).status === 400;
  });
});
