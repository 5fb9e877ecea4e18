import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CallRecord } from '../src/core/model.ts';
import { HISTORY_ROWS_KEPT } from '../src/operation-limits.ts';
import { packCalls } from './history-batch.ts';
import { openHistoryStore } from './history-store.ts';

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcpd-history-'));
  path = join(home, 'history.db');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function call(at: number, server = 'weather'): CallRecord {
  return {
    at,
    session: 's1',
    host: 'editor',
    server,
    method: 'tools/call',
    target: 'forecast',
    queuedMs: 0.5,
    totalMs: 12.25,
    outcome: 'ok',
    errorCode: null,
    requestBytes: 100,
    responseBytes: 2000,
    traceparent: null,
  };
}

test('the newest rows are kept, the oldest go, and the file stops growing', () => {
  const store = openHistoryStore(path);
  const batch = 5000;
  const write = (from: number) =>
    store.write(
      packCalls(
        Array.from({ length: batch }, (_, index) => call(from + index)),
        from,
      ),
      [],
    );
  for (let from = 0; from < HISTORY_ROWS_KEPT; from += batch) write(from);
  const sizeWhenFull = statSync(path).size;
  for (let from = HISTORY_ROWS_KEPT; from < 2 * HISTORY_ROWS_KEPT; from += batch) write(from);
  const answer = store.answer({ about: 'calls', limit: 10 * HISTORY_ROWS_KEPT, server: null });
  store.close();
  expect(answer.rows).toHaveLength(HISTORY_ROWS_KEPT);
  expect(answer.rows[0]?.at).toBe(2 * HISTORY_ROWS_KEPT - 1);
  expect(answer.rows.at(-1)?.at).toBe(HISTORY_ROWS_KEPT);
  expect(statSync(path).size).toBeLessThan(1.3 * sizeWhenFull);
});

test('rows are asked for newest first, of all servers or of one', () => {
  const store = openHistoryStore(path);
  store.write(packCalls([call(1), call(2, 'todo'), { ...call(3), outcome: 'error', errorCode: -32000 }], 1), [
    { at: 4, server: 'weather', instance: 'weather', from: 'stopped', to: 'starting', reason: 'a call' },
    { at: 5, server: 'weather', instance: 'weather', from: 'starting', to: 'running', reason: 'ready' },
  ]);
  const ats = (limit: number, server: string | null) =>
    store.answer({ about: 'calls', limit, server }).rows.map(({ at }) => at);
  expect(ats(10, null)).toEqual([3, 2, 1]);
  expect(ats(10, 'weather')).toEqual([3, 1]);
  expect(ats(1, null)).toEqual([3]);
  expect(ats(-1, null)).toEqual([]);
  const { session: _, traceparent: __, ...row } = { ...call(3), id: 3, outcome: 'error', errorCode: -32000 };
  expect(store.answer({ about: 'calls', limit: 1, server: null }).rows).toEqual([row]);
  expect(store.answer({ about: 'transitions', limit: 1, server: 'weather' }).rows).toEqual([
    { at: 5, server: 'weather', instance: 'weather', from: 'starting', to: 'running', reason: 'ready' },
  ]);
  store.close();
});
