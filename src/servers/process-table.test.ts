import { expect, test } from 'vitest';
import { familyBytes, type ProcessRow, ProcessTable } from './process-table.ts';

function row(pid: number, ppid: number, more: Partial<ProcessRow> = {}): ProcessRow {
  return { pid, ppid, pgid: pid, startTime: `t${pid}`, zombie: false, rssBytes: 1000, cpuMs: 0, marker: null, ...more };
}
function root(pid: number, known: [number, string][] = []) {
  return { leader: { pid, startTime: `t${pid}` }, known: new Map(known), marker: `m${pid}` };
}
const pids = (rows: ProcessRow[]) => rows.map((one) => one.pid).sort((a, b) => a - b);

test('a family is the leader, its group and all descendants, also those with a session of their own', () => {
  const table = new ProcessTable([
    row(1, 0),
    row(10, 1),
    row(11, 10, { pgid: 10 }),
    row(12, 11, { pgid: 12 }),
    row(13, 12, { pgid: 12 }),
    row(20, 1),
  ]);
  expect(pids(table.family(root(10)))).toEqual([10, 11, 12, 13]);
  expect(familyBytes(table.family(root(10)))).toBe(4000);
});

test('a member that was handed to init is found by its group, by an earlier look, or by the marker', () => {
  const orphans = [
    row(1, 0),
    row(11, 1, { pgid: 10 }),
    row(12, 1, { pgid: 12 }),
    row(13, 1, { pgid: 13, marker: 'm10' }),
    row(14, 1),
  ];
  expect(pids(new ProcessTable(orphans).family(root(10, [[12, 't12']])))).toEqual([11, 12, 13]);
});

test('a number that was reused names a stranger: neither it nor its group is touched', () => {
  const table = new ProcessTable([
    row(1, 0),
    row(10, 1, { startTime: 'later' }),
    row(11, 10, { pgid: 10 }),
    row(12, 1, { startTime: 'later' }),
  ]);
  expect(table.family(root(10, [[12, 't12']]))).toEqual([]);
});

test('zombies are not alive, but their children are', () => {
  const table = new ProcessTable([row(1, 0), row(10, 1, { zombie: true }), row(11, 10, { pgid: 11 })]);
  expect(pids(table.family(root(10)))).toEqual([11]);
});

test('ancestors end at the first process, also in a table that was read while processes moved', () => {
  const table = new ProcessTable([row(1, 0), row(10, 1), row(11, 10), row(30, 31), row(31, 30)]);
  expect([...table.ancestorsOf(11)]).toEqual([11, 10, 1]);
  expect([...table.ancestorsOf(30)]).toEqual([30, 31]);
});
