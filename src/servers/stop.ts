import { EXIT_DRAIN_MS, STOP_STDIN_GRACE_MS, STOP_SWEEP_MS, STOP_TERM_GRACE_MS } from '../limits.ts';

/** How far a server's process is on its way out. */
export type StopStage =
  | 'serving'
  /** It closed its stdout or stdin but lives: a moment for its own exit. */
  | 'mute'
  /** Asked to stop, by the end of its stdin. */
  | 'closing'
  /** Asked to stop, by SIGTERM to everything that is left. */
  | 'terminating'
  /** It exited by itself; what it left behind is asked to end, and its pipes are read to their end. */
  | 'leaving'
  /** SIGKILL to everything that is left. */
  | 'killing'
  /** Nothing is left, or it was given up. */
  | 'gone';

export type StopSignal =
  | 'stop'
  | 'kill'
  /** A pipe of ours was closed at its end. */
  | 'pipe-closed'
  /** The leader of the group has exited. */
  | 'exited'
  /** Nothing of its family lives, and its pipes are read. */
  | 'empty'
  | 'time-up';

type Row = Record<StopSignal, StopStage>;

// biome-ignore format: a table. Row: where we are. Column: what happened.
const TABLE: Record<StopStage, Row> = {
  serving:     { stop: 'closing',     kill: 'killing', 'pipe-closed': 'mute',        exited: 'leaving',     empty: 'serving',     'time-up': 'serving' },
  mute:        { stop: 'closing',     kill: 'killing', 'pipe-closed': 'mute',        exited: 'leaving',     empty: 'mute',        'time-up': 'leaving' },
  closing:     { stop: 'closing',     kill: 'killing', 'pipe-closed': 'closing',     exited: 'terminating', empty: 'closing',     'time-up': 'terminating' },
  terminating: { stop: 'terminating', kill: 'killing', 'pipe-closed': 'terminating', exited: 'terminating', empty: 'gone',        'time-up': 'killing' },
  leaving:     { stop: 'leaving',     kill: 'killing', 'pipe-closed': 'leaving',     exited: 'leaving',     empty: 'gone',        'time-up': 'killing' },
  killing:     { stop: 'killing',     kill: 'killing', 'pipe-closed': 'killing',     exited: 'killing',     empty: 'gone',        'time-up': 'gone' },
  gone:        { stop: 'gone',        kill: 'gone',    'pipe-closed': 'gone',        exited: 'gone',        empty: 'gone',        'time-up': 'gone' },
};

export function nextStage(stage: StopStage, signal: StopSignal): StopStage {
  return TABLE[stage][signal];
}

/** What is done on entering a stage, and how long it lasts before `time-up`; null lasts for ever. */
export interface StageEntry {
  closeStdin: boolean;
  signal: 'end' | 'kill' | null;
  graceMs: number | null;
}

export const STAGES: Record<StopStage, StageEntry> = {
  serving: { closeStdin: false, signal: null, graceMs: null },
  mute: { closeStdin: false, signal: null, graceMs: EXIT_DRAIN_MS },
  closing: { closeStdin: true, signal: null, graceMs: STOP_STDIN_GRACE_MS },
  terminating: { closeStdin: true, signal: 'end', graceMs: STOP_TERM_GRACE_MS },
  leaving: { closeStdin: true, signal: 'end', graceMs: EXIT_DRAIN_MS },
  killing: { closeStdin: true, signal: 'kill', graceMs: STOP_SWEEP_MS },
  gone: { closeStdin: true, signal: null, graceMs: null },
};
