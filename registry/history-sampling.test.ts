import { expect, test } from 'vitest';
import { HISTORY_BATCH_MS, HISTORY_ROWS_PER_SECOND_MAX } from '../src/operation-limits.ts';
import { createSampler } from './history-sampling.ts';

/** Rows kept of `perSecond` calls, in each of `seconds`. */
function kept(
  perSecond: number,
  seconds: number,
  remarkable = (_call: number) => false,
): { rows: number; remarkable: number }[] {
  const sampler = createSampler();
  const ticks = 1000 / HISTORY_BATCH_MS;
  return Array.from({ length: seconds }, () => {
    const counts = { rows: 0, remarkable: 0 };
    for (let tick = 0; tick < ticks; tick++) {
      for (let call = 0; call < perSecond / ticks; call++) {
        if (!sampler.admits(remarkable(call))) continue;
        counts.rows++;
        if (remarkable(call)) counts.remarkable++;
      }
      sampler.passed(HISTORY_BATCH_MS);
    }
    return counts;
  });
}

test('up to the highest rate every call becomes a row', () => {
  for (const { rows } of kept(HISTORY_ROWS_PER_SECOND_MAX, 10)) expect(rows).toBe(HISTORY_ROWS_PER_SECOND_MAX);
});

test('a burst after a pause is kept whole', () => {
  const sampler = createSampler();
  const rows = Array.from({ length: HISTORY_ROWS_PER_SECOND_MAX }, () => sampler.admits(false)).filter(Boolean);
  expect(rows).toHaveLength(HISTORY_ROWS_PER_SECOND_MAX);
});

test('a flood leaves about the highest rate of rows, spread over the whole second', () => {
  const [, , third] = kept(40_000, 3);
  expect(third?.rows).toBeGreaterThan(HISTORY_ROWS_PER_SECOND_MAX * 0.9);
  expect(third?.rows).toBeLessThanOrEqual(HISTORY_ROWS_PER_SECOND_MAX * 1.1);
});

test('in a flood, failed calls are kept rather than others', () => {
  const [, , third] = kept(40_000, 3, (call) => call % 1000 === 7);
  expect(third?.remarkable).toBe(40);
});
