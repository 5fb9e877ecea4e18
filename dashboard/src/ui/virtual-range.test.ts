import { expect, test } from 'vitest';
import { rangeAround, rowsToDraw, topToShow } from './virtual-range.ts';

test('of a hundred thousand rows only those near the view are drawn', () => {
  expect(rowsToDraw({ top: 100_000, height: 600, rowHeight: 20, count: 100_000 })).toEqual({ first: 4992, end: 5038 });
});

test('a view beyond the end, as after a filter, draws nothing that is not there', () => {
  expect(rowsToDraw({ top: 90_000, height: 600, rowHeight: 20, count: 3 })).toEqual({ first: 3, end: 3 });
  expect(rowsToDraw({ top: 0, height: 600, rowHeight: 20, count: 3 })).toEqual({ first: 0, end: 3 });
});

test('a row that is in view moves nothing, one that is not is brought to the nearer edge', () => {
  const view = { top: 100, height: 200, rowHeight: 20 };
  expect([7, 2, 20].map((at) => topToShow(at, view))).toEqual([100, 40, 220]);
});

test('rows that came near make one range, which is the same one as long as nothing changed', () => {
  const before = { first: 3, end: 8 };
  expect(rangeAround([7, 3, 5], before)).toBe(before);
  expect(rangeAround([7, 4], before)).toEqual({ first: 4, end: 8 });
});
