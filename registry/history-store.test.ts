import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CallQuery, CallRow } from '../src/api/contract/calls.ts';
import { HISTORY_ROWS_KEPT } from '../src/operation-limits.ts';
import { aCall, asItIs } from '../test/harness/call-record.ts';
import { openDatabase } from './db.ts';
import { packCalls } from './history-batch.ts';
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
  let store = openHistoryStore(path);
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
  store = openHistoryStore(path);
  for (let from = HISTORY_ROWS_KEPT; from < 2 * HISTORY_ROWS_KEPT; from += batch) write(from);
  const calls = callsOf(store, { limit: 10 * HISTORY_ROWS_KEPT });
  store.close();
  expect(calls).toHaveLength(HISTORY_ROWS_KEPT);
  expect(calls[0]?.at).toBe(2 * HISTORY_ROWS_KEPT - 1);
  expect(calls.at(-1)?.at).toBe(HISTORY_ROWS_KEPT);
  expect(statSync(path).size).toBeLessThan(1.3 * sizeWhenFull);
});

test('what happened to a server is asked for newest first', () => {
  const store = openHistoryStore(path);
  store.write(packCalls([], 1, asItIs), [
    { at: 4, server: 'weather', instance: 'weather', from: 'stopped', to: 'starting', reason: 'a call' },
    { at: 5, server: 'weather', instance: 'weather', from: 'starting', to: 'running', reason: 'ready' },
    { at: 6, server: 'todo', instance: 'todo', from: 'stopped', to: 'starting', reason: 'a call' },
  ]);
  expect(store.answer({ about: 'transitions', limit: 1, server: 'weather' })).toEqual({
    about: 'transitions',
    rows: [{ at: 5, server: 'weather', instance: 'weather', from: 'starting', to: 'running', reason: 'ready' }],
  });
  store.close();
});

test('a file of an earlier mcpd is read on: its calls come before all others, without marks', () => {
  const old = openDatabase(path, { migrations: [HISTORY_INIT], cacheBytes: 65_536 });
  old.exec(`INSERT INTO calls (at, session, host, server, method, target, queued_ms, total_ms, outcome, request_bytes, response_bytes)
    VALUES (1, 's0', 'editor', 'weather', 'tools/call', 'forecast', 4, 10, 'ok', 7, 8)`);
  old.close();
  const store = openHistoryStore(path);
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
