import { asBuffer, type Edit } from './bytes.ts';
import type { Span } from './frame.ts';
import { elements, jsonString, type Member, member, members, text, withoutMembers } from './members.ts';

/**
 * Tasks, of 2025-11-25 and as the extension of 2026-07-28: requests that are answered with a name for their outcome. That name, the id of a
 * task, is the server's own; hosts that see all servers know it with the server's name before it, so that it finds its way back by itself.
 */

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
export const RELATED_TASK_KEY = 'io.modelcontextprotocol/related-task';

/** What a server says that it has of tasks: as of 2025-11-25 for calls of tools, for listing them, and by the extension. */
export interface TaskSupport {
  calls: boolean;
  list: boolean;
  extension: boolean;
}

/** @param capabilities as declared, of either era. */
export function taskSupportIn(capabilities: Record<string, unknown>): TaskSupport {
  const tasks = objectIn(capabilities, 'tasks');
  const tools = objectIn(objectIn(tasks, 'requests'), 'tools');
  return {
    calls: objectIn(tools, 'call') !== null,
    list: objectIn(tasks, 'list') !== null,
    extension: objectIn(objectIn(capabilities, 'extensions'), TASKS_EXTENSION) !== null,
  };
}

/** The tool entries, raw JSON, that can be called as a task only. */
export function requiresTask(entry: string): boolean {
  return taskSupportOf(entry) === 'required';
}

/** True for an entry of the tool list that hosts without tasks must not take for more than it is to them. */
export function speaksOfTasks(entry: string): boolean {
  return OFFERED.test(entry);
}

/** The server and its own id in an id that hosts see, `github~786512e2`; null for what no server has made. */
export function parsedTaskId(exposed: string): { server: string; raw: string } | null {
  const mark = exposed.indexOf(MARK);
  return mark <= 0 ? null : { server: exposed.slice(0, mark), raw: exposed.slice(mark + 1) };
}

/** A task as either era writes it. `pollMs` and `ttlMs` are null where nothing is said, or no end. */
export interface TaskView {
  /** Where the id stands. */
  id: Member;
  raw: string;
  status: string;
  pollMs: number | null;
  ttlMs: number | null;
}

/** The task that the object at `span` is; null when it has no id. */
export function readTask(bytes: Uint8Array, span: Span): TaskView | null {
  const list = members(bytes, span);
  const find = (...keys: string[]) => list.find(({ key }) => keys.includes(key)) ?? null;
  const id = find('taskId');
  const raw = id === null ? null : jsonString(bytes, id);
  if (id === null || raw === null) return null;
  const status = find('status');
  return {
    id,
    raw,
    status: (status === null ? null : jsonString(bytes, status)) ?? '',
    pollMs: numberAt(bytes, find('pollInterval', 'pollIntervalMs')),
    ttlMs: numberAt(bytes, find('ttl', 'ttlMs')),
  };
}

/** The task that was made in the place of a result: `result.task` of 2025-11-25, the result itself in the extension. */
export function createdTask(bytes: Uint8Array, result: Span): TaskView | null {
  const task = member(bytes, result, 'task');
  if (task !== null) return readTask(bytes, task);
  const type = member(bytes, result, 'resultType');
  return type !== null && jsonString(bytes, type) === 'task' ? readTask(bytes, result) : null;
}

/** The tasks in a result of `tasks/list`, each with the place of its object. */
export function listedTasks(bytes: Uint8Array, result: Span, countMax: number): { span: Span; task: TaskView }[] {
  const list = member(bytes, result, 'tasks');
  return (list === null ? [] : elements(bytes, list, countMax)).flatMap((span) => {
    const task = readTask(bytes, span);
    return task === null ? [] : [{ span, task }];
  });
}

export function isTerminal(status: string): boolean {
  return TERMINAL.includes(status);
}

/** A small message that mentions what only tasks have. */
export function mentionsTask(bytes: Uint8Array): boolean {
  return asBuffer(bytes).includes('"task"');
}

/** The id of the task to which a message belongs, by its params or result; null when it names none. */
export function relatedTaskId(bytes: Uint8Array, object: Span): { id: Member; raw: string } | null {
  const meta = member(bytes, object, '_meta');
  const related = meta === null ? null : member(bytes, meta, RELATED_TASK_KEY);
  const id = related === null ? null : member(bytes, related, 'taskId');
  const raw = id === null ? null : jsonString(bytes, id);
  return id === null || raw === null ? null : { id, raw };
}

/** The edit that makes a server's own id, at `span`, the one that hosts see. */
export function exposeEdit({ start }: Span, server: string): Edit {
  return { start: start + 1, end: start + 1, with: `${server}${MARK}` };
}

/** The other way round. Nothing where the id does not begin with this server's name. */
export function unexposeEdits(bytes: Uint8Array, id: Span, server: string): Edit[] {
  const raw = unexposed(bytes, id, server);
  return raw === null ? [] : [{ start: id.start, end: id.end, with: raw }];
}

/** What of a message names its task, taken out: for hosts that know no tasks. */
export function withoutRelatedTask(bytes: Uint8Array, object: Span): Edit[] {
  const meta = member(bytes, object, '_meta');
  return meta === null ? [] : withoutMembers(members(bytes, meta), [RELATED_TASK_KEY]);
}

/** JSON of the value of the related-task member, at `span`, with this server's own id; null when it has that already. */
export function relatedForServer(bytes: Uint8Array, span: Span, server: string): string | null {
  const id = member(bytes, span, 'taskId');
  const raw = id === null ? null : unexposed(bytes, id, server);
  if (id === null || raw === null) return null;
  return text(bytes, { start: span.start, end: id.start }) + raw + text(bytes, { start: id.end, end: span.end });
}

// — internal —

/** It is in no server's name. */
const MARK = '~';
const TERMINAL: readonly string[] = ['completed', 'failed', 'cancelled'];
const OFFERED = /"taskSupport"\s*:\s*"(?:required|optional)"/;

function taskSupportOf(entry: string): unknown {
  // The word may stand in a description too; most entries do not have it at all.
  if (!OFFERED.test(entry)) return undefined;
  const { execution } = JSON.parse(entry) as { execution?: { taskSupport?: unknown } | null };
  return execution?.taskSupport;
}

/** JSON of the server's own id; null when it is no id of this server. */
function unexposed(bytes: Uint8Array, id: Span, server: string): string | null {
  const exposed = jsonString(bytes, id);
  const prefix = `${server}${MARK}`;
  return exposed?.startsWith(prefix) === true ? JSON.stringify(exposed.slice(prefix.length)) : null;
}

function numberAt(bytes: Uint8Array, at: Member | null): number | null {
  const value = at === null ? Number.NaN : Number(text(bytes, at));
  return Number.isFinite(value) && value >= 0 ? value : null;
}

function objectIn(value: unknown, key: string): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  const found = (value as Record<string, unknown>)[key];
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? (found as Record<string, unknown>)
    : null;
}
