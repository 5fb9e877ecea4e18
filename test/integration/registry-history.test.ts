import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHistory, type History } from '../../registry/history.ts';
import type { CallRecord } from '../../src/core/call-record.ts';
import { HISTORY_QUEUE_ROWS_MAX, HISTORY_ROWS_PER_SECOND_MAX } from '../../src/operation-limits.ts';
import { bundled } from '../harness/bundled-source.ts';
import { aCall, asItIs, begunAt } from '../harness/call-record.ts';
import { until } from '../harness/until.ts';

let programs: string;
let worker: string;
let home: string;
let path: string;
let lostMark: string;
let history: History;
beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'mcpd-history-worker-'));
  worker = await bundled('registry/history-worker.ts', programs);
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcpd-history-'));
  path = join(home, 'history.db');
  lostMark = join(home, 'lost');
  history = createHistory({ path, begun: begunAt(1), lostMark, mask: asItIs, worker });
});
afterEach(async () => {
  await history.close('mcpd down');
  rmSync(home, { recursive: true, force: true });
});

function call(at: number, outcome: CallRecord['outcome'] = 'ok'): CallRecord {
  return aCall(at, { outcome, errorCode: outcome === 'error' ? -32603 : null });
}

const newest = async (limit = 10) => (await history.calls({ limit })).calls.map(({ at }) => at);

async function again(): Promise<void> {
  await history.close('mcpd down');
  history = createHistory({ path, begun: begunAt(1), lostMark, mask: asItIs, worker });
}

test('calls and transitions are there at once, newest first, and after the next start', async () => {
  for (const at of [1, 2, 3]) history.recordCall(call(at, at === 2 ? 'error' : 'ok'));
  history.recordTransition({
    at: 4,
    server: 'weather',
    instance: 'weather',
    from: 'stopped',
    to: 'starting',
    reason: 'a call',
  });
  expect(await newest()).toEqual([3, 2, 1]);
  expect((await history.timeline('weather', 5)).transitions).toHaveLength(1);
  expect(history.totals()).toEqual({ calls: 3, errors: 1, sampledOut: 0 });
  await again();
  expect(await newest(2)).toEqual([3, 2]);
  expect(history.findings()).toEqual([]);
});

test('a call has its number when it is recorded, and a call of a later daemon has a higher one', async () => {
  const first = [history.recordCall(call(1)), history.recordCall(call(2))];
  const ids = async () => (await history.calls({ limit: 10 })).calls.map(({ id }) => id);
  expect(await ids()).toEqual([...first].reverse());
  await again();
  const later = history.recordCall(call(3)) ?? 0;
  expect(await ids()).toEqual([later, ...[...first].reverse()]);
  expect(later).toBeGreaterThan(first[1] ?? 0);
});

test('a call after the clock was set back has a higher number than those before, and stays the newest', async () => {
  const before = history.recordCall(call(1)) ?? 0;
  await history.close('mcpd down');
  // As a daemon whose clock was a day ahead had left it.
  const ahead = before + 86_400_000_000;
  const db = new Database(path);
  db.prepare('UPDATE calls SET id = ?').run(ahead);
  db.close();
  history = createHistory({ path, begun: begunAt(1), lostMark, mask: asItIs, worker });
  const after = history.recordCall(call(2)) ?? 0;
  expect(after).toBeGreaterThan(ahead);
  expect((await history.calls({ limit: 10 })).calls.map(({ id }) => id)).toEqual([after, ahead]);
  await again();
  expect(history.recordCall(call(3))).toBeGreaterThan(after);
});

test('the end of a daemon is written down, also when the thread rests by then; a daemon that recorded nothing leaves no mark', async () => {
  const begin = (at: number) => createHistory({ path, begun: begunAt(at), lostMark, mask: asItIs, worker, idleMs: 1 });
  await history.close('mcpd down');
  history = begin(10);
  const change = { server: 'weather', instance: 'weather', from: 'stopped', to: 'starting', reason: 'a call' } as const;
  history.recordTransition({ at: 11, ...change });
  await newest();
  await until('the thread to end', () => !existsSync(`${path}-wal`));
  await history.close('mcpd down');
  history = begin(20);
  await history.close('a signal');
  history = begin(30);
  const { daemons } = await history.timeline('weather', 10);
  expect(daemons.map(({ mark }) => mark)).toEqual(['began', 'ended']);
  expect(daemons[0]?.at).toBe(30);
  expect(daemons[1]?.reason).toBe('mcpd down');
});

