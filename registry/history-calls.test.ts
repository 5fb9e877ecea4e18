import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CallPage, CallQuery } from '../src/api/contract/calls.ts';
import type { CallRecord } from '../src/core/call-record.ts';
import { MARK } from '../src/core/marks.ts';
import { CALLS_COUNTED_MAX } from '../src/operation-limits.ts';
import { aCall, asItIs, begunAt, unseen } from '../test/harness/call-record.ts';
import { packCalls } from './history-batch.ts';
import { type HistoryStore, openHistoryStore } from './history-store.ts';

let home: string;
let store: HistoryStore;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcpd-history-'));
  store = openHistoryStore(join(home, 'history.db'), begunAt(1), unseen);
});
afterEach(() => {
  store.close();
  rmSync(home, { recursive: true, force: true });
});

/** Calls with the numbers 1, 2, … */
const given = (...calls: Partial<CallRecord>[]) =>
  store.write(
    packCalls(
      calls.map((call, index) => aCall(1000 + index, call)),
      1,
      asItIs,
    ),
    [],
  );

function page(query: CallQuery): CallPage {
  const answer = store.answer({ about: 'calls', query });
  if (answer.about !== 'calls') throw new RangeError('another answer');
  return answer.page;
}
const ids = (query: CallQuery) => page(query).calls.map(({ id }) => id);

test('each filter lets through what fits it, and several what fits all of them', () => {
  given(
    { host: 'editor', server: 'weather', target: 'get_forecast', totalMs: 5 },
    { host: 'desktop', server: 'todo', target: 'add', session: 's2', totalMs: 50 },
    { server: 'todo', target: 'file:///a%b_c', method: 'resources/read', outcome: 'error', totalMs: 0.5 },
    { server: 'todo', target: 'add', outcome: 'cancelled', totalMs: 500 },
    { server: 'todo', target: 'ADD_ALL', outcome: 'tool-error', totalMs: 7 },
  );
  expect(ids({})).toEqual([5, 4, 3, 2, 1]);
  expect(ids({ host: 'desktop' })).toEqual([2]);
  expect(ids({ server: 'todo' })).toEqual([5, 4, 3, 2]);
  expect(ids({ session: 's2' })).toEqual([2]);
  expect(ids({ method: 'resources/read' })).toEqual([3]);
  expect(ids({ target: 'add' })).toEqual([5, 4, 2]);
  // No wildcards: the characters themselves.
  expect([ids({ target: '%b_' }), ids({ target: 'a_b' }), ids({ target: 'get%' })]).toEqual([[3], [], []]);
  expect(ids({ outcome: 'ok' })).toEqual([2, 1]);
  expect(ids({ outcome: 'error' })).toEqual([3]);
  expect(ids({ outcome: 'cancelled' })).toEqual([4]);
  expect(ids({ outcome: 'failed' })).toEqual([5, 3]);
  expect(ids({ since: 1001, until: 1003 })).toEqual([3, 2]);
  expect(ids({ minMs: 7 })).toEqual([5, 4, 2]);
  expect(ids({ server: 'todo', target: 'add', outcome: 'failed', since: 1001 })).toEqual([5]);
  expect(ids({ host: "' OR 1=1 --" })).toEqual([]);
});

test('the pages together are the whole, in either order, and each says how many there are', () => {
  given(...[3, 1, 2, 2, 1e-3, 2, 9].map((totalMs) => ({ totalMs })));
  for (const [order, whole] of [
    ['newest', [7, 6, 5, 4, 3, 2, 1]],
    ['slowest', [7, 1, 6, 4, 3, 2, 5]],
  ] as const) {
    const seen: number[] = [];
    let before: string | null = null;
    do {
      const { calls, next, ...counted }: CallPage = page({ order, limit: 2, ...(before === null ? {} : { before }) });
      expect(counted).toEqual({ total: 7, totalIsLeast: false });
      seen.push(...calls.map(({ id }) => id));
      before = next;
    } while (before !== null);
    expect(seen).toEqual(whole);
  }
});

test('a page that ends with the last call has no next one', () => {
  given({}, {});
  expect(page({ limit: 2 })).toMatchObject({ next: null, total: 2 });
  expect(page({ limit: 1 })).toMatchObject({ next: '2', total: 2 });
  expect(page({ server: 'nobody' })).toEqual({ calls: [], next: null, total: 0, totalIsLeast: false });
});

test('beyond a limit they are not counted', () => {
  given(...Array.from({ length: CALLS_COUNTED_MAX + 5 }, () => ({})));
  expect(page({ limit: 1 })).toMatchObject({ total: CALLS_COUNTED_MAX, totalIsLeast: true });
});

test('one call is shown with what it passed, in which process, and why it failed', () => {
  given({
    instance: 'weather@s1',
    outcome: 'error',
    errorCode: -32000,
    error: 'the service is down',
    marks: [MARK.sent, 0.51239, MARK.answered, 12.25],
  });
  expect(store.answer({ about: 'call', id: 1 })).toMatchObject({
    call: {
      id: 1,
      session: 's1',
      instance: 'weather@s1',
      error: 'the service is down',
      stages: [
        { name: 'turn', fromMs: 0, toMs: 0.512 },
        { name: 'server', fromMs: 0.512, toMs: 12.25 },
      ],
    },
  });
  expect(store.answer({ about: 'call', id: 2 })).toEqual({ about: 'call', call: null });
});
