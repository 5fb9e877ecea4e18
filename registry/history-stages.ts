import type { CallDetail, CallMoment, CallRow } from '../src/api/contract/calls.ts';
import { MARK } from '../src/core/marks.ts';
import { stagesOf } from '../src/core/stages.ts';
import { marksOf } from './history-batch.ts';

/** A call with what it passed on its way, as the waterfall needs it. */

export interface StoredCall extends CallRow {
  session: string;
  instance: string;
  error: string | null;
  marks: string;
}

export function detailOf({ marks, ...row }: StoredCall): CallDetail {
  const numbers = marksOf(marks);
  const passed = passedOf(numbers);
  return {
    ...row,
    rounds: passed.filter(({ what }) => what === MARK.asked).length,
    stages: stagesOf(numbers, row),
    moments: momentsOf(passed, row),
  };
}

// — internal —

interface Passed {
  what: number;
  atMs: number;
}

const NAMES: Record<number, CallMoment['name']> = Object.fromEntries(
  Object.entries(MARK).map(([name, what]) => [what, name as keyof typeof MARK]),
);

function passedOf(marks: readonly number[]): Passed[] {
  const passed: Passed[] = [];
  for (let at = 0; at + 1 < marks.length; at += 2) passed.push({ what: marks[at] ?? 0, atMs: marks[at + 1] ?? 0 });
  return passed;
}

function momentsOf(passed: readonly Passed[], { outcome, totalMs }: CallRow): CallMoment[] {
  return [
    { name: 'received', atMs: 0 },
    ...passed.flatMap(({ what, atMs }): CallMoment[] => {
      const name = NAMES[what];
      return name === undefined ? [] : [{ name, atMs }];
    }),
    { name: outcome === 'cancelled' ? 'cancelled' : 'delivered', atMs: totalMs },
  ];
}
