import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Bytes, Frame } from '../../src/protocol/frame.ts';
import { FrameReader, type Noise } from '../../src/protocol/framing.ts';
import { Outbound } from './outbound.ts';
import { recognise, scanned } from './recognise.ts';
import { Session } from './session.ts';

interface Message {
  id?: unknown;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

const textOf = (bytes: Bytes) => Buffer.concat(bytes).toString();
const sha = (bytes: Bytes) => createHash('sha256').update(Buffer.concat(bytes)).digest('hex');

/** A host, a shim's memory and a daemon that is there or not; what each side received, as messages. */
function scene() {
  const session = new Session();
  const outbound = new Outbound((line) => session.handed(line));
  const daemon: string[] = [];
  const host: Message[] = [];
  const take = () => {
    for (const bytes of session.toHost.splice(0)) host.push(JSON.parse(textOf(bytes)));
  };
  const come = () => {
    outbound.connect(stream);
    outbound.trust();
  };
  const stream = {
    writableLength: 0,
    write: (chunk: Uint8Array) => {
      daemon.push(
        ...Buffer.from(chunk)
          .toString()
          .split('\n')
          .filter((text) => text !== ''),
      );
      return true;
    },
    cork: () => {},
    uncork: () => {},
  };
  const reader = new FrameReader({
    lineBytesMax: 1e6,
    depthMax: 64,
    sampleBytesMax: 100,
    isUtf8: () => true,
    onFrame: (frame: Frame) => {
      const line = session.fromHost(frame);
      if (line !== null) outbound.push(line);
    },
    onNoise: (noise: Noise) => outbound.push(session.noise(noise)),
  });
  const says = (text: string) => {
    reader.push(Buffer.from(`${text}\n`));
    outbound.flush();
    take();
  };
  const answers = (text: string) => {
    const line = [Buffer.from(`${text}\n`)];
    const seen = recognise(line);
    const frame = seen === null ? scanned(line) : null;
    const passes =
      seen?.kind === 'answer' ? session.answered(seen.id, seen.ok, line) : frame === null || session.fromDaemon(frame);
    if (passes) host.push(JSON.parse(text));
    take();
    return passes;
  };
  return {
    session,
    outbound,
    host,
    /** What the daemon read since the last look. */
    read: () => daemon.splice(0).map((text) => (text.startsWith('!') ? text : (JSON.parse(text) as Message))),
    methods: () => daemon.splice(0).map((text) => (JSON.parse(text) as Message).method),
    daemonComes: come,
    /** The daemon dies, and none is there. */
    daemonDies: () => {
      outbound.disconnect(session.lost());
      take();
      return { comesBack: come, greets: () => outbound.connect(stream) };
    },
    says,
    asks: (id: unknown, method: string, params?: unknown) =>
      says(JSON.stringify({ jsonrpc: '2.0', id, method, params })),
    notifies: (method: string, params?: unknown) => says(JSON.stringify({ jsonrpc: '2.0', method, params })),
    answers,
    grants: (id: unknown, result: unknown = {}) => answers(JSON.stringify({ jsonrpc: '2.0', id, result })),
    tells: (method: string, params?: unknown) => answers(JSON.stringify({ jsonrpc: '2.0', method, params })),
  };
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: { roots: {} },
  clientInfo: { name: 'h', version: '1' },
};

function initialised() {
  const all = scene();
  all.daemonComes();
  all.asks(0, 'initialize', INITIALIZE);
  all.grants(0, { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'mcpd', version: '1' } });
  all.notifies('notifications/initialized');
  all.read();
  all.host.length = 0;
  return all;
}

