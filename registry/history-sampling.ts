import { HISTORY_ROWS_PER_SECOND_MAX } from '../src/operation-limits.ts';

/** Decides which calls become rows. Up to a second's allowance may come at once; a flood is thinned evenly, not cut off at its start. */
export interface Sampler {
  /** `remarkable` rows (a call that failed) are kept as long as there is any allowance. */
  admits(remarkable: boolean): boolean;
  /** Milliseconds since the last time; at least once a second while calls come. */
  passed(ms: number): void;
}

export function createSampler(): Sampler {
  let allowance = HISTORY_ROWS_PER_SECOND_MAX;
  let seen = 0;
  /** Of the unremarkable, every so-manieth is kept. */
  let stride = 1;
  return {
    admits: (remarkable) => {
      seen++;
      if (allowance < 1 || (!remarkable && seen % stride !== 0)) return false;
      allowance--;
      return true;
    },
    passed: (ms) => {
      allowance = Math.min(HISTORY_ROWS_PER_SECOND_MAX, allowance + (ms / 1000) * HISTORY_ROWS_PER_SECOND_MAX);
      const perSecond = seen / (Math.max(1, ms) / 1000);
      stride =
        allowance >= HISTORY_ROWS_PER_SECOND_MAX / 2
          ? 1
          : Math.max(1, Math.ceil(perSecond / HISTORY_ROWS_PER_SECOND_MAX));
      seen = 0;
    },
  };
}
