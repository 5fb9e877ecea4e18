import type { CallDetail, CallPage, CallQuery } from '../src/api/contract/calls.ts';
import type { DaemonMark } from '../src/api/contract/timeline.ts';
import type { Transition } from '../src/core/model.ts';
import type { ErrorReport } from '../src/errors.ts';
import type { PackedCalls } from './history-batch.ts';
import type { Begun } from './history-daemons.ts';

/** What passes between the daemon's thread and the one that writes history.db. */

export interface WorkerSettings {
  path: string;
  begun: Begun;
  /** A file whose time says when the daemon before was seen to die. */
  lostMark: string;
}

/** What a server went through: its changes, and where daemons began and ended since the oldest of them. Newest first. */
export interface Timeline {
  transitions: Transition[];
  daemons: DaemonMark[];
}

export type Question =
  | { about: 'calls'; query: CallQuery }
  | { about: 'call'; id: number }
  | { about: 'timeline'; limit: number; server: string };

export type ToWorker =
  | { type: 'write'; calls: PackedCalls; transitions: Transition[]; rows: number }
  | { type: 'ask'; id: number; question: Question }
  /** Ends the thread after everything before it is written; `ended`: so does the daemon, and why. */
  | { type: 'close'; ended: { at: number; reason: string } | null };

export type FromWorker =
  /** So many rows are off the queue; `lost` of them could not be written. */
  | { type: 'taken'; rows: number; lost: number }
  /** Why nothing is written now; null when it is again. */
  | { type: 'off'; finding: string | null }
  /** What happened to the file, for good. */
  | { type: 'damaged'; finding: string }
  | { type: 'answer'; id: number; answer: Answer }
  | { type: 'refused'; id: number; error: ErrorReport };

export type Answer =
  | { about: 'calls'; page: CallPage }
  | { about: 'call'; call: CallDetail | null }
  | { about: 'timeline'; timeline: Timeline };

/** What a history that is switched off answers. */
export function nothing({ about }: Question): Answer {
  switch (about) {
    case 'calls':
      return { about, page: { calls: [], next: null, total: 0, totalIsLeast: false } };
    case 'call':
      return { about, call: null };
    case 'timeline':
      return { about, timeline: { transitions: [], daemons: [] } };
  }
}
