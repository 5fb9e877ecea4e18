import type { Completion, CompletionRequest } from '../api/contract/offers.ts';
import type { TryRequest, TryResult, TryRpcError } from '../api/contract/tries.ts';
import {
  COMPLETIONS_SHOWN_MAX,
  TRY_ERROR_DATA_CHARS_MAX,
  TRY_MESSAGE_BYTES_MAX,
  TRY_RESULT_BYTES_MAX,
} from '../operation-limits.ts';
import { asBuffer, join } from '../protocol/bytes.ts';
import type { Bytes, Frame, RawId, Span } from '../protocol/frame.ts';
import { notificationText, requestText } from '../protocol/jsonrpc.ts';
import { member, text } from '../protocol/members.ts';
import { NEWEST_LEGACY } from '../protocol/revisions.ts';
import { showable, showableRawJson } from '../text.ts';
import { VERSION } from '../version.ts';
import { frameOf, memberOfParams, objectOf, readMessage, TRY_CAPABILITIES, words } from './try-questions.ts';

/** What a try says and hears as a host, and what a person is shown of it. Pure. */

export const TRY_HOST = 'mcpd dashboard';

/** What a session here is opened for: something is tried, or completed while somebody types. */
export type TryOrder = TryRequest | ({ kind: 'completion' } & CompletionRequest);

/** What a try says, in this order and at once; its call comes last. Null: the arguments are nested too deeply. */
export function openingOf(order: TryOrder): Frame[] | null {
  const call = frameOf(requestText(CALL, ...asked(order)));
  if (call === null) return null;
  // Nobody is asked for the sake of a completion: a server that may ask needs no process of its own for it.
  const capabilities = order.kind === 'completion' ? {} : TRY_CAPABILITIES;
  const opening = [
    requestText(HANDSHAKE, 'initialize', JSON.stringify({ ...HELLO, capabilities })),
    notificationText('notifications/initialized', null),
    requestText(LOG_LEVEL, 'logging/setLevel', '{"level":"debug"}'),
  ];
  return [...opening.flatMap((one) => frameOf(one) ?? []), call];
}

/** Tells the server that nobody waits for its answer any more. */
export function cancelling(): Frame | null {
  return frameOf(
    notificationText('notifications/cancelled', `{"requestId":${CALL},"reason":"called off by a person"}`),
  );
}

export function isAnswerToCall(id: RawId | null): boolean {
  return id === String(CALL);
}

export type TryOutcome =
  | { kind: 'result'; shown: Pick<TryResult, 'result' | 'isCut' | 'bytes' | 'isError'> }
  /** As the server or mcpd sent it. */
  | { kind: 'error'; error: { code?: unknown; message?: unknown; data?: unknown }; rpc: TryRpcError };

export function outcomeOf(answer: Bytes): TryOutcome {
  const bytes = join(answer);
  const result = partOf(bytes, 'result');
  if (result !== null) return { kind: 'result', shown: shownResult(bytes, result) };
  const error = partOf(bytes, 'error') ?? { start: 0, end: 0 };
  if (error.end - error.start > TRY_MESSAGE_BYTES_MAX) return TOO_LONG;
  const parsed = objectOf(JSON.parse(text(bytes, error) || 'null'));
  const data = member(bytes, error, 'data');
  const raw = data === null ? null : text(bytes, data);
  return {
    kind: 'error',
    error: parsed,
    rpc: {
      code: typeof parsed['code'] === 'number' ? parsed['code'] : 0,
      message: words(parsed['message']) ?? '',
      data: raw === null || raw.length > TRY_ERROR_DATA_CHARS_MAX ? null : showableRawJson(raw),
    },
  };
}

/** What is offered of the values in the result of a completion. */
export function completionOf(result: string): Completion {
  const { values, total, hasMore } = objectOf(objectOf(JSON.parse(result))['completion']);
  const given = Array.isArray(values) ? values : [];
  return {
    values: given.filter(isPlain).slice(0, COMPLETIONS_SHOWN_MAX),
    hasMore: hasMore === true || (typeof total === 'number' && total > given.length),
  };
}

export type TryNotice =
  | { type: 'progress'; progress: number; total: number | null; message: string | null }
  | { type: 'log'; level: string; logger: string | null; data: string }
  | { type: 'withdrawn'; question: RawId }
  /** A try has no use for it. */
  | { type: 'other' };

