import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HostEvent } from '../../src/hosts/connection.ts';
import type { HttpFront } from '../../src/hosts/http/front.ts';
import { HTTP_SESSIONS_MAX, HTTP_STREAMS_MAX } from '../../src/http-limits.ts';
import { HttpCall, type HttpQuestion } from '../harness/event-source.ts';
import { type HttpDoor, openHttpDoor } from '../harness/http-door.ts';
import { sendRaw } from '../harness/listening-api.ts';
import { MODERN_REVISION } from '../harness/modern.ts';
import { until } from '../harness/until.ts';

/** The door by HTTP alone: what it reports is looked at, and what the core would say is said by the test. */
let door: HttpDoor;
let front: HttpFront;
let port = 0;
let now = 0;
let events: HostEvent[] = [];
let calls: HttpCall[] = [];

beforeEach(async () => {
  [now, events, calls] = [0, [], []];
  door = await openHttpDoor({
    report: (event) => events.push(event),
    now: () => now,
    ownerOf: (token) => ({ t1: 'one', t2: 'two' })[token] ?? null,
    knows: (name) => name === 'weather',
    toolHeaders: (_, name) => (name === 'query' ? [{ name: 'Region', path: ['region'], type: 'string' }] : []),
  });
  ({ front, port } = door);
});

afterEach(async () => {
  front.stop();
  for (const call of calls) call.hangUp();
  await door.close();
});

const MIB = 1024 * 1024;
const SIGNED = { authorization: 'Bearer t1', 'content-type': 'application/json' };
const BOTH = { ...SIGNED, accept: 'application/json, text/event-stream' };

function ask(question: HttpQuestion): HttpCall {
  const call = new HttpCall(port, { ...question, headers: { ...BOTH, ...question.headers } });
  calls.push(call);
  return call;
}

const post = (body: object, headers: Record<string, string> = {}, path = '/mcp') =>
  ask({ body: { jsonrpc: '2.0', ...body }, headers, path });
const say = (
  session: string,
  message: object,
  kind: 'answer' | 'question' | 'notice',
  id: string | null,
  about: string | null,
) => front.send(session, [Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)], kind, id, about);
const reply = (session: string, id: number, result: object = {}) =>
  say(session, { id, result }, 'answer', String(id), String(id));
const kinds = (session: string) => events.filter((event) => event.session === session).map(({ type }) => type);
const heard = (count: number, type: HostEvent['type'] = 'host-message') =>
  until(`${count} × ${type}`, () => events.filter((event) => event.type === type).length >= count);

