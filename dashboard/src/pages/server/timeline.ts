import type { ServerInfo } from '../../../../src/api/contract.ts';

export type Transition = ServerInfo['transitions'][number];

/** A while in one state: how much of what is shown, 0 to 1. */
export interface Stretch {
  state: string;
  ms: number;
  share: number;
}

/** What the strip shows at most. */
export const STRIP_MS = 60 * 60_000;

/** The states of the last hour, or of as long as is known, oldest first. Pure; the order of the transitions does not matter. */
export function stretchesOf(transitions: readonly Transition[], now: number): Stretch[] {
  const ordered = transitions.toSorted((a, b) => a.at - b.at);
  const [first] = ordered;
  if (first === undefined) return [];
  const begin = Math.max(first.at, now - STRIP_MS);
  const whole = now - begin;
  // A clock that was set back: there is nothing to draw before the first change.
  if (whole <= 0) return [];
  const stretches: Stretch[] = [];
  for (const [at, { at: from, to }] of ordered.entries()) {
    const until = ordered[at + 1]?.at ?? now;
    const ms = Math.min(until, now) - Math.max(from, begin);
    if (ms > 0) stretches.push({ state: to, ms, share: ms / whole });
  }
  return stretches;
}

/** How long it was in each state, the longest first. */
export function totalsOf(stretches: readonly Stretch[]): { state: string; ms: number }[] {
  const totals = new Map<string, number>();
  for (const { state, ms } of stretches) totals.set(state, (totals.get(state) ?? 0) + ms);
  return [...totals].map(([state, ms]) => ({ state, ms })).sort((a, b) => b.ms - a.ms);
}
