import type { TryAnswer, TryQuestion, TryRequest, TryResult, TryRpcError } from '../api/contract/tries.ts';
import { messageOf } from '../hosts/http/body.ts';
import { TRY_ERROR_DATA_CHARS_MAX, TRY_MESSAGE_BYTES_MAX, TRY_RESULT_BYTES_MAX } from '../operation-limits.ts';
import { asBuffer, join } from '../protocol/bytes.ts';
import type { Bytes, Frame, RawId, Span } from '../protocol/frame.ts';
import { notificationText, requestText, resultText } from '../protocol/jsonrpc.ts';
import { member, text } from '../protocol/members.ts';
import { NEWEST_LEGACY } from '../protocol/revisions.ts';
import { showableRawJson } from '../text.ts';
import { VERSION } from '../version.ts';

/** What a try says and hears as a host, and what a person is shown of it. Pure. */

export const TRY_HOST = 'mcpd dashboard';

/** What a try says, in this order and at once; its call comes last. Null: the arguments are nested too deeply. */
export function openingOf(request: TryRequest): Frame[] | null {
  const call = frameOf(requestText(CALL, ...asked(request)));
  if (call === null) return null;
  const opening = [
    requestText(HANDSHAKE, 'initialize', JSON.stringify(HELLO)),
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

/** The answer to a question of the server. Null: it is nested too deeply. */
export function answering(id: RawId, question: TryQuestion, { action, content }: TryAnswer): Frame | null {
  const filled = action === 'accept' && question.mode === 'form' ? { content: content ?? {} } : {};
  return frameOf(resultText(id, JSON.stringify({ action, ...filled })));
}

/** A small message of ours as what comes in. */
export function frameOf(line: string): Frame | null {
  const message = messageOf([Buffer.from(line)]);
  return typeof message === 'object' && 'envelope' in message ? message : null;
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

export type TryNotice =
  | { type: 'progress'; progress: number; total: number | null; message: string | null }
  | { type: 'log'; level: string; logger: string | null; data: string }
  | { type: 'withdrawn'; question: RawId }
  /** A try has no use for it. */
  | { type: 'other' };

export function noticeOf(notice: Bytes): TryNotice {
  const bytes = join(notice);
  const { method, params } = read(bytes);
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

/** What a person can be shown of a question; or why he is not. */
export function questionOf(question: Bytes): TryQuestion | { refused: string } {
  const { method, params } = read(join(question));
  if (method !== 'elicitation/create') return { refused: `${String(method)} is answered by nobody here` };
  const message = words(params['message']) ?? '';
  if (params['mode'] !== 'url') return { mode: 'form', message, schema: params['requestedSchema'] ?? {} };
  const url = words(params['url']) ?? '';
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !LINKS.includes(parsed.protocol))
    return { refused: 'it sends a person to an address that is not http or https' };
  return { mode: 'url', message, url: parsed.href, host: parsed.host };
}

// — internal —

const HANDSHAKE = 1;
const LOG_LEVEL = 2;
const CALL = 3;
const LINKS = ['https:', 'http:'];

const TOO_LONG_WORDS = 'its error is too long to be shown';
const TOO_LONG: TryOutcome = {
  kind: 'error',
  error: { message: TOO_LONG_WORDS },
  rpc: { code: 0, message: TOO_LONG_WORDS, data: null },
};

/** Newest of the revisions in which a host is asked by requests, so that a server of either era can ask in the middle of its call. */
const HELLO = {
  protocolVersion: NEWEST_LEGACY,
  capabilities: { elicitation: { form: {}, url: {} } },
  clientInfo: { name: TRY_HOST, version: VERSION },
};

function asked(request: TryRequest): [method: string, paramsJson: string] {
  const _meta = { progressToken: CALL };
  switch (request.kind) {
    case 'tool':
      return ['tools/call', JSON.stringify({ name: request.name, arguments: request.arguments ?? {}, _meta })];
    case 'prompt':
      return ['prompts/get', JSON.stringify({ name: request.name, arguments: request.arguments ?? {}, _meta })];
    case 'resource':
      return ['resources/read', JSON.stringify({ uri: request.uri, _meta })];
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

function read(bytes: Uint8Array): { method: unknown; params: Record<string, unknown> } {
  const message = objectOf(JSON.parse(text(bytes, { start: 0, end: bytes.length })));
  return { method: message['method'], params: objectOf(message['params']) };
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function memberOfParams(bytes: Uint8Array, key: string): string | null {
  const params = member(bytes, { start: 0, end: bytes.length }, 'params');
  const found = params === null ? null : member(bytes, params, key);
  return found === null ? null : text(bytes, found);
}

function words(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
