import { expect, test } from 'vitest';
import { type ProcessRow, ProcessTable } from './process-table.ts';
import { treeOf } from './process-tree.ts';

function row(pid: number, ppid: number, more: Partial<ProcessRow> = {}): ProcessRow {
  return { pid, ppid, pgid: pid, startTime: `t${pid}`, zombie: false, rssBytes: pid, cpuMs: 0, marker: null, ...more };
}
const family = { leader: { pid: 10, startTime: 't10' }, known: new Map<number, string>(), marker: 'm' };
const commandOf = (pid: number) => `command ${pid}`;
const leaf = (pid: number) => ({ pid, command: `command ${pid}`, rssBytes: pid, children: [] });

test('descendants hang below the leader, and what was handed to init is a stray with its own below it', () => {
  const table = new ProcessTable([
    row(1, 0),
    row(10, 1),
    row(11, 10),
    row(12, 11),
    row(31, 30, { marker: 'm' }),
    row(30, 1, { pgid: 10 }),
    row(99, 1),
  ]);
  expect(treeOf(table, family, commandOf)).toEqual({
    root: { ...leaf(10), children: [{ ...leaf(11), children: [leaf(12)] }] },
    strays: [{ ...leaf(30), children: [leaf(31)] }],
  });
});

test('without its leader a family has strays only', () => {
  expect(treeOf(new ProcessTable([row(1, 0), row(11, 1, { pgid: 10 })]), family, commandOf)).toEqual({
    root: null,
    strays: [leaf(11)],
  });
});

test('a long command line is cut', () => {
  const shown = treeOf(new ProcessTable([row(10, 1)]), family, () => 'x'.repeat(10_000)).root?.command ?? '';
  expect(shown.length).toBeLessThan(500);
  expect(shown.endsWith('…')).toBe(true);
});