describe('what is under way when the daemon is lost', () => {
  test.each(['tools/call', 'prompts/get', 'resources/read', 'tasks/cancel', 'x/unknown'])(
    '%s gets one error that says the outcome is unknown, and is not sent again',
    (method) => {
      const { asks, daemonDies, host, methods } = initialised();
      asks('a', method, { name: 'pay' });
      methods();
      daemonDies().comesBack();
      expect(host).toMatchObject([
        { id: 'a', error: { code: -32603, data: { reason: 'daemon-lost', outcome: 'unknown', method } } },
      ]);
      expect(methods()).toEqual([]);
    },
  );

  test.each([
    'server/discover',
    'ping',
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'completion/complete',
  ])('%s is sent again, and the host notices nothing', (method) => {
    const { asks, daemonDies, host, methods, grants } = initialised();
    asks(7, method, {});
    methods();
    daemonDies().comesBack();
    expect(host).toEqual([]);
    expect(methods()).toEqual([method]);
    grants(7);
    expect(host).toMatchObject([{ id: 7, result: {} }]);
  });

  test('requests that have not left the shim are sent once, after those that are sent again', () => {
    const { asks, daemonDies, host, read } = initialised();
    asks(1, 'tools/list');
    read();
    const { comesBack } = daemonDies();
    asks(2, 'tools/call', { name: 'pay' });
    expect(host).toEqual([]);
    comesBack();
    expect(read()).toMatchObject([{ id: 1 }, { id: 2, method: 'tools/call', params: { name: 'pay' } }]);
  });

  test('an unanswered handshake is made again in its order', () => {
    const { daemonComes, asks, notifies, daemonDies, methods } = scene();
    daemonComes();
    asks(0, 'initialize', INITIALIZE);
    notifies('notifications/initialized');
    asks(1, 'tools/list');
    methods();
    daemonDies().comesBack();
    expect(methods()).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
  });

  test('an answer that comes for a request that was answered already is dropped', () => {
    const { asks, daemonDies, answers, host } = initialised();
    asks(5, 'tools/call');
    daemonDies().comesBack();
    expect(host).toHaveLength(1);
    expect(answers('{"jsonrpc":"2.0","id":5,"result":{}}')).toBe(false);
    expect(answers('{"result":{},"jsonrpc":"2.0","id":5}')).toBe(false);
    expect(host).toHaveLength(1);
  });

  test('a cancelled request is neither answered nor sent again', () => {
    const { asks, notifies, daemonDies, host, methods } = initialised();
    asks(1, 'tools/call');
    asks(2, 'tools/list');
    notifies('notifications/cancelled', { requestId: 1 });
    notifies('notifications/cancelled', { requestId: 2 });
    methods();
    daemonDies().comesBack();
    expect([host, methods()]).toEqual([[], []]);
  });

  test('a request that was cancelled while it waited never reaches the daemon', () => {
    const { asks, notifies, daemonDies, host, methods } = initialised();
    const { comesBack } = daemonDies();
    asks(1, 'tools/call');
    asks(2, 'tools/list');
    notifies('notifications/cancelled', { requestId: 1 });
    comesBack();
    expect([host, methods()]).toEqual([[], ['tools/list']]);
  });
});

test('before a daemon has said who it is, it is sent only what can be sent twice', () => {
  const { daemonDies, asks, host, methods, outbound } = initialised();
  const { greets } = daemonDies();
  asks(1, 'tools/list');
  asks(2, 'tools/call');
  asks(3, 'prompts/list');
  greets();
  expect(methods()).toEqual(['tools/list']);
  const next = daemonDies();
  expect(host).toEqual([]);
  next.greets();
  outbound.trust();
  expect(methods()).toEqual(['tools/list', 'tools/call', 'prompts/list']);
});

describe('requests of servers', () => {
  test('are cancelled towards the host at a loss, and late answers are dropped', () => {
    const { answers, says, daemonDies, host, read } = initialised();
    answers('{"jsonrpc":"2.0","id":"g1:1","method":"roots/list"}');
    answers('{"jsonrpc":"2.0","id":"g1:2","method":"sampling/createMessage","params":{}}');
    says('{"jsonrpc":"2.0","id":"g1:1","result":{"roots":[]}}');
    expect(read()).toHaveLength(1);
    host.length = 0;
    daemonDies().comesBack();
    expect(host).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: 'g1:2' } }]);
    says('{"jsonrpc":"2.0","id":"g1:2","result":{}}');
    says('{"jsonrpc":"2.0","id":"g1:2","error":{"code":1,"message":"no"}}');
    expect(read()).toEqual([]);
  });

  test('that the daemon cancels need no answer any more', () => {
    const { answers, says, tells, read, daemonDies, host } = initialised();
    answers('{"jsonrpc":"2.0","id":3,"method":"roots/list"}');
    expect(tells('notifications/cancelled', { requestId: 3 })).toBe(true);
    says('{"jsonrpc":"2.0","id":3,"result":{"roots":[]}}');
    expect(read()).toEqual([]);
    host.length = 0;
    daemonDies();
    expect(host).toEqual([]);
  });
});

