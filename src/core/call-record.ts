import type { CallOutcome, InstanceKey, ServerName, SessionId } from './model.ts';

/** One finished call, for the history. Names and sizes only: arguments and results are never recorded. */
export interface CallRecord {
  /** When it arrived. */
  at: number;
  session: SessionId;
  host: string;
  server: ServerName;
  /** Which process had it, or was to have it. */
  instance: InstanceKey;
  method: string;
  /** The raw tool or prompt name, or the URI. */
  target: string;
  /** From arrival to its first sending, or to its end: waiting for the server's start, or for its turn. */
  queuedMs: number;
  /** From arrival to answer. */
  totalMs: number;
  outcome: CallOutcome;
  /** JSON-RPC error code, if any. */
  errorCode: number | null;
  /** Why it failed, without what the message quotes; null when it did not, and of `tool-error`, where a result would have to be kept. */
  error: string | null;
  requestBytes: number;
  responseBytes: number;
  /** What it passed on its way, as marks.ts has it. */
  marks: readonly number[];
  /** W3C trace context of its host, as the request's `_meta` has it; null for nearly all. For traces only: the history does not keep it. */
  traceparent: string | null;
}
