import { expect, test } from 'vitest';
import { isLonely, plotData, STEPS, timeTicks } from './plot-axis.ts';

test('a plot with one sample is of a minute and not of years', () => {
  expect(plotData([100_000], [[7]])).toEqual([
    [40, 100],
    [null, 7],
  ]);
  expect(plotData([], [[]])).toEqual([[], []]);
  expect(plotData([0, 60_000], [[7, 8]])).toEqual([
    [0, 60],
    [7, 8],
  ]);
});

test('moments are read by a clock of 24 hours, with seconds only where they differ', () => {
  const evening = new Date(2026, 10, 30, 21, 5, 30).getTime() / 1000;
  expect(timeTicks([evening, evening + 5], 5)).toEqual(['21:05:30', '21:05:35']);
  expect(timeTicks([evening - 30, evening + 270], 300)).toEqual(['21:05', '21:10']);
});

test('lines of an axis are whole numbers, or round sizes, apart', () => {
  expect(STEPS.whole.every(Number.isInteger)).toBe(true);
  expect(STEPS.whole.slice(0, 3)).toEqual([1, 2, 5]);
  expect(STEPS.bytes).toContain(20 * 1024 ** 2);
  expect(STEPS.bytes).toEqual(STEPS.bytes.toSorted((a, b) => a - b));
});

test('one value among gaps is drawn as a point', () => {
  expect([isLonely([null, 4, null]), isLonely([3, 4]), isLonely([])]).toEqual([true, false, false]);
});
