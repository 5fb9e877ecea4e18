import { expect, test } from 'vitest';
import { REPLAY_DIFFERENCES_MAX } from '../recorder-limits.ts';
import { compareAnswers } from './compare.ts';

const answer = (result: unknown, id = 1) => JSON.stringify({ jsonrpc: '2.0', id, result });
const said = (text: string) => answer({ content: [{ type: 'text', text }] });

test('ids do not matter, nor the order of members', () => {
  expect(compareAnswers(answer({ a: 1, b: 2 }, 7), answer({ b: 2, a: 1 }, 9))).toEqual({ differences: [], more: 0 });
});

test('a difference has its place and both values', () => {
  expect(compareAnswers(said('sunny'), said('rain')).differences).toEqual([
    { path: 'result.content.0.text', recorded: '"sunny"', replayed: '"rain"' },
  ]);
});

test('what is in one answer only is told', () => {
  expect(compareAnswers(answer({ a: 1, list: [1, 2] }), answer({ b: null, list: [1] })).differences).toEqual([
    { path: 'result.a', recorded: '1', replayed: null },
    { path: 'result.list.1', recorded: '2', replayed: null },
    { path: 'result.b', recorded: null, replayed: 'null' },
  ]);
});

test('an error instead of a result is a difference', () => {
  const error = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no' } });
  const { differences } = compareAnswers(answer({ ok: true }), error);
  expect(differences.map(({ path }) => path)).toEqual(['result', 'error']);
  expect(compareAnswers(error, error).differences).toEqual([]);
});

test.each([
  ['at 2026-11-30T20:08:12.345Z', 'at 2026-12-01T06:00:00Z'],
  ['2026-11-30 20:08', '2026-12-01 06:00'],
  ['id 3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'id 9a0c04e0-4f89-11d3-9a0c-0305e82c3302'],
  ['took 12 ms', 'took 1.5ms'],
  ['now 1764533292345', 'now 1796104800000'],
])('%s is like %s', (recorded, replayed) => {
  expect(compareAnswers(said(recorded), said(replayed)).differences).toEqual([]);
});

test('members that are another each time are not compared, but must be there', () => {
  const [one, other] = [answer({ taskId: 'a', pid: 1 }), answer({ taskId: 'b', pid: 2 })];
  expect(compareAnswers(one, other).differences).toEqual([]);
  expect(compareAnswers(one, answer({ taskId: 'b' })).differences).toEqual([
    { path: 'result.pid', recorded: '1', replayed: null },
  ]);
});

test('JSON in a text is compared as JSON', () => {
  const [one, other] = [said('{"temp": 20, "pid": 5}'), said('{"pid":6,"temp":21}')];
  expect(compareAnswers(one, other).differences).toEqual([
    { path: 'result.content.0.text.temp', recorded: '20', replayed: '21' },
  ]);
});

test('of many differences the first ones are told, and how many more there are', () => {
  const numbers = (from: number) => answer(Array.from({ length: REPLAY_DIFFERENCES_MAX + 5 }, (_, at) => from + at));
  const { differences, more } = compareAnswers(numbers(0), numbers(1000));
  expect([differences.length, more]).toEqual([REPLAY_DIFFERENCES_MAX, 5]);
});
