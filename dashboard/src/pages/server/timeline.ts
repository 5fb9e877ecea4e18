import type { ServerInfo } from '../../../../src/api/contract.ts';

export type Transition = ServerInfo['transitions'][number];
export type DaemonMark = ServerInfo['daemons'][number];

/** What a server went through, under which daemons. */
export type Past = Pick<ServerInfo, 'transitions' | 'daemons'>;

/** A while in one state: how much of what is shown, 0 to 1. */
export interface Stretch {
  state: string;
  ms: number;
  share: number;
}

/** One change, or the end or the begin of a daemon, which is a break for all of its servers. */
export type Moment = { at: number } & ({ kind: 'change'; change: Transition } | { kind: 'daemon'; mark: DaemonMark });

/** What the strip shows at most. */
export const STRIP_MS = 60 * 60_000;

/** Between two daemons: no process of the server was there, whatever it was before. */
export const NO_DAEMON = 'mcpd did not run';

/** The states of the last hour, or of as long as is known, oldest first. Pure; the order of the transitions does not matter. */
export function stretchesOf(past: Past, now: number): Stretch[] {
  const ordered = momentsOf(past).reverse();
  const [first] = ordered;
  if (first === undefined) return [];
  const begin = Math.max(first.at, now - STRIP_MS);
  const whole = now - begin;
  // A clock that was set back: there is nothing to draw before the first change.
  if (whole <= 0) return [];
  const stretches: Stretch[] = [];
  for (const [at, moment] of ordered.entries()) {
    const until = ordered[at + 1]?.at ?? now;
    const ms = Math.min(until, now) - Math.max(moment.at, begin);
    if (ms > 0) stretches.push({ state: stateAfter(moment), ms, share: ms / whole });
  }
  return stretches;
}

/** How long it was in each state, the longest first. */
export function totalsOf(stretches: readonly Stretch[]): { state: string; ms: number }[] {
  const totals = new Map<string, number>();
  for (const { state, ms } of stretches) totals.set(state, (totals.get(state) ?? 0) + ms);
  return [...totals].map(([state, ms]) => ({ state, ms })).sort((a, b) => b.ms - a.ms);
}

/** Newest first. Of the same millisecond, a daemon's begin comes before what it did, and its end after. */
export function momentsOf({ transitions, daemons }: Past): Moment[] {
  const all: Moment[] = [
    ...transitions.map((change): Moment => ({ kind: 'change', at: change.at, change })),
    ...daemons.map((mark): Moment => ({ kind: 'daemon', at: mark.at, mark })),
  ];
  return all.sort((a, b) => b.at - a.at || rank(b) - rank(a));
}

// — internal —

function rank(moment: Moment): number {
  if (moment.kind === 'change') return 1;
  return moment.mark.mark === 'began' ? 0 : 2;
}

/** A daemon begins with all its servers at rest. */
function stateAfter(moment: Moment): string {
  if (moment.kind === 'change') return moment.change.to;
  return moment.mark.mark === 'began' ? 'stopped' : NO_DAEMON;
}