export function noticeOf(notice: Bytes): TryNotice {
  const bytes = join(notice);
  const { method, params } = readMessage(bytes);
  switch (method) {
    case 'notifications/progress': {
      const { progress, total, message } = params as { progress?: unknown; total?: unknown; message?: unknown };
      if (typeof progress !== 'number') return { type: 'other' };
      return { type: 'progress', progress, total: typeof total === 'number' ? total : null, message: words(message) };
    }
    case 'notifications/message':
      return {
        type: 'log',
        level: words(params['level']) ?? 'info',
        logger: words(params['logger']),
        data: showableRawJson(memberOfParams(bytes, 'data') ?? 'null'),
      };
    case 'notifications/cancelled':
      return { type: 'withdrawn', question: memberOfParams(bytes, 'requestId') ?? '' };
    default:
      return { type: 'other' };
  }
}

// — internal —

const HANDSHAKE = 1;
const LOG_LEVEL = 2;
const CALL = 3;

const TOO_LONG_WORDS = 'its error is too long to be shown';
const TOO_LONG: TryOutcome = {
  kind: 'error',
  error: { message: TOO_LONG_WORDS },
  rpc: { code: 0, message: TOO_LONG_WORDS, data: null },
};

/** Newest of the revisions in which a host is asked by requests, so that a server of either era can ask in the middle of its call. */
const HELLO = {
  protocolVersion: NEWEST_LEGACY,
  clientInfo: { name: TRY_HOST, version: VERSION },
};

function asked(request: TryOrder): [method: string, paramsJson: string] {
  const _meta = { progressToken: CALL };
  switch (request.kind) {
    case 'tool':
      return ['tools/call', JSON.stringify({ name: request.name, arguments: request.arguments ?? {}, _meta })];
    case 'prompt':
      return ['prompts/get', JSON.stringify({ name: request.name, arguments: request.arguments ?? {}, _meta })];
    case 'resource':
      return ['resources/read', JSON.stringify({ uri: request.uri, _meta })];
    case 'completion': {
      const { of, argument, value, known } = request;
      const ref =
        of.kind === 'prompt' ? { type: 'ref/prompt', name: of.name } : { type: 'ref/resource', uri: of.uriTemplate };
      const context = known === undefined ? {} : { context: { arguments: known } };
      return ['completion/complete', JSON.stringify({ ref, argument: { name: argument, value }, ...context })];
    }
  }
}

/** How an answer begins and ends around its result or error, in any order of its members. */
const HEAD = /^\s*\{(?:\s*"(?:jsonrpc|id)"\s*:\s*(?:"2\.0"|\d+)\s*,)*\s*"(result|error)"\s*:\s*/;
const TAIL = /(?:\s*,\s*"(?:jsonrpc|id)"\s*:\s*(?:"2\.0"|\d+))*\s*\}\s*$/;
const RIM_BYTES = 256;
/** Without its first quote, which dense JSON is full of. */
const IS_ERROR = 'isError"';

/** Where the member lies. One that is large is found by what is around it: to pass over 20 MB takes a tenth of a second. */
function partOf(bytes: Uint8Array, key: 'result' | 'error'): Span | null {
  if (bytes.length > TRY_MESSAGE_BYTES_MAX) {
    const head = HEAD.exec(asBuffer(bytes).toString('latin1', 0, RIM_BYTES));
    const tail = TAIL.exec(asBuffer(bytes).toString('latin1', bytes.length - RIM_BYTES));
    if (head !== null && tail !== null)
      return head[1] === key ? { start: head[0].length, end: bytes.length - tail[0].length } : null;
  }
  return member(bytes, { start: 0, end: bytes.length }, key);
}

function saysFailed(bytes: Uint8Array, result: Span): boolean {
  if (!asBuffer(bytes).includes(IS_ERROR)) return false;
  const flag = member(bytes, result, 'isError');
  return flag !== null && text(bytes, flag) === 'true';
}

function shownResult(bytes: Uint8Array, result: Span) {
  const length = result.end - result.start;
  const isCut = length > TRY_RESULT_BYTES_MAX;
  const end = isCut ? wholeCharacters(bytes, result.start + TRY_RESULT_BYTES_MAX) : result.end;
  return {
    result: showableRawJson(text(bytes, { start: result.start, end })),
    isCut,
    bytes: length,
    isError: saysFailed(bytes, result),
  };
}

/** The end of the last whole character before `end`. */
function wholeCharacters(bytes: Uint8Array, end: number): number {
  let at = end;
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

/** What it looks like is what would be sent. */
function isPlain(value: unknown): value is string {
  return typeof value === 'string' && showable(value) === value;
}
