import { timeText } from '../text.ts';

/** What stands at the axes of a plot. Pure; moments in seconds since 1970, as uPlot has them. */

/** What is plotted: it decides at which values the axis has lines, so that no two of them read the same. */
export type PlotUnit = 'whole' | 'bytes';

const ONES = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const KIB = 1024;

/** How far the lines of an axis may be apart, ascending: half a call is none, and `19 MB` is no round number. */
export const STEPS: Record<PlotUnit, number[]> = {
  whole: [1, 1e3, 1e6, 1e9].flatMap((size) => ONES.map((one) => one * size)),
  bytes: [1, KIB, KIB ** 2, KIB ** 3, KIB ** 4].flatMap((size) => ONES.map((one) => one * size)),
};

/** A single sample is at the end of this; otherwise its axis would be of years. */
const SPAN_MIN_S = 60;

/** From the first to the last moment, and never less than a minute. */
export function timeRange(first: number | null, last: number | null): [number, number] {
  const end = last ?? 0;
  return [Math.min(first ?? end, end - SPAN_MIN_S), end];
}

/** By the clock, as everywhere on the page; with seconds where minutes would say the same twice. */
export function timeTicks(moments: readonly number[], stepSeconds: number): string[] {
  return moments.map((moment) => {
    const clock = timeText(moment * 1000, moment * 1000);
    return stepSeconds % 60 === 0 ? clock.slice(0, 5) : clock;
  });
}

/** A value with nothing beside it is a point: it has no line. */
export function isLonely(values: readonly (number | null)[]): boolean {
  return values.filter((value) => value !== null).length === 1;
}
