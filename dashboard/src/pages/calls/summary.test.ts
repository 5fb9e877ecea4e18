import { expect, test } from 'vitest';
import { summaryOf } from './summary.ts';

const ALL = { shown: 23, total: 23, totalIsLeast: false, leftOut: 0, isFiltered: false };

test('a list that shows everything says how many there are', () => {
  expect(summaryOf(ALL)).toBe('23 calls');
  expect(summaryOf({ ...ALL, shown: 1, total: 1 })).toBe('1 call');
});

test('what filters let through is not told as all calls', () => {
  expect(summaryOf({ ...ALL, shown: 3, total: 3, isFiltered: true })).toBe('3 calls like that');
  expect(summaryOf({ ...ALL, shown: 100, total: 240, isFiltered: true })).toBe('100 of 240 calls like that shown');
});

test('a part says of how many, or that nobody counted them, and what it leaves out', () => {
  expect(summaryOf({ ...ALL, shown: 100, total: 240 })).toBe('100 of 240 calls shown');
  expect(summaryOf({ ...ALL, shown: 100, total: 900, totalIsLeast: true })).toBe('100 of more than 900 calls shown');
  expect(summaryOf({ ...ALL, leftOut: 7 })).toBe('23 calls; 7 came too fast to be shown as they came');
});
