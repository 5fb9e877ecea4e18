import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogLine } from './contract.ts';
import { inOrder, withoutOverlap } from './log-follow.ts';

const lines = (...texts: string[]): LogLine[] =>
  texts.map((text, at) => ({ at, source: 'stderr', level: 'info', text }));

test('lines that were read both ways come once', () => {
  const all = lines('a', 'b', 'c', 'd');
  expect(withoutOverlap(all.slice(0, 3), all.slice(1))).toEqual(all.slice(3));
  expect(withoutOverlap(all, all)).toEqual([]);
});

test('lines without overlap all come', () => {
  const all = lines('a', 'b', 'c');
  expect(withoutOverlap(all.slice(0, 1), all.slice(1))).toEqual(all.slice(1));
  expect(withoutOverlap([], all)).toEqual(all);
});

test('wherever a log is cut in two overlapping parts, together they are the log', () => {
  const cut = fc.record({ log: fc.array(fc.string()), from: fc.nat(), to: fc.nat() });
  fc.assert(
    fc.property(cut, ({ log, from, to }) => {
      const all = lines(...log);
      const end = to % (all.length + 1);
      const start = from % (end + 1);
      expect([...all.slice(0, end), ...withoutOverlap(all.slice(0, end), all.slice(start))]).toEqual(all);
    }),
  );
});

test('lines of the protocol come among the others by their time, and each kind stays in its order', () => {
  const at = (time: number, text: string): LogLine => ({ at: time, source: 'stderr', level: 'info', text });
  const log = [at(1, 'a'), at(3, 'b'), at(3, 'c')];
  const told = [at(2, 'x'), at(3, 'y'), at(1, 'z')];
  expect(inOrder(log, told).map(({ text }) => text)).toEqual(['a', 'x', 'b', 'c', 'y', 'z']);
  expect(inOrder([], told)).toEqual(told);
  expect(inOrder(log, [])).toEqual(log);
});
