import { expect, test } from 'vitest';
import type { LedgerRow } from '../core/model.ts';
import { markerOf } from './marker.ts';
import { type ProcessRow, ProcessTable } from './process-table.ts';
import { leftovers } from './reaper.ts';

const now = { home: '/home/a/.mcpd', nonce: 'new' };
const before = markerOf({ ...now, nonce: 'old' }, 'weather', 1);
const SELF = 50;

function row(pid: number, ppid: number, marker: string | null, more: Partial<ProcessRow> = {}): ProcessRow {
  return { pid, ppid, pgid: pid, startTime: `t${pid}`, zombie: false, rssBytes: 0, cpuMs: 0, marker, ...more };
}
const entry = (pid: number, more: Partial<LedgerRow> = {}): LedgerRow => ({
  instance: 'weather',
  generation: 1,
  server: 'weather',
  pid,
  pgid: pid,
  startTime: `t${pid}`,
  marker: before,
  nonce: 'old',
  at: 0,
  ...more,
});
const found = (rows: ProcessRow[], ledger: LedgerRow[] = []) =>
  leftovers(new ProcessTable([row(1, 0, null), row(SELF, 1, null), ...rows]), now, ledger, SELF)
    .map((one) => one.pid)
    .sort((a, b) => a - b);

test('what bears the marker of an earlier daemon of this home is a leftover, wherever it went', () => {
  expect(found([row(10, 1, before), row(11, 1, before, { pgid: 99 })])).toEqual([10, 11]);
});

test('processes of this daemon, of other homes, and zombies are none', () => {
  const rows = [
    row(10, SELF, markerOf(now, 'weather', 1)),
    row(11, 1, markerOf({ home: '/home/b/.mcpd', nonce: 'old' }, 'weather', 1)),
    row(12, 1, before, { zombie: true }),
    row(13, 1, null),
  ];
  expect(found(rows)).toEqual([]);
});

test('a stranger that got the pid of a ledger entry is never hit, by start time or by marker', () => {
  expect(found([row(10, 1, null)], [entry(10)])).toEqual([]);
  expect(found([row(10, 1, null, { startTime: 'later' })], [entry(10)])).toEqual([]);
  expect(found([row(10, 1, null, { startTime: 'later' }), row(11, 10, null)], [entry(10)])).toEqual([]);
});

test('the family of a ledger entry that is proven goes too, also what cleared its environment', () => {
  expect(found([row(10, 1, before), row(11, 10, null), row(12, 1, null, { pgid: 10 })], [entry(10)])).toEqual([
    10, 11, 12,
  ]);
});

test('the daemon and what it was started from are spared, whatever they bear', () => {
  const table = new ProcessTable([row(1, 0, null), row(40, 1, before), row(SELF, 40, before), row(41, 40, before)]);
  expect(leftovers(table, now, [entry(40)], SELF).map((one) => one.pid)).toEqual([41]);
});
