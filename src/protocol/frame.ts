import type { RequestView } from './request-view.ts';

/**
 * A message is kept as the bytes that came. The scanner finds the envelope and its spans; what is rewritten is a list of splices; the
 * body is copied, never parsed and printed again. So big integers, unknown fields and 50 MB results pass untouched.
 */

/** One line without its newline, in the chunks in which it arrived. */
export type Bytes = readonly Uint8Array[];

/** Byte offsets within a line: `start` inclusive, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** The id exactly as written: `1` and `"1"` are different ids, and come back as the host wrote them. */
export type RawId = string;

export type Envelope =
  | { kind: 'request'; id: RawId; idSpan: Span; method: string; methodSpan: Span; params: Span | null }
  | { kind: 'notification'; method: string; methodSpan: Span; params: Span | null }
  | { kind: 'result'; id: RawId; idSpan: Span; result: Span }
  /** `id` is null for an error that answers nothing. */
  | { kind: 'error'; id: RawId | null; idSpan: Span | null; error: Span };

export interface Frame {
  bytes: Bytes;
  /** Bytes in the line. */
  length: number;
  envelope: Envelope;
  /** What somebody has looked into already (`viewOf`). Each frame has it from the start: one that gets it later is slow for whoever takes it. */
  view: RequestView | null;
}

/** A line that is an array: JSON, and valid UTF-8. */
export interface BatchLine {
  bytes: Bytes;
  /** Bytes in the line. */
  length: number;
}

/** Why a line is not a message. */
export type NoiseReason =
  | 'not-json'
  | 'not-jsonrpc'
  | 'invalid-utf8'
  | 'too-deep'
  | 'too-long'
  /** An envelope key twice, or one that differs from an envelope key in case only. */
  | 'ambiguous-envelope'
  | 'batch';
