import * as z from 'zod/mini';
import { CALL_OUTCOMES, type CallOutcome } from '../../core/model.ts';
import { CALL_ANSWER_ROWS_MAX } from '../../operation-limits.ts';

/**
 * The part of the contract about the history of calls. As contract.ts: times are milliseconds since 1970 unless a name ends in `Ms`.
 * Names and sizes only: arguments and results are never recorded.
 */

const Moment = z.int().check(z.nonnegative());
const Name = z.string().check(z.minLength(1), z.maxLength(200));

/** `GET /api/calls?…`. Filters that are given must all fit. */
export const CallQuery = z.object({
  host: z.optional(Name),
  server: z.optional(Name),
  /** Of the tool, prompt or URI: any part of it, in small or capital letters. */
  target: z.optional(Name),
  /** `tools/call` */
  method: z.optional(Name),
  session: z.optional(Name),
  /** `failed`: all but `ok` and `cancelled`. */
  outcome: z.optional(z.enum([...CALL_OUTCOMES, 'failed'])),
  /** Arrived at this time or later. */
  since: z.optional(Moment),
  /** Arrived before this time. */
  until: z.optional(Moment),
  /** Took so long at least, in all. */
  minMs: z.optional(z.number().check(z.nonnegative())),
  order: z.optional(z.enum(['newest', 'slowest'])),
  /** 100 when absent. */
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(CALL_ANSWER_ROWS_MAX))),
  /** `next` of the page before, asked for with the same filters and order. */
  before: z.optional(z.string().check(z.regex(/^(?:[\d.e-]{1,32}:)?\d{1,16}$/))),
});
export type CallQuery = z.infer<typeof CallQuery>;

export interface CallPage {
  calls: CallRow[];
  /** For `before`; null on the last page. */
  next: string | null;
  /** How many fit the filters, on all pages. */
  total: number;
  /** There are more than `total`: nobody counts beyond CALLS_COUNTED_MAX. */
  totalIsLeast: boolean;
}

export interface CallRow {
  /** Its number in the history, given when it is recorded: `GET /api/calls/ID`. It grows, but not by one. */
  id: number;
  /** When it arrived from the host. */
  at: number;
  host: string;
  server: string;
  method: string;
  target: string;
  /** From its arrival to its sending: the server's start, or its turn. */
  queuedMs: number;
  /** From its arrival to its end. */
  totalMs: number;
  outcome: CallOutcome;
  errorCode: number | null;
  requestBytes: number;
  responseBytes: number;
}

/** `GET /api/calls/ID` */
export interface CallDetail extends CallRow {
  session: string;
  /** Which process of the server had it; '' of a call that an earlier mcpd recorded. */
  instance: string;
  /** Why it failed, with what looks like a credential masked, cut; never what a tool answered. */
  error: string | null;
  /** In how many rounds the server asked the host something. */
  rounds: number;
  /** What it passed, in order and without gaps, from 0 to `totalMs`; a stage that took no time is left out. */
  stages: CallStage[];
  /** Moments within, in order: `progress` is the server's first sign of life after the sending. */
  moments: CallMoment[];
}

/** `start`: its server starts. `turn`: it waits until it may be sent. `server`: the server has it. `input`: its host is asked something. */
export type CallStageName = 'start' | 'turn' | 'server' | 'input';

interface CallStage {
  name: CallStageName;
  /** Milliseconds after `at`. */
  fromMs: number;
  toMs: number;
}

export interface CallMoment {
  name:
    | 'received'
    | 'starting'
    | 'started'
    | 'sent'
    | 'progress'
    | 'asked'
    | 'resumed'
    | 'answered'
    | 'delivered'
    | 'cancelled';
  /** Milliseconds after `at`. */
  atMs: number;
}