test('what was recorded just before the end is written, and what comes later is only counted', async () => {
  history.recordCall(call(1));
  const closing = history.close('mcpd down');
  history.recordCall(call(2));
  await closing;
  expect(history.totals()).toEqual({ calls: 2, errors: 0, sampledOut: 1 });
  history = createHistory({ path, begun: begunAt(1), lostMark, mask: asItIs, worker });
  expect(await newest()).toEqual([1]);
});

test.runIf(process.platform !== 'win32')('the file is for its owner alone', async () => {
  history.recordCall(call(1));
  await newest();
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
});

test('a flood is counted exactly, and what is not in the file is counted too', async () => {
  const calls = 10 * HISTORY_ROWS_PER_SECOND_MAX;
  const numbered = [];
  for (let at = 0; at < calls; at++) numbered.push(history.recordCall(call(at, at % 100 === 0 ? 'lost' : 'ok')));
  const rows = await newest(calls);
  expect(numbered.filter((id) => id !== null)).toHaveLength(rows.length);
  const { sampledOut, ...counted } = history.totals();
  expect(counted).toEqual({ calls, errors: calls / 100 });
  expect(rows.length + sampledOut).toBe(calls);
  expect(rows.length).toBeGreaterThan(HISTORY_ROWS_PER_SECOND_MAX / 2);
  expect(rows.length).toBeLessThanOrEqual(HISTORY_QUEUE_ROWS_MAX);
});

test('a damaged history is put aside, said, and begun anew with the very calls that found it', async () => {
  await again();
  writeFileSync(path, 'no database\n'.repeat(1000));
  history.recordCall(call(7));
  expect(await newest()).toEqual([7]);
  expect(history.findings()).toEqual([expect.stringContaining(`moved to ${path}.damaged and begun anew`)]);
  expect(readFileSync(`${path}.damaged`, 'utf8')).toContain('no database');
  expect(history.totals().sampledOut).toBe(0);
});

test('a history that cannot be written switches itself off, says so, counts what is lost and answers with nothing', async () => {
  mkdirSync(path);
  history.recordCall(call(1));
  await until('the loss to be counted', () => history.totals().sampledOut === 1);
  expect(history.findings()).toEqual([expect.stringMatching(/^the call history is switched off: /)]);
  history.recordCall(call(2));
  expect(await newest()).toEqual([]);
  await until('the second loss to be counted', () => history.totals().sampledOut === 2);
  expect(history.totals().calls).toBe(2);
});

test('a thread without work ends, and the next call is written by another', async () => {
  await history.close('mcpd down');
  let begun = 0;
  history = createHistory({
    ...{ path, begun: begunAt(1), lostMark, mask: asItIs, worker, idleMs: 1 },
    threadBegan: () => begun++,
  });
  for (let at = 1; at <= 5; at++) {
    history.recordCall(call(at));
    expect(await newest(1)).toEqual([at]);
    // Its last connection removes the log: the thread is gone.
    await until('the thread to end', () => !existsSync(`${path}-wal`));
  }
  expect(begun, 'threads that have begun').toBe(5);
  expect(history.totals()).toEqual({ calls: 5, errors: 0, sampledOut: 0 });
  expect(history.findings()).toEqual([]);
});

test('a thread that cannot be started at all is like one that died', async () => {
  await history.close('mcpd down');
  history = createHistory({ path, begun: begunAt(1), lostMark, mask: asItIs, worker: 'no-path.mjs' });
  history.recordCall(call(1));
  expect(await newest()).toEqual([]);
  expect(history.findings()).toEqual([expect.stringMatching(/switched off: its thread died/)]);
  expect(history.totals().sampledOut).toBe(1);
});

test('without its thread the history is off and says so, and nobody waits', async () => {
  await history.close('mcpd down');
  history = createHistory({ path, begun: begunAt(1), lostMark, mask: asItIs, worker: join(home, 'missing.mjs') });
  history.recordCall(call(1));
  await expect(newest()).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(history.findings()).toEqual([expect.stringMatching(/switched off: its thread died/)]);
  expect(await newest()).toEqual([]);
  history.recordCall(call(2));
  await history.close('mcpd down');
  expect(history.totals()).toEqual({ calls: 2, errors: 0, sampledOut: 2 });
});
