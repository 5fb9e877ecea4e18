import { expect, test } from 'vitest';
import type { TryEvent } from '../api/contract/tries.ts';
import type { HostEvent } from '../hosts/connection.ts';
import type { MessageClass } from '../hosts/outbox.ts';
import { TRIES_MAX, TRY_MESSAGE_BYTES_MAX } from '../operation-limits.ts';
import { join } from '../protocol/bytes.ts';
import { Tries } from './trying.ts';

const ID = 't1';
const CALL = '3';
const FORM = { message: 'who?', requestedSchema: { type: 'object' } };

/** A try that has begun, seen from both ends. */
function given() {
  const heard: HostEvent[] = [];
  const told: TryEvent[] = [];
  const leaving = new AbortController();
  let count = 0;
  let ms = 100;
  const tries = new Tries({ report: (event) => heard.push(event), now: () => ms, sessionId: () => `t${++count}` });
  const tool = { kind: 'tool', name: 'now' } as const;
  const run = (signal = new AbortController().signal) =>
    tries.run('weather', tool, (event) => told.push(event), signal);
  const over = run(leaving.signal);
  const send = (kind: MessageClass, message: object, id: string | null = null) =>
    tries.send(ID, [Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)], kind, id);
  return {
    tries,
    run,
    over,
    told,
    leave: () => leaving.abort(),
    advance: (by: number) => (ms += by),
    send,
    ask: (rawId: string, params: object, method = 'elicitation/create') =>
      send('question', { id: JSON.parse(rawId), method, params }, rawId),
    /** What it said as a host, and how its session came and went. */
    said: () =>
      heard.map((event) => {
        if (event.type !== 'host-message') return event.type;
        const { id, method, ...rest } = JSON.parse(Buffer.from(join(event.frame.bytes)).toString());
        return method ?? { id, ...rest };
      }),
  };
}

const answer = (one: ReturnType<typeof given>, message: object) => one.send('answer', { id: 3, ...message }, CALL);

test('a try comes as any host, and ends with the answer to its call', async () => {
  const one = given();
  one.advance(40);
  one.send('answer', { id: 1, result: { capabilities: {} } }, '1');
  answer(one, { result: { content: [] } });
  await one.over;
  expect(one.said()).toEqual([
    'host-opened',
    'initialize',
    'notifications/initialized',
    'logging/setLevel',
    'tools/call',
    'host-closed',
  ]);
  expect(one.told).toEqual([
    { type: 'started', id: ID },
    { type: 'result', result: '{"content":[]}', isCut: false, bytes: 14, isError: false, durationMs: 40 },
  ]);
});

test('each question waits for its own answer, and for one only', () => {
  const one = given();
  one.ask('"a"', FORM);
  one.ask('"b"', { ...FORM, message: 'why?' });
  const questions = one.told.filter((event) => event.type === 'question');
  expect(questions.map(({ id, params }) => [id, 'message' in params && params.message])).toEqual([
    ['q1', 'who?'],
    ['q2', 'why?'],
  ]);
  one.tries.answer(ID, 'q2', { action: 'accept', content: { a: 1 } });
  one.tries.answer(ID, 'q1', { action: 'decline', content: { a: 2 } });
  expect(one.said().slice(-2)).toMatchObject([
    { id: 'b', result: { action: 'accept', content: { a: 1 } } },
    { id: 'a', result: { action: 'decline' } },
  ]);
  for (const [id, question] of [
    [ID, 'q1'],
    [ID, 'q3'],
    ['t9', 'q1'],
  ] as const)
    expect(() => one.tries.answer(id, question, { action: 'cancel' })).toThrow(
      expect.objectContaining({ code: 'TRY_UNKNOWN' }),
    );
});

test('a question that its server takes back cannot be answered any more', () => {
  const one = given();
  one.ask('"a"', FORM);
  one.send('notice', { method: 'notifications/cancelled', params: { requestId: 'other' } });
  one.send('notice', { method: 'notifications/cancelled', params: { requestId: 'a', reason: 'late' } });
  expect(one.told.slice(2)).toEqual([{ type: 'question-withdrawn', afterMs: 0, id: 'q1' }]);
  expect(() => one.tries.answer(ID, 'q1', { action: 'cancel' })).toThrow('answered already');
});

