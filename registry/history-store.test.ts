import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CallQuery, CallRow } from '../src/api/contract/calls.ts';
import { HISTORY_ROWS_KEPT } from '../src/operation-limits.ts';
import { aCall, asItIs, begunAt, unseen } from '../test/harness/call-record.ts';
import { openDatabase } from './db.ts';
import { packCalls } from './history-batch.ts';
import type { Timeline } from './history-messages.ts';
import { type HistoryStore, openHistoryStore } from './history-store.ts';
import { HISTORY_INIT } from './migrations/history-0001-init.ts';

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcpd-history-'));
  path = join(home, 'history.db');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('the newest rows are kept, the oldest go, and the file stops growing', () => {
  let store = openHistoryStore(path, begunAt(1), unseen);
  const batch = 5000;
  const write = (from: number) =>
    store.write(
      packCalls(
        Array.from({ length: batch }, (_, index) => aCall(from + index)),
        from,
        asItIs,
      ),
      [],
    );
  for (let from = 0; from < HISTORY_ROWS_KEPT; from += batch) write(from);
  // All that is in the log beside the file goes into it now.
  store.close();
  const sizeWhenFull = statSync(path).size;
  store = openHistoryStore(path, begunAt(1), unseen);
  for (let from = HISTORY_ROWS_KEPT; from < 2 * HISTORY_ROWS_KEPT; from += batch) write(from);
  const calls = callsOf(store, { limit: 10 * HISTORY_ROWS_KEPT });
  store.close();
  expect(calls).toHaveLength(HISTORY_ROWS_KEPT);
  expect(calls[0]?.at).toBe(2 * HISTORY_ROWS_KEPT - 1);
  expect(calls.at(-1)?.at).toBe(HISTORY_ROWS_KEPT);
  expect(statSync(path).size).toBeLessThan(1.3 * sizeWhenFull);
});

test('what happened to a server is asked for newest first', () => {
  const store = openHistoryStore(path, begunAt(1), unseen);
  store.write(packCalls([], 1, asItIs), [
    { at: 4, server: 'weather', instance: 'weather', from: 'stopped', to: 'starting', reason: 'a call' },
    { at: 5, server: 'weather', instance: 'weather', from: 'starting', to: 'running', reason: 'ready' },
    { at: 6, server: 'todo', instance: 'todo', from: 'stopped', to: 'starting', reason: 'a call' },
  ]);
  expect(timelineOf(store, 1)).toEqual({
    transitions: [{ at: 5, server: 'weather', instance: 'weather', from: 'starting', to: 'running', reason: 'ready' }],
    daemons: [],
  });
  store.close();
});

const RUNNING = { server: 'weather', instance: 'weather', from: 'starting', to: 'running', reason: 'ready' } as const;

/** A daemon that began at `at`, saw the server run, and ended with these words or without a word. */
function daemon(at: number, ended: string | null, lostAt: number | null = null): HistoryStore {
  const store = openHistoryStore(path, begunAt(at), () => lostAt);
  store.write(packCalls([], 1, asItIs), [{ at: at + 5, ...RUNNING }]);
  if (ended !== null) store.end(at + 9, ended);
  store.close();
  return openHistoryStore(path, begunAt(at), () => lostAt);
}

test('a timeline goes over the ends of daemons: those in order, those that were seen to die, and those that nobody saw', () => {
  daemon(10, 'mcpd down').close();
  daemon(20, null).close();
  // The guardian saw the second die, and nobody the third: its last record must do.
  daemon(30, null, 27).close();
  const store = daemon(40, null, 27);
  expect(timelineOf(store, 10).transitions.map(({ at }) => at)).toEqual([45, 35, 25, 15]);
  expect(timelineOf(store, 10).daemons.map(({ at, mark }) => `${at} ${mark}`)).toEqual([
    '40 began',
    '35 lost',
    '30 began',
    '27 lost',
    '20 began',
    '19 ended',
  ]);
  expect(timelineOf(store, 10).daemons[1]?.reason).toContain('this is its last record');
  store.close();
});

test('a daemon that only reads shows its own begin, and writes nothing for it', () => {
  daemon(10, null).close();
  const size = statSync(path).size;
  const reader = openHistoryStore(path, begunAt(20), () => 17);
  expect(timelineOf(reader, 10).daemons.map(({ at, mark }) => `${at} ${mark}`)).toEqual(['20 began', '17 lost']);
  reader.close();
  expect(statSync(path).size).toBe(size);
  const later = openHistoryStore(path, begunAt(30), () => 17);
  expect(timelineOf(later, 10).daemons.map(({ at, mark }) => `${at} ${mark}`)).toEqual(['30 began', '17 lost']);
  later.close();
});

test('a thread that is started again for the same daemon marks its begin once', () => {
  daemon(10, null).close();
  const store = daemon(20, null);
  store.write(packCalls([], 1, asItIs), [{ at: 27, ...RUNNING }]);
  expect(timelineOf(store, 10).daemons.filter(({ mark }) => mark === 'began')).toHaveLength(1);
  store.close();
});

test('a file of an earlier mcpd is read on: its calls come before all others, without marks', () => {
  const old = openDatabase(path, { migrations: [HISTORY_INIT], cacheBytes: 65_536 });
  old.exec(`INSERT INTO calls (at, session, host, server, method, target, queued_ms, total_ms, outcome, request_bytes, response_bytes)
    VALUES (1, 's0', 'editor', 'weather', 'tools/call', 'forecast', 4, 10, 'ok', 7, 8)`);
  old.close();
  const store = openHistoryStore(path, begunAt(1), unseen);
  store.write(packCalls([aCall(2)], Date.now() * 1000, asItIs), []);
  expect(callsOf(store, {}).map(({ at }) => at)).toEqual([2, 1]);
  expect(store.answer({ about: 'call', id: 1 })).toMatchObject({
    call: {
      at: 1,
      instance: '',
      error: null,
      stages: [
        { name: 'turn', fromMs: 0, toMs: 4 },
        { name: 'server', fromMs: 4, toMs: 10 },
      ],
    },
  });
  store.close();
});

function callsOf(store: HistoryStore, query: CallQuery): CallRow[] {
  const answer = store.answer({ about: 'calls', query });
  return answer.about === 'calls' ? answer.page.calls : [];
}

function timelineOf(store: HistoryStore, limit: number): Timeline {
  const answer = store.answer({ about: 'timeline', limit, server: 'weather' });
  if (answer.about !== 'timeline') throw new RangeError(answer.about);
  return answer.timeline;
}
