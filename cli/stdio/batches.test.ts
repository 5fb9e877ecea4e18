import { expect, test } from 'vitest';
import { FrameReader } from '../../src/protocol/framing.ts';
import { type Message, textOf } from '../../test/simulated/messages.ts';
import { Outbound } from './outbound.ts';
import { Session } from './session.ts';

/** The memory of a shim whose session has this revision, with what each side was sent. */
function scene(revision: string) {
  const session = new Session();
  const outbound = new Outbound((line) => session.handed(line));
  const daemon: Message[] = [];
  const stream = {
    writableLength: 0,
    write: (chunk: Uint8Array) => {
      const lines = Buffer.from(chunk).toString().split('\n');
      for (const one of lines)
        if (one !== '') daemon.push(one.startsWith('!') ? ({ control: one } as never) : JSON.parse(one));
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
    onFrame: (frame) => {
      const line = session.fromHost(frame);
      if (line !== null) outbound.push(line);
    },
    onNoise: (noise) => outbound.push(session.noise(noise)),
    onBatch: (line) => {
      for (const one of session.batch(line)) outbound.push(one);
    },
  });
  const come = () => {
    outbound.connect(stream);
    outbound.trust();
  };
  const says = (message: unknown) => {
    reader.push(Buffer.from(`${JSON.stringify(message)}\n`));
    outbound.flush();
  };
  const answers = (id: number, result: unknown = {}) =>
    session.answered(String(id), true, [Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)]);
  come();
  says(request(0, 'initialize', { protocolVersion: revision }));
  return {
    session,
    says,
    answers,
    come,
    agrees: () => answers(0, { protocolVersion: revision }),
    dies: () => outbound.disconnect(session.lost()),
    /** What the daemon was sent since the last look. */
    read: () => daemon.splice(0),
    /** What the shim itself said to the host since then, line by line. */
    heard: () => session.toHost.splice(0).map((line) => JSON.parse(textOf(line)) as unknown),
  };
}

function request(id: unknown, method: string, params?: unknown) {
  return { jsonrpc: '2.0', id, method, params };
}

/** A session that has agreed on the revision with batches. */
function batching() {
  const all = scene('2025-03-26');
  all.agrees();
  all.read();
  return all;
}

test('a batch is sent message by message, and its answers leave together', () => {
  const { says, read, answers, heard } = batching();
  says([request(1, 'tools/call'), { jsonrpc: '2.0', method: 'notifications/x' }, request(2, 'ping')]);
  expect(read().map(({ id, method }) => [id, method])).toEqual([
    [1, 'tools/call'],
    [undefined, 'notifications/x'],
    [2, 'ping'],
  ]);
  says(request(3, 'ping'));
  expect([answers(2), answers(3), heard()]).toEqual([false, true, []]);
  expect(answers(1)).toBe(false);
  expect(heard()).toMatchObject([[{ id: 2 }, { id: 1 }]]);
});

test('only the revision that has batches takes them, and it does so as soon as the host has asked for it', () => {
  for (const revision of ['2024-11-05', '2025-06-18', '2025-11-25', 'of my own']) {
    const { agrees, says, read } = scene(revision);
    agrees();
    read();
    says([request(1, 'ping')]);
    expect(read(), revision).toEqual([{ control: expect.stringContaining('"reason":"batch","id":null') }]);
  }
  const { says, read } = scene('2025-03-26');
  read();
  says([request(1, 'ping')]);
  expect(read()).toMatchObject([{ id: 1, method: 'ping' }]);
});

test('an empty batch is answered by one error, without the daemon', () => {
  const { says, read, heard } = batching();
  says([]);
  expect([read(), heard()]).toMatchObject([[], [{ id: null, error: { code: -32600 } }]]);
  says([{ jsonrpc: '2.0', method: 'notifications/x' }]);
  expect([read(), heard()]).toMatchObject([[{ method: 'notifications/x' }], []]);
  says([1]);
  expect([read(), heard()]).toMatchObject([[], [[{ id: null, error: { code: -32600 } }]]]);
});

test('an id that is open already is refused within the batch, and keeps its own answer', () => {
  const { says, answers, heard, read } = batching();
  says(request(1, 'tools/call'));
  says([request(1, 'ping'), request(2, 'ping'), request(2, 'ping')]);
  expect(read().map(({ id }) => id)).toEqual([1, 2]);
  expect(answers(2)).toBe(false);
  expect(heard()).toMatchObject([
    [
      { id: 1, error: { code: -32600 } },
      { id: 2, error: { code: -32600 } },
      { id: 2, result: {} },
    ],
  ]);
  expect(answers(1)).toBe(true);
});

test('a request that the host takes back is not waited for', () => {
  const { says, answers, heard } = batching();
  says([request(1, 'tools/call'), request(2, 'tools/call')]);
  answers(2);
  says({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  expect(heard()).toMatchObject([[{ id: 2 }]]);
  says([request(3, 'tools/call')]);
  says({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
  expect(heard()).toEqual([]);
});

test('a lost daemon is made good for each message of a batch as for any other, and the answers still leave together', () => {
  const { says, answers, heard, read, dies, come } = batching();
  says([request(1, 'tools/call'), request(2, 'tools/list'), request(3, 'tools/call')]);
  answers(3);
  read();
  dies();
  expect(heard()).toEqual([]);
  come();
  expect(read().map(({ id, method }) => [id, method])).toEqual([[2, 'tools/list']]);
  answers(2);
  expect(heard()).toMatchObject([
    [
      { id: 3, result: {} },
      { id: 1, error: { data: { reason: 'daemon-lost', outcome: 'unknown' } } },
      { id: 2, result: {} },
    ],
  ]);
});

test('without a daemon, and at the end of the host, a batch gets one array of errors', () => {
  const { session, says, heard, dies } = batching();
  dies();
  says([request(1, 'tools/call'), request(2, 'tools/list')]);
  session.giveUp({ what: 'no daemon', why: '', fix: 'mcpd up' });
  expect(heard()).toMatchObject([
    [
      { id: 1, error: {} },
      { id: 2, error: {} },
    ],
  ]);
  says([request(3, 'tools/call'), request(4, 'tools/list')]);
  session.end();
  expect(heard()).toMatchObject([
    [
      { id: 3, error: {} },
      { id: 4, error: {} },
    ],
  ]);
  expect(session.finished).toBe(true);
});
