import {
  RESTART_DELAY_FIRST_MS,
  RESTART_DELAY_MAX_MS,
  RESTART_JITTER,
  STABLE_UPTIME_MS,
  UNSTABLE_STARTS_MAX,
  UNSTABLE_WINDOW_MS,
} from '../limits.ts';
import type { State } from './model.ts';

/** Where an instance is. Finer than the state people see: `queued` waits for a start slot, `draining` finishes its open calls. */
export type Phase = 'stopped' | 'queued' | 'starting' | 'running' | 'draining' | 'stopping' | 'backoff' | 'failed';

export type Signal =
  /** Somebody needs it: a call, its start mode, a first listing. */
  | 'want-up'
  /** A person starts it: no waiting, no giving up. */
  | 'start-now'
  | 'want-down'
  /** The same, without letting open calls finish. */
  | 'hurry'
  /** A start slot is free for it. */
  | 'slot'
  | 'ready'
  /** The start took too long, the handshake was refused, or it must go for its own fault. */
  | 'gave-up'
  | 'exited'
  /** The timer of the phase: the end of a drain or of a backoff, or the time for a trial of a failed server. */
  | 'timer';

export type Action =
  | 'enqueue'
  | 'dequeue'
  | 'spawn'
  | 'flush-calls'
  | 'refuse-calls'
  | 'drain'
  | 'stop-child'
  | 'kill-child';

/** `stay`: nothing to do. `settle`: `afterExit` decides. Else where to go, and what to do on the way. */
export type Move = 'stay' | 'settle' | readonly [Phase, ...Action[]];

// biome-ignore format: a table. Row: where we are. Column: what happened.
export const TABLE: Record<Phase, Record<Signal, Move>> = {
  stopped:  { 'want-up': ['queued', 'enqueue'], 'start-now': ['queued', 'enqueue'], 'want-down': 'stay',                                    hurry: 'stay',                                     slot: 'stay',                ready: 'stay',                     'gave-up': 'stay',                     exited: 'stay',   timer: 'stay' },
  queued:   { 'want-up': 'stay',                'start-now': 'stay',                'want-down': ['stopped', 'dequeue', 'refuse-calls'],     hurry: ['stopped', 'dequeue', 'refuse-calls'],     slot: ['starting', 'spawn'], ready: 'stay',                     'gave-up': 'stay',                     exited: 'stay',   timer: 'stay' },
  starting: { 'want-up': 'stay',                'start-now': 'stay',                'want-down': ['stopping', 'refuse-calls', 'stop-child'], hurry: ['stopping', 'refuse-calls', 'stop-child'], slot: 'stay',                ready: ['running', 'flush-calls'], 'gave-up': ['stopping', 'stop-child'], exited: 'settle', timer: 'stay' },
  running:  { 'want-up': 'stay',                'start-now': 'stay',                'want-down': ['draining', 'refuse-calls', 'drain'],      hurry: ['stopping', 'refuse-calls', 'stop-child'], slot: 'stay',                ready: 'stay',                     'gave-up': ['stopping', 'kill-child'], exited: 'settle', timer: 'stay' },
  draining: { 'want-up': 'stay',                'start-now': 'stay',                'want-down': ['draining', 'refuse-calls'],               hurry: ['stopping', 'refuse-calls', 'stop-child'], slot: 'stay',                ready: 'stay',                     'gave-up': ['stopping', 'kill-child'], exited: 'settle', timer: ['stopping', 'stop-child'] },
  stopping: { 'want-up': 'stay',                'start-now': 'stay',                'want-down': ['stopping', 'refuse-calls'],               hurry: ['stopping', 'refuse-calls'],               slot: 'stay',                ready: 'stay',                     'gave-up': 'stay',                     exited: 'settle', timer: 'stay' },
  backoff:  { 'want-up': 'stay',                'start-now': ['queued', 'enqueue'], 'want-down': ['stopped', 'refuse-calls'],                hurry: ['stopped', 'refuse-calls'],                slot: 'stay',                ready: 'stay',                     'gave-up': 'stay',                     exited: 'stay',   timer: ['queued', 'enqueue'] },
  failed:   { 'want-up': ['queued', 'enqueue'], 'start-now': ['queued', 'enqueue'], 'want-down': ['stopped', 'refuse-calls'],                hurry: ['stopped', 'refuse-calls'],                slot: 'stay',                ready: 'stay',                     'gave-up': 'stay',                     exited: 'stay',   timer: ['queued', 'enqueue'] },
};

/** The state that people see. */
export const STATE_OF: Record<Phase, State> = {
  stopped: 'stopped',
  queued: 'starting',
  starting: 'starting',
  running: 'running',
  draining: 'stopping',
  stopping: 'stopping',
  backoff: 'backoff',
  failed: 'failed',
};

export interface ExitFacts {
  /** mcpd stopped it, and not for a fault of its own. */
  asked: boolean;
  /** Held up by a person or its start mode, or somebody waits for it. */
  needed: boolean;
  /** It was the one trial of a failed server. */
  halfOpen: boolean;
  /** Milliseconds it was ready; 0 when it never was. */
  readyMs: number;
  /** When earlier starts ended before they were stable. */
  unstable: readonly number[];
  now: number;
  /** In [0, 1). */
  random: number;
}

export interface AfterExit {
  phase: Extract<Phase, 'stopped' | 'queued' | 'backoff' | 'failed'>;
  unstable: number[];
  /** No start for a call's sake before this time. */
  notBefore: number;
}

/** What follows an exit (promise R5). Exit code 0 is a failure like any other unless mcpd asked for it. */
export function afterExit(facts: ExitFacts): AfterExit {
  if (facts.asked) return { phase: facts.needed ? 'queued' : 'stopped', unstable: [...facts.unstable], notBefore: 0 };
  if (facts.readyMs >= STABLE_UPTIME_MS)
    return { phase: facts.needed ? 'queued' : 'stopped', unstable: [], notBefore: 0 };
  const unstable = [...facts.unstable.filter((at) => at > facts.now - UNSTABLE_WINDOW_MS), facts.now];
  if (facts.halfOpen || unstable.length >= UNSTABLE_STARTS_MAX) return { phase: 'failed', unstable, notBefore: 0 };
  const notBefore = facts.now + restartDelayMs(unstable.length - 1, facts.random);
  return { phase: facts.needed ? 'backoff' : 'stopped', unstable, notBefore };
}

/**
 * Milliseconds to wait before restart number `attempt` (0 is the first): 1 s doubled up to 60 s, with ± 20 % jitter so that servers that
 * died together do not start together. `random` is in [0, 1).
 * @throws {RangeError} `attempt` is negative or not an integer.
 */
export function restartDelayMs(attempt: number, random: number): number {
  if (!Number.isInteger(attempt) || attempt < 0) throw new RangeError(`attempt ${attempt}`);
  const delay = Math.min(RESTART_DELAY_MAX_MS, RESTART_DELAY_FIRST_MS * 2 ** Math.min(attempt, 30));
  return Math.round(delay * (1 - RESTART_JITTER + 2 * RESTART_JITTER * random));
}