test.each<[string, object, string?]>([
  ['a link that is none', { mode: 'url', message: 'm', url: 'javascript:alert(1)' }],
  ['a form that is too long', { message: 'x'.repeat(TRY_MESSAGE_BYTES_MAX), requestedSchema: {} }],
  ['a question that nobody here could answer', {}, 'x/y'],
])('%s is shown to nobody, and its server is told so', (_what, params, method) => {
  const one = given();
  one.ask('"a"', params, method);
  expect(one.told.slice(1)).toEqual([{ type: 'question-refused', afterMs: 0, why: expect.any(String) }]);
  expect(one.said().at(-1)).toMatchObject({ id: 'a', error: { code: -32602 } });
});

test('who asks for folders is told at once that there are none', () => {
  const one = given();
  one.ask('"a"', {}, 'roots/list');
  expect(one.told.slice(1)).toEqual([{ type: 'roots-told', afterMs: 0 }]);
  expect(one.said().at(-1)).toEqual({ jsonrpc: '2.0', id: 'a', result: { roots: [] } });
});

test('a completion is a session of its own, and its values or its failure are the answer', async () => {
  const one = given();
  const of = { kind: 'prompt', name: 'p' } as const;
  const signal = new AbortController().signal;
  const completing = one.tries.complete('weather', { of, argument: 'a', value: 'x' }, signal);
  const reply = (message: object) =>
    one.tries.send('t2', [Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 3, ...message }))], 'answer', CALL);
  reply({ result: { completion: { values: ['xa'] } } });
  expect(await completing).toEqual({ values: ['xa'], hasMore: false });
  const failing = one.tries.complete('weather', { of, argument: 'a', value: 'x' }, signal);
  one.tries.send('t3', [Buffer.from('{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no"}}')], 'answer', CALL);
  await expect(failing).rejects.toMatchObject({ code: 'CALL_FAILED' });
});

test('a log that is too long is counted', () => {
  const one = given();
  one.send('notice', { method: 'notifications/message', params: { data: 'x'.repeat(TRY_MESSAGE_BYTES_MAX) } });
  one.send('notice', { method: 'notifications/tools/list_changed' });
  expect(one.told.slice(1)).toEqual([{ type: 'dropped', count: 1 }]);
});

test('whoever leaves cancels the call, and nothing is told after the end', async () => {
  const one = given();
  one.ask('"a"', FORM);
  one.leave();
  await one.over;
  expect(one.said().slice(-2)).toEqual(['notifications/cancelled', 'host-closed']);
  const before = one.told.length;
  answer(one, { result: {} });
  one.tries.stop();
  expect(one.told).toHaveLength(before);
});

test('whoever has left before the try begins leaves nothing behind', async () => {
  const one = given();
  await one.run(AbortSignal.abort());
  expect(one.said().filter((what) => what === 'host-opened')).toHaveLength(2);
  expect(one.said().filter((what) => what === 'host-closed')).toHaveLength(1);
});

test('a daemon that ends tells every try so, and a session that is closed tells why', async () => {
  const one = given();
  one.tries.stop();
  await one.over;
  expect(one.told.at(-1)).toMatchObject({ type: 'failed', error: { code: 'DAEMON_STOPPING' }, rpc: null });
  const other = given();
  other.tries.close(ID, 'too many');
  await other.over;
  expect(other.told.at(-1)).toMatchObject({ type: 'failed', error: { code: 'CALL_FAILED', why: 'too many' } });
  expect(other.said().at(-1)).toBe('host-closed');
});

test('no more are open at once than there is room for', async () => {
  const one = given();
  for (let count = 1; count < TRIES_MAX; count++) void one.run();
  expect(() => one.run()).toThrow(expect.objectContaining({ code: 'TRIES_FULL' }));
  answer(one, { result: {} });
  await one.over;
  expect(() => void one.run()).not.toThrow();
});
