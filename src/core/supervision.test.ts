import { expect, test } from 'vitest';
import { afterExit, restartDelayMs } from './supervision.ts';

const crash = { asked: false, needed: true, halfOpen: false, readyMs: 0, unstable: [], now: 100_000, random: 0.5 };

test('the delay before a restart doubles from one second to sixty', () => {
  expect([0, 1, 2, 5, 6, 40].map((attempt) => restartDelayMs(attempt, 0.5))).toEqual([
    1000, 2000, 4000, 32_000, 60_000, 60_000,
  ]);
});

test('the delay varies by a fifth to both sides', () => {
  expect(restartDelayMs(0, 0)).toBe(800);
  expect(restartDelayMs(0, 0.999_999)).toBe(1200);
});

test('an attempt that is no count is a mistake of the program', () => {
  expect(() => restartDelayMs(-1, 0)).toThrow(RangeError);
});

test('a stop that was asked for ends in stopped and counts as no failure', () => {
  expect(afterExit({ ...crash, asked: true, needed: false })).toEqual({ phase: 'stopped', unstable: [], notBefore: 0 });
});

test('a clean exit that nobody asked for is a failure too', () => {
  expect(afterExit(crash)).toEqual({ phase: 'backoff', unstable: [100_000], notBefore: 101_000 });
});

test('the first exit after a minute of health restarts at once', () => {
  expect(afterExit({ ...crash, readyMs: 60_000, unstable: [99_000] })).toEqual({
    phase: 'queued',
    unstable: [],
    notBefore: 0,
  });
});

test('the fifth unstable start within five minutes ends in failed', () => {
  const unstable = [90_000, 92_000, 95_000, 99_000];
  expect(afterExit({ ...crash, unstable }).phase).toBe('failed');
  expect(afterExit({ ...crash, unstable, now: 400_000 }).phase).toBe('backoff');
});

test('a server that nobody needs rests after a crash, but may not be started again at once', () => {
  expect(afterExit({ ...crash, needed: false })).toEqual({ phase: 'stopped', unstable: [100_000], notBefore: 101_000 });
});