describe('what the next daemon is told', () => {
  test('nothing, before anything was agreed', () => {
    const { session, daemonComes, asks } = scene();
    expect(session.resume(sha)).toBeNull();
    daemonComes();
    asks(0, 'initialize', INITIALIZE);
    expect(session.resume(sha)).toBeNull();
  });

  test('the handshake, the log level, and digests of the lists as the host saw them', () => {
    const { session, asks, grants, answers } = initialised();
    asks(1, 'logging/setLevel', { level: 'error' });
    grants(1);
    asks(2, 'tools/list');
    answers('{"jsonrpc":"2.0","id":2,"result":{ "tools": [1e2] }}');
    asks(3, 'prompts/list');
    answers('{"result":{"prompts":[]},"jsonrpc":"2.0","id":3}');
    asks(4, 'resources/list');
    answers('{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"no"}}');
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(session.resume(sha)).toEqual({
      initializeParams: JSON.stringify(INITIALIZE),
      protocolVersion: '2025-06-18',
      initialized: true,
      logLevel: 'error',
      era: 'legacy',
      listDigests: { tools: digest('{ "tools": [1e2] }'), prompts: digest('{"prompts":[]}') },
    });
  });

  test('a log level that was refused is not kept', () => {
    const { session, asks, answers } = initialised();
    asks(1, 'logging/setLevel', { level: 'loud' });
    answers('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such level"}}');
    expect(session.resume(sha)).toMatchObject({ logLevel: null });
  });

  test('a host that was given a list without a handshake is a modern one', () => {
    const { session, daemonComes, asks, grants } = scene();
    daemonComes();
    asks(1, 'tools/list', { _meta: {} });
    grants(1, { tools: [] });
    expect(session.resume(sha)).toMatchObject({ era: 'modern', initializeParams: null });
  });

  test('a modern host has an era and nothing else', () => {
    const { session, daemonComes, asks, grants } = scene();
    daemonComes();
    asks('d', 'server/discover', { _meta: {} });
    grants('d', { supportedVersions: [] });
    expect(session.resume(sha)).toEqual({
      initializeParams: null,
      protocolVersion: null,
      initialized: false,
      logLevel: null,
      era: 'modern',
      listDigests: {},
    });
  });
});

