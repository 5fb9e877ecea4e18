import { expect, test } from 'vitest';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';
import { MARK, MARKS_KEPT, mark, takeMarks } from './marks.ts';

const LEGACY: Character = { tools: ['ask', 'other'] };
const MODERN: Character = { era: 'modern', tools: ['ask'] };
const ALL = { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, sampling: {} };
const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const CALL = { name: 'fake__ask', arguments: {} };
const DONE = { result: { content: [] } };

/** What the last call in the history passed: `sent 40`. */
function passed(world: World): string[] {
  const { marks = [] } = world.effectsOf('record-call').at(-1)?.record ?? {};
  const names = Object.keys(MARK);
  return marks.flatMap((what, at) => (at % 2 === 0 ? [`${names[what]} ${marks[at + 1]}`] : []));
}

test('a call that waits for the start of its server has the start, the sending and the answer', () => {
  const world = new World();
  world.install('fake', LEGACY);
  world.request(world.legacyHost('one'), 'tools/call', CALL);
  world.advance(40);
  const process = world.ready('fake', LEGACY);
  world.advance(60);
  world.serverAnswers(process, 'tools/call', DONE);
  expect(passed(world)).toEqual(['starting 0', 'started 40', 'sent 40', 'answered 100']);
});

test('of its progress, the first sign is marked', () => {
  const world = new World();
  const process = world.running('fake', LEGACY);
  world.request(world.legacyHost('one'), 'tools/call', { ...CALL, _meta: { progressToken: 1 } });
  const { id = null, params = {} } = world.asked(process, 'tools/call');
  const { progressToken } = params['_meta'] as { progressToken: number };
  for (const progress of [1, 2]) {
    world.advance(10);
    world.serverNotifies(process, 'notifications/progress', { progressToken, progress });
  }
  world.serverSends(process, { jsonrpc: '2.0', id, ...DONE });
  expect(passed(world)).toEqual(['sent 0', 'progress 10', 'answered 20']);
});

test('several questions at a time are one: from the first of them to the last answer', () => {
  const world = new World();
  const process = world.running('fake', LEGACY);
  const host = world.legacyHost('one', ALL);
  world.request(host, 'tools/call', CALL);
  for (const id of [1, 2]) {
    world.advance(5);
    world.serverSends(process, { jsonrpc: '2.0', id, method: 'elicitation/create', params: FORM });
  }
  for (const { id = null } of host.questions) {
    world.advance(20);
    world.hostSends(host, { jsonrpc: '2.0', id, result: { action: 'decline' } });
  }
  world.serverAnswers(process, 'tools/call', DONE);
  expect(passed(world)).toEqual(['sent 0', 'asked 5', 'resumed 50', 'answered 50']);
});

test('a modern server has the call once more after each round of input', () => {
  const world = new World();
  const process = world.running('fake', MODERN);
  const host = world.legacyHost('one', ALL);
  world.request(host, 'tools/call', CALL);
  const { id = null } = world.asked(process, 'tools/call');
  const inputRequests = { who: { method: 'elicitation/create', params: FORM } };
  world.advance(5);
  world.serverSends(process, { jsonrpc: '2.0', id, result: { resultType: 'input_required', inputRequests } });
  world.advance(30);
  world.hostAnswers(host, { action: 'decline' });
  world.advance(0);
  world.serverAnswers(process, 'tools/call', { result: { resultType: 'complete', content: [] } });
  expect(passed(world)).toEqual(['sent 0', 'asked 5', 'resumed 35', 'sent 35', 'answered 35']);
});

test('a modern host that comes back with input goes on with its call: one row, counted from the first request', () => {
  const world = new World();
  const process = world.running('fake', LEGACY, { sharing: 'shared' });
  const host = world.modernHost('one', ALL);
  const key = world.request(host, 'tools/call', CALL);
  world.serverSends(process, { jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: FORM });
  world.advance(5);
  const { requestState } = world.answerTo(host, key).result as { requestState: string };
  world.advance(100);
  world.request(host, 'tools/call', { ...CALL, requestState, inputResponses: { q1: { action: 'decline' } } });
  world.advance(10);
  world.serverAnswers(process, 'tools/call', DONE);
  const rows = world.effectsOf('record-call').map(({ record }) => record);
  expect(rows).toMatchObject([{ queuedMs: 0, outcome: 'ok' }]);
  const [asked = ''] = passed(world).filter((what) => what.startsWith('asked'));
  const askedMs = Number(asked.slice('asked '.length));
  expect(passed(world)).toEqual(['sent 0', asked, 'resumed 105', 'answered 115']);
  expect([askedMs <= 5, rows[0]?.totalMs]).toEqual([true, 115]);
});

test('what a call meets after it was recorded is not added to its row', () => {
  const call = { firstAt: 10, marks: [] as number[] };
  mark(call, MARK.sent, 12);
  const marks = takeMarks(call);
  mark(call, MARK.resumed, 20);
  expect(marks).toEqual([MARK.sent, 2]);
});

test('a call of very many rounds keeps the first of them', () => {
  const call = { firstAt: 0, marks: [] as number[] };
  for (let at = 0; at < 10 * MARKS_KEPT; at++) mark(call, MARK.sent, at);
  expect(call.marks).toHaveLength(2 * MARKS_KEPT);
  expect(call.marks.at(-1)).toBe(MARKS_KEPT - 1);
});
