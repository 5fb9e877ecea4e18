import type { ErrorReport } from '../../errors.ts';

/** The part of the contract about `mcpd verify`: a check-up of one server, by a fresh process that no host sees. */

/** `partly`: it has some of the points. `skipped`: it could not be looked at, and counts for nothing. */
type CheckOutcome = 'passed' | 'partly' | 'failed' | 'skipped';

/** One thing that was looked at. */
export interface CheckupItem {
  /** `handshake`, `schemas`, …: stable. */
  id: string;
  /** For people. */
  title: string;
  outcome: CheckOutcome;
  /** Of `of`, which is 0 for what was skipped. */
  points: number;
  of: number;
  /** Why it is not whole; null when it is. */
  reason: string | null;
  /** What its author, or whoever runs it, can do. */
  fix: string | null;
}

export interface Checkup {
  server: string;
  /** 0 to 100: points of what was looked at. */
  score: number;
  /** The eras in which it answered its handshake. */
  eras: ('legacy' | 'modern')[];
  /** As it answered; null when it did not. */
  protocolVersion: string | null;
  durationMs: number;
  checks: CheckupItem[];
}

/** What an install tells of it: only what the start that it made anyway could see. */
export type TrialCheckup = Pick<Checkup, 'score' | 'checks'>;

/** One line of the answer: what is done now, and at last the whole. */
export type CheckupEvent =
  | { type: 'step'; detail: string }
  | { type: 'done'; checkup: Checkup }
  | { type: 'failed'; error: ErrorReport };
