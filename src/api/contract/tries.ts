import * as z from 'zod/mini';
import type { ErrorReport } from '../../errors.ts';

/**
 * The part of the control interface by which a person tries a server: `POST /api/servers/NAME/tries` with a `TryRequest`. A try is a host
 * of its own while it lasts, so it is seen among the sessions and the calls; it ends with its request, and aborting that cancels the call.
 */

export const TryRequest = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tool'),
    /** The server's own name for it: `ToolInfo.raw`. */
    name: z.string().check(z.minLength(1)),
    arguments: z.optional(z.record(z.string(), z.unknown())),
  }),
  z.object({
    kind: z.literal('prompt'),
    name: z.string().check(z.minLength(1)),
    arguments: z.optional(z.record(z.string(), z.string())),
  }),
  z.object({ kind: z.literal('resource'), uri: z.string().check(z.minLength(1)) }),
]);
export type TryRequest = z.infer<typeof TryRequest>;

/** Streamed as lines of JSON; the first is `started`, the last is `result` or `failed`. All durations count from the first. */
export type TryEvent =
  /** `id` names the try where its questions are answered; it is the id of its session too. */
  | { type: 'started'; id: string }
  | { type: 'progress'; afterMs: number; progress: number; total: number | null; message: string | null }
  /** `data` is JSON text as the server sent it, safe to show. */
  | { type: 'log'; afterMs: number; level: string; logger: string | null; data: string }
  /** The server wants something of a person. It waits until this is answered. */
  | {
      type: 'question';
      afterMs: number;
      id: string;
      method: 'elicitation/create' | 'sampling/createMessage';
      params: TryQuestion;
    }
  /** It does not want it any more: an answer would be refused. */
  | { type: 'question-withdrawn'; afterMs: number; id: string }
  /** It wanted the folders of its host, and was told at once that there are none. */
  | { type: 'roots-told'; afterMs: number }
  /** It wanted something that nobody may be shown, such as a link that is not http(s), and was told so. */
  | { type: 'question-refused'; afterMs: number; why: string }
  /** So many logs and steps of progress before this line were too long, or came faster than they were read. */
  | { type: 'dropped'; count: number }
  | TryResult
  | { type: 'failed'; error: ErrorReport; rpc: TryRpcError | null; durationMs: number };

export interface TryResult {
  type: 'result';
  /**
   * JSON text of the whole result, its first TRY_RESULT_BYTES_MAX bytes when `isCut` (then it does not parse). Safe to show as it is; what
   * is parsed out of it is not.
   */
  result: string;
  isCut: boolean;
  /** Of the whole result as it came. */
  bytes: number;
  /** The tool says of itself that it failed. */
  isError: boolean;
  durationMs: number;
}

/** The JSON-RPC error of the server, or of mcpd where the server could not answer. */
export interface TryRpcError {
  code: number;
  message: string;
  /** JSON text, safe to show; null when there is none, or when it is longer than TRY_ERROR_DATA_CHARS_MAX. */
  data: string | null;
}

export type TryQuestion =
  /**
   * `schema` is JSON text, safe to show; what is parsed out of it is the server's own, to the letter, and is not. It is flat: an object of
   * strings, numbers, booleans and choices.
   */
  | { mode: 'form'; message: string; schema: string }
  /** Shown before it is opened, `host` first. `accept` means that the person has opened it. */
  | { mode: 'url'; message: string; url: string; host: string }
  /** What a model should say to this. The person may say it in its place. */
  | {
      mode: 'sampling';
      systemPrompt: string | null;
      /** `text` is JSON text of the content where that is no text. */
      messages: { role: string; text: string }[];
      maxTokens: number | null;
    };

/** `POST /api/tries/ID/answers/QUESTION`, answered by `{answered: true}`. */
export const TryAnswer = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  /** What was filled in, for a form that is accepted. */
  content: z.optional(z.record(z.string(), z.unknown())),
  /** What the person says in the place of a model, where that was asked for and is accepted. */
  text: z.optional(z.string()),
});
export type TryAnswer = z.infer<typeof TryAnswer>;
