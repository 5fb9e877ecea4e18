import type { CallDetail, CallMoment, CallRow, CallStage, CallStageName } from '../src/api/contract/calls.ts';
import { MARK } from '../src/core/marks.ts';
import { marksOf } from './history-batch.ts';

/** A call with what it passed on its way, as the waterfall needs it. */

export interface StoredCall extends CallRow {
  session: string;
  instance: string;
  error: string | null;
  marks: string;
}

export function detailOf({ marks, ...row }: StoredCall): CallDetail {
  const passed = passedOf(marks);
  return {
    ...row,
    rounds: passed.filter(({ what }) => what === MARK.asked).length,
    stages: stagesOf(passed, row),
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

function passedOf(text: string): Passed[] {
  const marks = marksOf(text);
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

function stagesOf(passed: readonly Passed[], { queuedMs, totalMs }: CallRow): CallStage[] {
  // An earlier mcpd recorded no marks, and counted what came back with input from then on.
  const known = passed.length > 0 ? passed : [{ what: MARK.sent, atMs: Math.max(0, queuedMs) }];
  const stages: CallStage[] = [];
  let now: CallStage = { name: 'turn', fromMs: 0, toMs: 0 };
  const end = (atMs: number): void => {
    now.toMs = atMs;
    if (atMs > now.fromMs) stages.push(now);
  };
  for (const [index, { what, atMs }] of known.entries()) {
    const name = stageAfter(what, known[index + 1]?.what);
    if (name === null) continue;
    end(atMs);
    now = { name, fromMs: atMs, toMs: atMs };
  }
  end(totalMs);
  return stages;
}

/** Which stage begins; null for what happens within one. */
function stageAfter(what: number, next: number | undefined): CallStageName | null {
  switch (what) {
    case MARK.starting:
      return 'start';
    case MARK.started:
      return 'turn';
    case MARK.sent:
      return 'server';
    case MARK.asked:
      return 'input';
    case MARK.resumed:
      // A modern server gets the call once more; a legacy one has had it all the time.
      return next === MARK.sent || next === MARK.starting ? 'turn' : 'server';
    default:
      return null;
  }
}
