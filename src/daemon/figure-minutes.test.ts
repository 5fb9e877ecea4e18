import { expect, test } from 'vitest';
import { MinuteCounters, noMinutes } from './figure-minutes.ts';

const MINUTE = 60_000;
/** The beginning of a minute. */
const START = 28_333_333 * MINUTE;

test('calls and errors are counted in the minute in which they end, the present one last', () => {
  const counters = new MinuteCounters();
  counters.add(START + 59_999, false);
  counters.add(START + MINUTE, true);
  counters.add(START + MINUTE + 1, false);
  const { lastAt, calls, errors } = counters.figures(START + 2 * MINUTE + 5);
  expect(lastAt).toBe(START + 2 * MINUTE);
  expect(calls.slice(-4)).toEqual([0, 1, 2, 0]);
  expect(errors.slice(-4)).toEqual([0, 0, 1, 0]);
  expect([calls.length, errors.length]).toEqual([60, 60]);
});

test('what is older than an hour is gone, and its place is free for the new minute', () => {
  const counters = new MinuteCounters();
  counters.add(START, false);
  expect(counters.figures(START + 59 * MINUTE).calls[0]).toBe(1);
  counters.add(START + 60 * MINUTE, false);
  const { calls } = counters.figures(START + 60 * MINUTE);
  expect(calls.reduce((sum, one) => sum + one)).toBe(1);
  expect(calls.at(-1)).toBe(1);
  expect(counters.figures(START + 1000 * MINUTE).calls).not.toContain(1);
});

test('a clock that is set back a little loses nothing, and one that is set back far begins anew', () => {
  const counters = new MinuteCounters();
  counters.add(START, false);
  counters.add(START - 5 * MINUTE, false);
  const { lastAt, calls } = counters.figures(START - 5 * MINUTE);
  expect(lastAt).toBe(START);
  expect([calls.at(-1), calls.at(-6)]).toEqual([1, 1]);
  counters.add(START - 24 * 60 * MINUTE, true);
  expect(counters.figures(START - 24 * 60 * MINUTE).calls.filter((one) => one > 0)).toEqual([1]);
});

test('a server that was never called has an hour of nothing', () => {
  expect(noMinutes(START + 1)).toEqual(new MinuteCounters().figures(START + 1));
});
