import { slice } from './bytes.ts';
import type { Frame, Span } from './frame.ts';
import { type InputRequired, readInputRequests } from './input.ts';
import { MISSING_CAPABILITY } from './jsonrpc.ts';
import { jsonString, type Member, member, members, text } from './members.ts';
import { errorCodeOf } from './results.ts';
import { readTask, TASKS_EXTENSION, type TaskView } from './tasks.ts';

/** The extension io.modelcontextprotocol/tasks of 2026-07-28, where mcpd takes part in it in the stead of a host that does not. */

/** JSON of capabilities with the extension among them; `raw` is JSON too. */
export function withTasks(raw: string): string {
  const all: unknown = JSON.parse(raw);
  const extensions = isObject(all) && isObject(all['extensions']) ? all['extensions'] : {};
  return JSON.stringify({ ...(isObject(all) ? all : {}), extensions: { ...extensions, [TASKS_EXTENSION]: {} } });
}

/** The error says that the server cannot do this for a client without the extension: it has not begun. */
export function demandsTasks(bytes: Uint8Array, error: Span): boolean {
  if (errorCodeOf(bytes, error) !== MISSING_CAPABILITY) return false;
  const data = member(bytes, error, 'data');
  const required = data === null ? null : member(bytes, data, 'requiredCapabilities');
  const extensions = required === null ? null : member(bytes, required, 'extensions');
  return extensions !== null && member(bytes, extensions, TASKS_EXTENSION) !== null;
}

/** The task that a result is, null for any other result, or why it cannot be read. */
export function handedTask(bytes: Uint8Array, result: Span): TaskView | string | null {
  const type = member(bytes, result, 'resultType');
  if (type === null || jsonString(bytes, type) !== 'task') return null;
  return readTask(bytes, result) ?? 'a task without an id';
}

/** What a server answers to `tasks/get`. */
export type TaskState =
  | { kind: 'working'; pollMs: number | null }
  | { kind: 'asks'; pollMs: number | null; requests: InputRequired['requests'] }
  /** As the server would have answered the call itself. */
  | { kind: 'ended'; frame: Frame }
  /** `why`: what the server says of it. */
  | { kind: 'cancelled'; why: string | null };

/** The state in a result of `tasks/get`, whose line this is; or why it cannot be read. */
export function readTaskState(frame: Frame, bytes: Uint8Array, result: Span): TaskState | string {
  const view = readTask(bytes, result);
  if (view === null) return 'a task without an id';
  const list = members(bytes, result);
  const find = (key: string) => list.find((one) => one.key === key) ?? null;
  const { status, pollMs } = view;
  switch (status) {
    case 'input_required': {
      const asked = find('inputRequests');
      const requests =
        asked === null ? 'a task that needs input without inputRequests' : readInputRequests(bytes, asked);
      return typeof requests === 'string' ? requests : { kind: 'asks', pollMs, requests };
    }
    case 'completed': {
      const outcome = find('result');
      if (outcome === null || !isObjectAt(bytes, outcome)) return 'a completed task without its result';
      return { kind: 'ended', frame: resultFrame(frame, bytes, outcome) };
    }
    case 'failed': {
      const error = find('error');
      if (error === null || !isObjectAt(bytes, error)) return 'a failed task without its error';
      return { kind: 'ended', frame: frameWith(frame, 'error', '', error) };
    }
    case 'cancelled': {
      const message = find('statusMessage');
      return { kind: 'cancelled', why: message === null ? null : jsonString(bytes, message) };
    }
    case 'working':
      return { kind: 'working', pollMs };
    default:
      return `a task of the status ${JSON.stringify(status.slice(0, 100))}`;
  }
}

/** The message of an error, or all of it where it has none. */
export function messageOf(bytes: Uint8Array, error: Span): string {
  const message = member(bytes, error, 'message');
  return (message === null ? null : jsonString(bytes, message)) ?? text(bytes, error);
}

// — internal —

const OPEN_OBJECT = 0x7b;
/** Frames of mcpd's own have any id: it is replaced by that of the host's request. */
const HEAD = '{"jsonrpc":"2.0","id":0,';
const ID = { start: HEAD.indexOf('0,'), end: HEAD.indexOf('0,') + 1 };

/** In a task the result has no need to say that it is one, as every result of a modern server must. */
function resultFrame(frame: Frame, bytes: Uint8Array, outcome: Member): Frame {
  const list = members(bytes, outcome);
  const isComplete = list.some(({ key }) => key === 'resultType');
  return frameWith(
    frame,
    'result',
    isComplete ? '' : `"resultType":"complete"${list.length === 0 ? '' : ','}`,
    outcome,
  );
}

/** The line with the object at `span` as its result or error, its bytes unchanged, behind the members that are `added` at its beginning. */
function frameWith(frame: Frame, kind: 'result' | 'error', added: string, { start, end }: Span): Frame {
  const before = `${HEAD}"${kind}":`;
  const body = slice(frame.bytes, { start: start + 1, end });
  const bytes = Buffer.concat([Buffer.from(`${before}{${added}`), ...body, Buffer.from('}')]);
  const object = { start: before.length, end: bytes.length - 1 };
  const envelope =
    kind === 'result'
      ? ({ kind, id: '0', idSpan: ID, result: object } as const)
      : ({ kind, id: '0', idSpan: ID, error: object } as const);
  return { bytes: [bytes], length: bytes.length, envelope, view: null };
}

function isObjectAt(bytes: Uint8Array, { start }: Span): boolean {
  return bytes[start] === OPEN_OBJECT;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
