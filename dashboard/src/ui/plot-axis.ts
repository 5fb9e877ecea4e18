import { timeText } from '../text.ts';

/** What a plot shows, and what stands at its axes. Pure; moments in seconds since 1970, as uPlot has them. */

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

type Column = readonly (number | null)[];

/** Moments (milliseconds since 1970, oldest first) and what was then, as uPlot takes them: never of less than a minute. */
export function plotData(times: readonly number[], columns: readonly Column[]): Column[] {
  const moments = times.map((at) => at / 1000);
  const [first = 0] = moments;
  const last = moments.at(-1) ?? 0;
  if (moments.length === 0 || last - first >= SPAN_MIN_S) return [moments, ...columns];
  return [[last - SPAN_MIN_S, ...moments], ...columns.map((values) => [null, ...values])];
}

/** By the clock, as everywhere on the page; with seconds where minutes would say the same twice. */
export function timeTicks(moments: readonly number[], stepSeconds: number): string[] {
  return moments.map((moment) => {
    const clock = timeText(moment * 1000, moment * 1000);
    return stepSeconds % 60 === 0 ? clock.slice(0, 5) : clock;
  });
}

/** A value with nothing beside it is a point: it has no line. */
export function isLonely(values: Column): boolean {
  return values.filter((value) => value !== null).length === 1;
}
