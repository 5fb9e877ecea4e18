import * as z from 'zod/mini';
import type { ErrorReport } from '../../errors.ts';

/**
 * The part of the contract about the flight recorder: the messages between mcpd and one server, kept in memory while a person wants it.
 * What is kept is masked before it is kept. docs/recordings.md says it for people.
 */

/** `POST /api/servers/NAME/recording`. A daemon that restarts records nothing, and says what it does not have any more (`lost`). */
export const RecordingSwitch = z.object({
  on: z.boolean(),
  /** Off again by itself after this time; RECORDING_FOR_MS unless given. */
  forMs: z.optional(z.int().check(z.positive())),
});
export type RecordingSwitch = z.infer<typeof RecordingSwitch>;

/** A recording that ended because the daemon did. Its messages were in memory alone: they are gone. */
export interface LostRecording {
  startedAt: number;
  /** When it would have gone off by itself; null: it was off already, and its messages were still kept. */
  endsAt: number | null;
  /** When the daemon ended; null: it was killed or it crashed, and nobody wrote down when. */
  endedAt: number | null;
  /** Messages that were kept then; null where nobody could count them any more. */
  frames: number | null;
}

/** `GET /api/servers/NAME/recording`, and of every server of which something is or was kept `GET /api/recordings`. */
export interface RecordingState {
  server: string;
  on: boolean;
  /** When it was switched on the last time; null: never since the daemon started. */
  startedAt: number | null;
  /** When it goes off by itself; null while it is off. */
  endsAt: number | null;
  /** Kept at this moment; they stay when it goes off, until `DELETE`. */
  frames: number;
  bytes: number;
  /** Numbers of the oldest and the newest kept; 0 when there is none. */
  firstSeq: number;
  lastSeq: number;
  /** Older ones that made room. */
  dropped: number;
  /** Of these: those that made room for newer messages of other servers, since all recordings together were at their limit. */
  droppedForOthers: number;
  framesMax: number;
  bytesMax: number;
  /** What an earlier daemon had; told until this server is recorded again, or `DELETE`. */
  lost: LostRecording | null;
}

/** A message as it is kept. Also a row of the file of `mcpd record NAME save`. */
export const RecordedFrame = z.object({
  /** 1, 2, 3, … in the order in which they went or came. Never used twice while the daemon runs. */
  seq: z.int().check(z.nonnegative()),
  at: z.number(),
  direction: z.enum(['to-server', 'from-server']),
  instance: z.string(),
  /** Which of the processes of that instance, one after another. */
  generation: z.int(),
  /** The session whose call it belongs to; null: mcpd's own, or nobody's in particular. */
  session: z.nullable(z.string()),
  kind: z.enum(['request', 'notification', 'result', 'error']),
  /** JSON-RPC id as written between mcpd and the server: `7` or `"a"`. */
  id: z.nullable(z.string()),
  /** Of a result or an error: that of the request it answers, as far as that was recorded. */
  method: z.nullable(z.string()),
  /** What it is about: the tool, prompt or resource, in the server's own name. */
  target: z.nullable(z.string()),
  /** Number of the request that it answers. */
  answers: z.nullable(z.int()),
  /** Since that request. */
  tookMs: z.nullable(z.number()),
  /** Of the message as it went, before masking and cutting. */
  bytes: z.int(),
  /** Bytes left out of the middle of `text`, where it has a mark that says so. */
  cut: z.int(),
  /** Something in it was replaced by `***`. */
  masked: z.boolean(),
  /** The message. JSON unless it was cut. */
  text: z.string(),
});
export type RecordedFrame = z.infer<typeof RecordedFrame>;

/** `GET /api/servers/NAME/recording/frames?after=SEQ&limit=N`: the oldest of those with a greater number. */
export interface RecordedFrames {
  state: RecordingState;
  frames: RecordedFrame[];
  /** There are more behind the last one. */
  more: boolean;
}

/** `GET /api/servers/NAME/recording/file`: what `mcpd record NAME save` writes, and a page offers as a download. A test case. */
export const Recording = z.object({
  format: z.literal('mcpd-recording'),
  version: z.literal(1),
  mcpd: z.string(),
  savedAt: z.number(),
  server: z.string(),
  /** How it was started, for people: values are `${secret:NAME}` or masked. A replay starts what is installed, never this. */
  launch: z.unknown(),
  /** That mcpd and the server agreed on; null when that is not known. */
  protocolVersion: z.nullable(z.string()),
  /** Frames that the ring had lost when it was saved. */
  dropped: z.int(),
  frames: z.array(RecordedFrame),
});
export type Recording = z.infer<typeof Recording>;

/**
 * `POST /api/servers/NAME/recording/replay`: what hosts asked is asked again, one after another, of a fresh process that serves nobody else.
 * Answered by lines of JSON, `ReplayEvent`; whoever hangs up ends it.
 */
export const ReplayRequest = z.object({
  /** The number (`seq`) of one request; absent: all that hosts asked. */
  call: z.optional(z.int().check(z.positive())),
  /** A saved file; absent: what is kept of this server now. */
  recording: z.optional(Recording),
});
export type ReplayRequest = z.infer<typeof ReplayRequest>;

/** The last line is `done` or `failed`. */
export type ReplayEvent =
  | { type: 'started'; server: string; requests: number; protocolVersion: string | null }
  | ({ type: 'step' } & ReplayStep)
  | ({ type: 'done'; durationMs: number } & Record<ReplayOutcome, number>)
  | { type: 'failed'; error: ErrorReport };

/**
 * `equal` and `different` compare the two answers; `unanswered`: the fresh process gave none; `uncompared`: it was asked, but the recording
 * has no whole answer; `skipped`: it could not be asked, since the recorded request is masked or cut.
 */
export type ReplayOutcome = 'equal' | 'different' | 'unanswered' | 'uncompared' | 'skipped';

export interface ReplayStep {
  /** Of the recorded request. */
  seq: number;
  method: string;
  target: string | null;
  outcome: ReplayOutcome;
  /** Why it is none of the first two. */
  why: string | null;
  recordedMs: number | null;
  replayedMs: number | null;
  /** The first ones. */
  differences: ReplayDifference[];
  moreDifferences: number;
}

export interface ReplayDifference {
  /** `result.content.0.text` */
  path: string;
  /** JSON, shortened; null: it is not there. */
  recorded: string | null;
  replayed: string | null;
}
