import type { CallDetail, CallPage, CallQuery } from '../src/api/contract/calls.ts';
import type { Transition } from '../src/core/model.ts';
import type { ErrorReport } from '../src/errors.ts';
import type { PackedCalls } from './history-batch.ts';

/** What passes between the daemon's thread and the one that writes history.db. */

export interface WorkerSettings {
  path: string;
}

export type Question =
  | { about: 'calls'; query: CallQuery }
  | { about: 'call'; id: number }
  | { about: 'transitions'; limit: number; server: string };

export type ToWorker =
  | { type: 'write'; calls: PackedCalls; transitions: Transition[]; rows: number }
  | { type: 'ask'; id: number; question: Question }
  /** Ends the thread after everything before it is written. */
  | { type: 'close' };

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
  | { about: 'transitions'; rows: Transition[] };

/** What a history that is switched off answers. */
export function nothing({ about }: Question): Answer {
  switch (about) {
    case 'calls':
      return { about, page: { calls: [], next: null, total: 0, totalIsLeast: false } };
    case 'call':
      return { about, call: null };
    case 'transitions':
      return { about, rows: [] };
  }
}
