import { expect, test } from 'vitest';
import { TREE_SAMPLES_KEPT } from '../figures-limits.ts';
import type { ProcessRow } from './process-table.ts';
import { TreeHistory } from './tree-history.ts';

const START = 1_700_000_000_000;

function row(pid: number, cpuMs: number | null, more: Partial<ProcessRow> = {}): ProcessRow {
  return { pid, ppid: 1, pgid: pid, startTime: 't', zombie: false, rssBytes: 1000, cpuMs, marker: null, ...more };
}

function cpuOf(...looks: ProcessRow[][]): (number | null)[] {
  const history = new TreeHistory();
  for (const [index, rows] of looks.entries()) history.look(START + index * 2000, index * 2000, rows);
  return history.samples().cpuPercent;
}

test('memory and processes of all members are added up', () => {
  const history = new TreeHistory();
  history.look(START, 0, [row(10, 0), row(11, 0, { rssBytes: 500 })]);
  expect(history.now()).toEqual({ at: START, processes: 2, rssBytes: 1500, cpuPercent: null });
});

test('a core that two processes keep busy together is a hundred percent', () => {
  expect(cpuOf([row(10, 5000), row(11, 0)], [row(10, 6500), row(11, 500)], [row(10, 6500), row(11, 500)])).toEqual([
    null,
    100,
    0,
  ]);
});

test('a new process counts from its beginning, also under a number that was used before', () => {
  expect(cpuOf([row(10, 0)], [row(10, 0), row(11, 1000)])).toEqual([null, 50]);
  expect(cpuOf([row(10, 90_000)], [row(10, 1000, { startTime: 'later' })])).toEqual([null, 50]);
});

test('a process that has ended takes nothing away', () => {
  expect(cpuOf([row(10, 0), row(11, 90_000)], [row(10, 200)])).toEqual([null, 10]);
});

test('where the system tells no processor time, there is none', () => {
  expect(cpuOf([row(10, null)], [row(10, null)])).toEqual([null, null]);
});

test('after a rest the next process is not measured against the one before', () => {
  const history = new TreeHistory();
  history.look(START, 0, [row(10, 0)]);
  history.rest();
  expect(history.now()).toBeNull();
  expect(history.last()?.at).toBe(START);
  history.look(START + 60_000, 60_000, [row(20, 30_000)]);
  expect(history.now()?.cpuPercent).toBeNull();
});

test('the oldest samples give way', () => {
  const history = new TreeHistory();
  for (let look = 0; look < TREE_SAMPLES_KEPT + 5; look++) history.look(START + look, look, [row(10, 0)]);
  const { at, rssBytes, cpuPercent } = history.samples();
  expect([at.length, rssBytes.length, cpuPercent.length]).toEqual(Array(3).fill(TREE_SAMPLES_KEPT));
  expect(at[0]).toBe(START + 5);
});

test('the processor time of all that was seen never falls, whatever ends', () => {
  const history = new TreeHistory();
  history.look(START, 0, [row(10, 1000), row(11, 4000)]);
  history.look(START + 1000, 1000, [row(10, 1500)]);
  history.rest();
  history.look(START + 9000, 9000, [row(20, 300)]);
  expect(history.cpuMs).toBe(5800);
  history.look(START + 10_000, 10_000, [row(20, null)]);
  expect(history.cpuMs).toBeNull();
});