/** A session that has shaken hands; its number is that of the core's session. */
async function begun(revision = '2025-06-18', number = 1): Promise<Record<string, string>> {
  const messages = events.filter(({ type }) => type === 'host-message').length;
  const call = post({ id: 0, method: 'initialize', params: { protocolVersion: revision } });
  await heard(messages + 1);
  reply(`h${number}`, 0, { protocolVersion: revision });
  await call.whole();
  return { 'mcp-session-id': String(call.headers['mcp-session-id']) };
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
  post(
    { id: 1, method, params: { ...params, _meta: envelope } },
    { 'mcp-protocol-version': MODERN_REVISION, 'mcp-method': method, ...headers },
  );

describe('nobody comes in', () => {
  const statusOf = async (question: HttpQuestion) => (await ask(question).whole()).status;

  test('by another name of this machine, or from a page elsewhere, whatever he asks for', async () => {
    for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS', 'PUT']) {
      for (const path of ['/mcp', '/mcp/sse', '/mcp/nothing']) {
        expect(await statusOf({ method, path, headers: { host: `evil.example:${port}` } })).toBe(403);
        expect(await statusOf({ method, path, headers: { origin: 'https://evil.example' } })).toBe(403);
        expect(await statusOf({ method, path, headers: { origin: 'null' } })).toBe(403);
      }
    }
    expect(events).toEqual([]);
  });

  test('without a token, and is told what is missing', async () => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const call = await ask({ method, headers: { authorization: 'Bearer t3' } }).whole();
      expect([call.status, call.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    }
    expect(
      await sendRaw(
        port,
        `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
      ),
    ).toContain('401');
    expect(events).toEqual([]);
  });

  test('where nothing is', async () => {
    expect(await statusOf({ path: '/mcp/s/nobody' })).toBe(404);
    expect(await statusOf({ path: '/mcp/p/work' })).toBe(404);
    expect(await statusOf({ path: '/mcp/else' })).toBe(404);
    expect(await statusOf({ method: 'PUT' })).toBe(405);
  });

  test('with what is no message', async () => {
    const body = (text: string, headers: Record<string, string> = {}) => ask({ body: text, headers }).whole();
    expect((await body('{"jsonrpc":')).json).toMatchObject({ id: null, error: { code: -32_700 } });
    expect((await body('{"a":1}')).json).toMatchObject({ id: null, error: { code: -32_600 } });
    expect((await body('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await body('{}', { accept: 'text/html' })).status).toBe(406);
    expect((await body('x'.repeat(16 * 1024 * 1024 + 1))).status).toBe(413);
    expect(events).toEqual([]);
  });
});

test('a page of this machine may come in with a token, and read what it needs', async () => {
  const origin = 'http://localhost:6274';
  const asked = 'authorization,mcp-session-id,mcp-param-region,cookie';
  const first = await ask({
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-headers': asked, authorization: '' },
  }).whole();
  expect(first.status).toBe(204);
  expect(first.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'authorization, mcp-session-id, mcp-param-region',
  });
  const second = await ask({ body: '{', headers: { origin } }).whole();
  expect(second.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' });
  expect(first.headers['access-control-allow-credentials']).toBeUndefined();
});

describe('a request without session or revision', () => {
  test('is a session of its own, for as long as it lasts, and is answered as JSON', async () => {
    const call = ask({ body: '{"jsonrpc":"2.0",\n"id":"a",\n"method":"tools/list"}', headers: { accept: '*/*' } });
    await heard(1);
    expect(events[0]).toMatchObject({
      type: 'host-opened',
      host: 'one',
      door: { principal: 'client:one', scope: { kind: 'all' }, cwd: null, lasts: 'request' },
      resume: { era: 'legacy', initialized: true, protocolVersion: '2025-03-26' },
    });
    say('h1', { method: 'notifications/message' }, 'notice', null, '"a"');
    say('h1', { id: 9, method: 'roots/list' }, 'question', '9', '"a"');
    expect(events.at(-1)).toMatchObject({ type: 'host-deaf', question: '9' });
    say('h1', { id: 'a', result: { tools: [] } }, 'answer', '"a"', '"a"');
    await call.whole();
    expect([call.status, call.headers['content-type'], call.json]).toEqual([
      200,
      'application/json',
      { jsonrpc: '2.0', id: 'a', result: { tools: [] } },
    ]);
    expect(kinds('h1').at(-1)).toBe('host-closed');
  });

  test('of one server alone says so', async () => {
    post({ id: 1, method: 'tools/list' }, {}, '/mcp/s/weather');
    await heard(1);
    expect(events[0]).toMatchObject({ door: { scope: { kind: 'server', server: 'weather' } } });
  });

  test('is called off when its client hangs up', async () => {
    const call = post({ id: 1, method: 'tools/call' });
    await heard(1);
    call.hangUp();
    await heard(1, 'host-closed');
  });

  test('may be a notification, of which nothing comes', async () => {
    expect((await post({ method: 'notifications/initialized' }).whole()).status).toBe(202);
    expect(events).toEqual([]);
  });
});

describe('a stateless request', () => {
  test('is answered as JSON, and called off when its client hangs up', async () => {
    const call = modern('tools/list');
    await heard(1);
    reply('h1', 1, { tools: [] });
    expect((await call.whole()).headers['content-type']).toBe('application/json');
    expect(kinds('h1')).toEqual(['host-opened', 'host-message', 'host-closed']);
    const left = modern('tools/list');
    await heard(2);
    left.hangUp();
    await heard(2, 'host-closed');
  });

  test('is answered as a stream when something is said before the answer', async () => {
    const call = modern('tools/list');
    await heard(1);
    say('h1', { method: 'notifications/progress', params: { progress: 1 } }, 'notice', null, '1');
    reply('h1', 1);
    await call.whole();
    expect([call.status, call.headers['content-type'], call.headers['x-accel-buffering']]).toEqual([
      200,
      'text/event-stream',
      'no',
    ]);
    expect(call.messages).toMatchObject([{ method: 'notifications/progress' }, { id: 1, result: {} }]);
    expect(call.text).not.toContain('id: ');
  });

  test('has a status for errors about itself', async () => {
    const call = modern('tools/list');
    await heard(1);
    say('h1', { id: 1, error: { code: -32_021, message: 'x' } }, 'answer', '1', '1');
    expect((await call.whole()).status).toBe(400);
    expect((await modern('ping').whole()).status).toBe(404);
    expect((await modern('tools/list', {}, { 'mcp-method': 'x' }).whole()).json).toMatchObject({
      id: 1,
      error: { code: -32_020 },
    });
    const region = { name: 'query', arguments: { region: 'eu' } };
    const named = { 'mcp-name': 'query' };
    expect((await modern('tools/call', region, named).whole()).json).toMatchObject({ error: { code: -32_020 } });
    modern('tools/call', region, { ...named, 'mcp-param-region': 'eu' });
    await heard(2);
  });

  test('that listens stays open until the daemon says good-bye', async () => {
    const call = modern('subscriptions/listen', { notifications: {} });
    await heard(1);
    say('h1', { method: 'notifications/subscriptions/acknowledged' }, 'answer', '1', '1');
    say('h1', { method: 'notifications/tools/list_changed' }, 'notice', null, '1');
    await until('both', () => call.messages.length === 2);
    front.drain();
    await call.whole();
    expect(call.messages.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    });
    expect(kinds('h1').at(-1)).toBe('host-closed');
  });
});

describe('a session', () => {
  test('has an id from its handshake on, belongs to its client and its address, and ends when it is deleted', async () => {
    const session = await begun();
    expect(session['mcp-session-id']).toMatch(/^[\w-]{32}$/);
    expect((await post({ method: 'notifications/initialized' }, session).whole()).status).toBe(202);
    const call = post({ id: 1, method: 'ping' }, session);
    await heard(3);
    reply('h1', 1);
    expect((await call.whole()).json).toEqual({ jsonrpc: '2.0', id: 1, result: {} });

    const status = async (headers: Record<string, string>, path?: string) =>
      (await post({ id: 2, method: 'ping' }, { ...session, ...headers }, path).whole()).status;
    expect(await status({ authorization: 'Bearer t2' })).toBe(404);
    expect(await status({}, '/mcp/s/weather')).toBe(404);
    expect(await status({ 'mcp-session-id': 'x' })).toBe(404);
    expect((await ask({ method: 'DELETE', headers: { ...session, authorization: 'Bearer t2' } }).whole()).status).toBe(
      404,
    );

    expect((await ask({ method: 'DELETE', headers: session }).whole()).status).toBe(204);
    expect(kinds('h1').at(-1)).toBe('host-closed');
    expect(await status({})).toBe(404);
  });

  test('does not begin when the handshake fails', async () => {
    const call = post({ id: 0, method: 'initialize' });
    await heard(1);
    say('h1', { id: 0, error: { code: -32_602, message: 'x' } }, 'answer', '0', '0');
    expect((await call.whole()).headers['mcp-session-id']).toBeUndefined();
    expect(kinds('h1').at(-1)).toBe('host-closed');
  });

  test('puts what belongs to a request on its own stream, and all else on the newest GET stream', async () => {
    const session = await begun();
    say('h1', { method: 'early' }, 'notice', null, null);
    const old = ask({ method: 'GET', headers: session });
    await until('what came before', () => old.messages.length === 1);
    const fresh = ask({ method: 'GET', headers: session });
    await fresh.begun();
    const first = post({ id: 1, method: 'tools/call' }, session);
    await heard(2);
    const second = post({ id: 2, method: 'tools/call' }, session);
    await heard(3);
    say('h1', { method: 'a' }, 'notice', null, '1');
    say('h1', { id: 7, method: 'roots/list' }, 'question', '7', '2');
    say('h1', { method: 'b' }, 'notice', null, null);
    reply('h1', 2);
    reply('h1', 1);
    await Promise.all([first.whole(), second.whole(), until('b', () => fresh.messages.length === 1)]);
    expect(first.messages.map(({ method, id }) => method ?? id)).toEqual(['a', 1]);
    expect(second.messages.map(({ method, id }) => method ?? id)).toEqual(['roots/list', 2]);
    expect([old, fresh].map(({ messages }) => messages.map(({ method }) => method))).toEqual([['early'], ['b']]);
    const answer = await post({ id: 7, result: { roots: [] } }, session).whole();
    expect([answer.status, events.at(-1)]).toMatchObject([202, { frame: { envelope: { kind: 'result', id: '7' } } }]);
  });

  test('asks nothing where nobody can hear it', async () => {
    const session = await begun();
    say('h1', { id: 7, method: 'roots/list' }, 'question', '7', null);
    expect(events.at(-1)).toMatchObject({ type: 'host-deaf', question: '7' });
    post({ id: 1, method: 'tools/call' }, { ...session, accept: 'application/json' });
    await heard(2);
    say('h1', { id: 8, method: 'roots/list' }, 'question', '8', '1');
    expect(events.at(-1)).toMatchObject({ type: 'host-deaf', question: '8' });
  });

  test('goes on with a call whose client hung up, and gives it the rest when it comes back', async () => {
    const session = await begun('2025-11-25');
    const call = post({ id: 1, method: 'tools/call' }, session);
    await heard(2);
    say('h1', { method: 'a' }, 'notice', null, '1');
    await until('the first', () => call.messages.length === 1);
    expect(call.events[0]).toEqual({ id: '1-0', retry: '1000', data: '' });
    call.hangUp();
    await until('nobody to be there', () => call.isOver);
    await new Promise((done) => setTimeout(done, 50));
    say('h1', { method: 'b' }, 'notice', null, '1');
    const again = ask({ method: 'GET', headers: { ...session, 'last-event-id': '1-1' } });
    await until('the second', () => again.messages.length === 1);
    reply('h1', 1);
    await again.whole();
    expect(again.events.map(({ id }) => id)).toEqual(['1-2', '1-3']);
    const late = await ask({ method: 'GET', headers: { ...session, 'last-event-id': '1-2' } }).whole();
    expect(late.messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(kinds('h1')).not.toContain('host-closed');
    for (const id of ['9-1', 'x', '1-'])
      expect((await ask({ method: 'GET', headers: { ...session, 'last-event-id': id } }).whole()).status).toBe(400);
  });

  test('sends no empty event to hosts that do not know such', async () => {
    const session = await begun('2025-06-18');
    const call = post({ id: 1, method: 'tools/call' }, session);
    await heard(2);
    say('h1', { method: 'a' }, 'notice', null, '1');
    await until('the first', () => call.messages.length === 1);
    expect(call.events.map(({ id }) => id)).toEqual(['1-1']);
  });

  test('ends the POST of a request that its host calls off', async () => {
    const session = await begun();
    const call = post({ id: 1, method: 'tools/call' }, session);
    await heard(2);
    await post({ method: 'notifications/cancelled', params: { requestId: 1 } }, session).whole();
    expect((await call.whole()).text).toBe('');
    reply('h1', 1);
  });

  test('refuses an id that is in use, and leaves the first request alone', async () => {
    const session = await begun();
    const call = post({ id: 1, method: 'tools/call' }, session);
    await heard(2);
    expect((await post({ id: 1, method: 'ping' }, session).whole()).json).toMatchObject({ error: { code: -32_600 } });
    reply('h1', 1, { first: true });
    expect((await call.whole()).json).toMatchObject({ result: { first: true } });
  });

  test('ends with the token of its client, and nobody waits for an answer any more', async () => {
    const session = await begun();
    const call = post({ id: 1, method: 'tools/call' }, session);
    const stream = ask({ method: 'GET', headers: session });
    await Promise.all([heard(2), stream.begun()]);
    front.endClient('two');
    expect(kinds('h1')).not.toContain('host-closed');
    front.endClient('one');
    expect((await call.whole()).json).toMatchObject({ id: 1, error: { message: 'the token was taken away' } });
    await stream.whole();
    expect(kinds('h1').at(-1)).toBe('host-closed');
  });

  test('gives way to a new one when there are too many, but only if it is idle', async () => {
    const crowd = Array.from({ length: HTTP_SESSIONS_MAX }, () => post({ id: 0, method: 'initialize' }));
    await heard(HTTP_SESSIONS_MAX);
    for (let number = 1; number <= HTTP_SESSIONS_MAX; number++)
      reply(`h${number}`, 0, { protocolVersion: '2025-06-18' });
    await Promise.all(crowd.map((call) => call.whole()));
    const added = await begun('2025-06-18', HTTP_SESSIONS_MAX + 1);
    expect(kinds('h1').at(-1)).toBe('host-closed');
    const streams = Array.from({ length: HTTP_STREAMS_MAX }, () => ask({ method: 'GET', headers: added }));
    for (const stream of streams) await stream.begun();
    expect((await ask({ method: 'GET', headers: added }).whole()).status).toBe(409);
  });

  test('is needed for a GET and a DELETE', async () => {
    for (const method of ['GET', 'DELETE']) expect((await ask({ method }).whole()).status).toBe(405);
  });
});

test('a client that does not read holds up nobody: notices are dropped and counted, questions come back', async () => {
  const session = await begun();
  const socket = connect(port, '127.0.0.1');
  const head = Object.entries({ ...BOTH, ...session, host: `127.0.0.1:${port}` }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  let heardBytes = '';
  socket.write(`GET /mcp HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
  await new Promise<void>((done) =>
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      heardBytes += chunk.toString();
      done();
    }),
  );
  const long = { method: 'notifications/message', params: { data: 'x'.repeat(MIB) } };
  for (let i = 0; i < 40; i++) say('h1', long, 'notice', null, null);
  say('h1', { ...long, id: 7, method: 'sampling/createMessage' }, 'question', '7', null);
  expect(events.at(-1)).toMatchObject({ type: 'host-deaf', question: '7' });
  socket.on('data', (chunk: Buffer) => {
    heardBytes += chunk.toString();
  });
  socket.resume();
  await until('what was kept', () => heardBytes.length > 10 * MIB);
  say('h1', { method: 'after' }, 'notice', null, null);
  await until('the count', () => heardBytes.includes('notices were dropped') && heardBytes.includes('"after"'));
  expect(heardBytes.length).toBeLessThan(40 * MIB);
  socket.destroy();
});

describe('an array of messages', () => {
  const batch = (messages: object[], headers: Record<string, string>) =>
    ask({ body: messages.map((message) => ({ jsonrpc: '2.0', ...message })), headers });

  test('is answered by one array in a session whose revision has it', async () => {
    const session = await begun('2025-03-26');
    const messages = [
      { id: 1, method: 'ping' },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call' },
      { id: 2, method: 'ping' },
      { id: 3, method: 'initialize' },
    ];
    const call = batch(messages, session);
    await heard(4);
    say('h1', { method: 'a' }, 'notice', null, '2');
    reply('h1', 2, { second: true });
    reply('h1', 1);
    await call.whole();
    expect(call.messages[0]).toMatchObject({ method: 'a' });
    expect(call.messages[1]).toMatchObject([
      { id: 3, error: { code: -32_600 } },
      { id: 2, error: { code: -32_600 } },
      { id: 2, result: { second: true } },
      { id: 1, result: {} },
    ]);
  });

  test('without a request is taken, and a request that is called off is not waited for', async () => {
    const session = await begun('2025-03-26');
    expect((await batch([{ method: 'notifications/initialized' }], session).whole()).status).toBe(202);
    expect((await batch([], session).whole()).status).toBe(400);
    const messages = [1, 2].map((id) => ({ id, method: 'tools/call' }));
    const call = batch(messages, session);
    await heard(4);
    await post({ method: 'notifications/cancelled', params: { requestId: 1 } }, session).whole();
    reply('h1', 2);
    expect((await call.whole()).json).toMatchObject([{ id: 2 }]);
  });

  test('is refused everywhere else', async () => {
    const session = await begun('2025-06-18');
    for (const headers of [session, {}, { 'mcp-protocol-version': MODERN_REVISION }]) {
      const call = await batch([{ id: 1, method: 'ping' }], headers).whole();
      expect([call.status, call.json.error?.code]).toEqual([400, -32_600]);
    }
    expect((await batch([{ id: 1, method: 'ping' }], { 'mcp-session-id': 'x' }).whole()).status).toBe(404);
  });
});

test('a stream of the first revision carries everything, and is the session', async () => {
  const stream = ask({ method: 'GET', path: '/mcp/s/weather/sse' });
  await until('the address', () => stream.events.length === 1);
  const address = stream.events[0]?.data ?? '';
  expect([stream.events[0]?.event, address]).toEqual([
    'endpoint',
    expect.stringMatching(/^\/mcp\/s\/weather\/messages\?session=/),
  ]);
  const call = await post({ id: 1, method: 'initialize' }, {}, address).whole();
  expect([call.status, call.text]).toEqual([202, '']);
  reply('h1', 1, { protocolVersion: '2024-11-05' });
  await until('the answer', () => stream.messages.length === 1);
  expect((await post({ id: 2, method: 'ping' }, { authorization: 'Bearer t2' }, address).whole()).status).toBe(404);
  stream.hangUp();
  await heard(1, 'host-closed');
  expect((await post({ id: 2, method: 'ping' }, {}, address).whole()).status).toBe(404);
});