describe('subscriptions', () => {
  test('that were accepted are made again; the host sees one update for each and no second answer', () => {
    const { asks, grants, answers, daemonDies, host, read } = initialised();
    asks(1, 'resources/subscribe', { uri: 'file:///a', x: 1 });
    asks(2, 'resources/subscribe', { uri: 'file:///b' });
    asks(3, 'resources/subscribe', { uri: 'file:///c' });
    asks(4, 'resources/unsubscribe', { uri: 'file:///b' });
    for (const id of [1, 2, 4]) grants(id);
    answers('{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"unknown"}}');
    read();
    host.length = 0;
    daemonDies().comesBack();
    const again = read() as Message[];
    expect(again).toMatchObject([{ method: 'resources/subscribe', params: { uri: 'file:///a', x: 1 } }]);
    grants(again[0]?.id);
    expect(host).toEqual([{ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///a' } }]);
  });

  test('listens are made again under their id; the second acknowledgement is swallowed', () => {
    const { daemonComes, asks, tells, daemonDies, host, read, session } = scene();
    daemonComes();
    asks('l', 'subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['x:1', 'x:2'] },
    });
    const acknowledged = { _meta: { 'io.modelcontextprotocol/subscriptionId': 'l' }, notifications: {} };
    expect(tells('notifications/subscriptions/acknowledged', acknowledged)).toBe(true);
    read();
    host.length = 0;
    expect(session.resume(sha)).toMatchObject({ era: 'modern' });
    for (let round = 0; round < 2; round++) {
      daemonDies().comesBack();
      expect(read()).toMatchObject([{ id: 'l', method: 'subscriptions/listen' }]);
      expect(tells('notifications/subscriptions/acknowledged', acknowledged)).toBe(false);
      expect(host.splice(0)).toMatchObject([
        {
          method: 'notifications/resources/updated',
          params: { uri: 'x:1', _meta: { 'io.modelcontextprotocol/subscriptionId': 'l' } },
        },
        { method: 'notifications/resources/updated', params: { uri: 'x:2' } },
      ]);
    }
  });

  test('a listen that the host ended is not made again', () => {
    const { daemonComes, asks, tells, notifies, daemonDies, read } = scene();
    daemonComes();
    asks(1, 'subscriptions/listen', { notifications: {} });
    tells('notifications/subscriptions/acknowledged', { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } });
    notifies('notifications/cancelled', { requestId: 1 });
    read();
    daemonDies().comesBack();
    expect(read()).toEqual([]);
  });
});

describe('each request is answered once', () => {
  test('one whose id is still in use is refused and not sent', () => {
    const { asks, host, methods } = initialised();
    asks(1, 'tools/call');
    asks(1, 'tools/call');
    expect(methods()).toEqual(['tools/call']);
    expect(host).toMatchObject([{ id: 1, error: { code: -32600 } }]);
  });

  test('ids of equal value and other type are two requests', () => {
    const { asks, host, grants } = initialised();
    asks(1, 'tools/call');
    asks('1', 'tools/call');
    grants('1', 'text');
    grants(1, 'number');
    expect(host).toMatchObject([
      { id: '1', result: 'text' },
      { id: 1, result: 'number' },
    ]);
  });

  test('a line that is no message is told to the daemon, whose answer passes', () => {
    const { says, read, answers, host } = initialised();
    says('{"jsonrpc":"2.0","id":8,"method":7}');
    says('hello');
    expect(read()).toEqual(
      ['!noise {"reason":"not-jsonrpc","id":"8"}', '!noise {"reason":"not-json","id":null}'].map((text) =>
        expect.stringContaining(text.slice(0, 22)),
      ),
    );
    answers('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}');
    expect(host).toMatchObject([{ id: null, error: { code: -32700 } }]);
  });

  test('without a daemon each waiting request is answered with the cause, and is not sent later', () => {
    const { session, asks, notifies, daemonDies, outbound, methods, says } = initialised();
    const { comesBack } = daemonDies();
    asks(1, 'tools/call');
    asks(2, 'tools/list');
    notifies('notifications/roots/list_changed');
    session.giveUp({ what: 'mcpd could not be started', why: 'registry.db is damaged', fix: 'mcpd doctor' });
    expect(session.toHost.splice(0).map((bytes) => JSON.parse(textOf(bytes)) as Message)).toMatchObject(
      [1, 2].map((id) => ({
        id,
        error: { code: -32603, data: { reason: 'daemon-unreachable', outcome: 'not-sent', fix: 'mcpd doctor' } },
      })),
    );
    expect(session.waiting).toBe(false);
    outbound.sweep();
    comesBack();
    says('{"jsonrpc":"2.0","id":3,"method":"ping"}');
    expect(methods()).toEqual(['notifications/roots/list_changed', 'ping']);
    expect(outbound.bytes).toBe(0);
  });

  test('the end of the host leaves no request unanswered', () => {
    const { session, asks } = initialised();
    asks(1, 'tools/call');
    asks(2, 'subscriptions/listen', {});
    expect(session.finished).toBe(false);
    session.end();
    expect(session.toHost.map((bytes) => JSON.parse(textOf(bytes)) as Message)).toMatchObject([
      { id: 1, error: { code: -32603 } },
    ]);
    expect(session.finished).toBe(true);
  });
});

describe('a daemon that will stop', () => {
  test('is given answers and notifications, but no new request', () => {
    const { outbound, asks, answers, says, notifies, read, session, grants } = initialised();
    asks(1, 'tools/call');
    answers('{"jsonrpc":"2.0","id":"s","method":"roots/list"}');
    read();
    outbound.holdRequests();
    asks(2, 'tools/call');
    says('{"jsonrpc":"2.0","id":"s","result":{"roots":[]}}');
    notifies('notifications/cancelled', { requestId: 9 });
    expect(read()).toMatchObject([{ id: 's' }, { method: 'notifications/cancelled' }]);
    expect([session.quiet, session.waiting]).toEqual([false, true]);
    grants(1);
    expect(session.quiet).toBe(true);
  });

  test('gives back a call for which it sent nothing, and the next one gets it', () => {
    const { outbound, asks, read, session, host, daemonDies, grants } = initialised();
    asks(1, 'tools/call', { name: 'a' });
    asks(2, 'tools/call', { name: 'x'.repeat(20_000) });
    read();
    outbound.holdRequests();
    const refusal = (id: number, sent: boolean) => [
      Buffer.from(
        `{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,"message":"","data":{"reason":"stopping","sent":${sent}}}}\n`,
      ),
    ];
    expect(session.unsent('1', refusal(1, true))).toBeNull();
    // Too long to be kept.
    expect(session.unsent('2', refusal(2, false))).toBeNull();
    const again = session.unsent('1', refusal(1, false));
    if (again !== null) outbound.push(again);
    outbound.flush();
    expect([read(), session.waiting]).toEqual([[], true]);

    daemonDies().comesBack();
    expect(read()).toMatchObject([{ id: 1, method: 'tools/call', params: { name: 'a' } }]);
    grants(1);
    expect(host).toMatchObject([
      { id: 2, error: { data: { outcome: 'unknown' } } },
      { id: 1, result: {} },
    ]);
  });
});
