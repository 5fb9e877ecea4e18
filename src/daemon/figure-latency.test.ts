import { expect, test } from 'vitest';
import { LatencyHistogram } from './figure-latency.ts';

const HALF_HOUR = 30 * 60_000;
const START = 900_000 * HALF_HOUR;
/** A bucket is a tenth wide, and its edge is rounded up to three digits. */
const ABOVE = 1.11;

function of(...latencies: number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const ms of latencies) histogram.add(START, ms);
  return histogram;
}

test('without a call there are no percentiles', () => {
  expect(of().figures(START)).toEqual({ count: 0, p50: null, p95: null, p99: null });
});

test('percentiles are bounds, never below what was measured and at most a tenth above, from a tenth of a millisecond to an hour', () => {
  for (const ms of [0.1, 0.35, 1, 7, 42, 999, 60_000, 3_600_000]) {
    const { p50, p95, p99 } = of(ms).figures(START);
    for (const read of [p50, p95, p99]) {
      expect(read, `${ms} ms`).toBeGreaterThanOrEqual(ms);
      expect(read, `${ms} ms`).toBeLessThan(ms * ABOVE);
    }
  }
});

test('the percentiles of a thousand calls are those of their ranks', () => {
  const { count, p50, p95, p99 } = of(...Array.from({ length: 1000 }, (_, index) => index + 1)).figures(START);
  expect(count).toBe(1000);
  for (const [read, exact] of [
    [p50, 500],
    [p95, 950],
    [p99, 990],
  ] as const) {
    expect(read).toBeGreaterThanOrEqual(exact);
    expect(read).toBeLessThan(exact * ABOVE);
  }
});

test('what cannot be told apart is at either end', () => {
  expect(of(0).figures(START).p50).toBe(0.1);
  expect(of(Number.MAX_VALUE).figures(START).p50).toBeGreaterThan(3_500_000);
});

test('calls count for half an hour to an hour', () => {
  const histogram = of(10);
  expect(histogram.figures(START + HALF_HOUR).count).toBe(1);
  histogram.add(START + HALF_HOUR, 10);
  expect(histogram.figures(START + 2 * HALF_HOUR).count).toBe(1);
  expect(histogram.figures(START + 9 * HALF_HOUR).count).toBe(0);
});

test('a clock that is set back a little loses nothing', () => {
  const histogram = of(10);
  histogram.add(START - 1, 10);
  expect(histogram.figures(START).count).toBe(2);
});
