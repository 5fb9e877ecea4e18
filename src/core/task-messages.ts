import { TASK_BYTES_MAX } from '../input-limits.ts';
import type { Abilities } from '../protocol/abilities.ts';
import { type Edit, join, mentions } from '../protocol/bytes.ts';
import { withTasks } from '../protocol/extension-tasks.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { withoutMembers } from '../protocol/members.ts';
import type { RequestView } from '../protocol/request-view.ts';
import {
  createdTask,
  exposeEdit,
  isTerminal,
  mentionsTask,
  RELATED_TASK_KEY,
  readTask,
  relatedTaskId,
  unexposeEdits,
  withoutRelatedTask,
} from '../protocol/tasks.ts';
import type { Call, TaskRun, TaskWay } from './call.ts';
import type { Era } from './model.ts';
import type { Core, HostSession, Instance, ServerLink } from './state.ts';
import { bookTask, knowsTasks, noteStatus, taskOf } from './tasks.ts';

/** What of messages must change where they speak of tasks: the ids, which hosts and servers know by different names. */

const RELATED = `"${RELATED_TASK_KEY}"`;

/** A task that mcpd will run for the call. */
export function newRun(way: TaskWay): TaskRun {
  return { kind: 'run', way, stage: 'create', task: null, pollMs: 0, sentAt: 0 };
}

export function byExtension(hostEra: Era, { raw, forModern }: Abilities): TaskWay {
  const declared = withTasks(hostEra === 'modern' ? raw : forModern);
  return { by: 'extension', declared, asked: new Set(), answers: new Map() };
}

/** The server may refuse this call for want of the extension, which its host has not declared. */
export function mayBecomeTask({ era, taskSupport }: ServerLink, { method, task }: Call): boolean {
  return taskSupport.extension && era === 'modern' && method === 'tools/call' && task?.kind !== 'offered';
}

/** JSON of the capabilities that a modern server is told of a legacy host, or of any whose task mcpd runs. */
export function declaredFor({ task, abilities }: Call): string {
  return task?.kind === 'run' && task.way.by === 'extension' ? task.way.declared : abilities.forModern;
}

/** What becomes of the extension among the capabilities of the request. */
export function extensionPart({ era, taskSupport }: ServerLink, { task }: Call): 'pass' | 'drop' | 'declare' {
  if (task?.kind === 'run' && task.way.by === 'extension') return 'declare';
  return era === 'modern' && taskSupport.extension ? 'pass' : 'drop';
}

/** What the call will be, now that its server is known: as a task only where the server has tasks of the host's era. */
export function settleTask(link: ServerLink, call: Call): void {
  const support = link.taskSupport;
  if (call.task === null) return;
  switch (call.task.kind) {
    case 'asked':
      if (link.era !== 'legacy' || !support.calls) call.task = { kind: 'plain' };
      return;
    case 'run': {
      const has = call.task.way.by === 'revision' ? support.calls : support.extension;
      if (!has || link.era !== (call.task.way.by === 'revision' ? 'legacy' : 'modern')) call.task = null;
      return;
    }
    case 'offered':
      if (link.era !== 'modern' || !support.extension) call.task = null;
      return;
    case 'plain':
    case 'about':
      return;
  }
}

/** The edits that make a tool call a task, or a plain call. */
export function taskRequestEdits({ task, hostEra }: Call, { request, params }: RequestView): Edit[] {
  const byExtension = task?.kind === 'run' && task.way.by === 'extension';
  if (task?.kind === 'plain' || (byExtension && hostEra === 'legacy')) return withoutMembers(params, ['task']);
  if (byExtension || task?.kind !== 'run' || request.params === null) return [];
  const end = request.params.end - 1;
  return [{ start: end, end, with: ',"task":{}' }];
}

/** The edits in a result that names a task, for the host whose call it answers; what it says of the task is noted. */
export function taskResultEdits(core: Core, instance: Instance, link: ServerLink, call: Call, frame: Frame): Edit[] {
  const { envelope } = frame;
  if (envelope.kind !== 'result') return [];
  switch (call.task?.kind) {
    case 'asked':
    case 'offered':
      return frame.length > TASK_BYTES_MAX ? [] : createdEdits(core, instance, link, call, frame, envelope.result);
    case 'about':
      return aboutEdits(core, instance, call, frame, envelope.result);
    case 'run':
      return mentions(frame.bytes, RELATED) ? withoutRelatedTask(join(frame.bytes), envelope.result) : [];
    default:
      return [];
  }
}

/** A server's own message for a host, which may belong to a task. */
export function relatedEdits(instance: Instance, session: HostSession, bytes: Uint8Array, params: Span | null): Edit[] {
  const related = params === null ? null : relatedTaskId(bytes, params);
  if (related === null || params === null) return [];
  if (!knowsTasks(session)) return withoutRelatedTask(bytes, params);
  return session.door.scope.kind === 'all' ? [exposeEdit(related.id, instance.server)] : [];
}

/** A host's own message for a server, or its answer, which may belong to a task. */
export function relatedEditsForServer(session: HostSession, server: string, bytes: Uint8Array, object: Span): Edit[] {
  if (session.door.scope.kind !== 'all') return [];
  const related = relatedTaskId(bytes, object);
  return related === null ? [] : unexposeEdits(bytes, related.id, server);
}

// — internal —

function createdEdits(
  core: Core,
  instance: Instance,
  link: ServerLink,
  call: Call,
  frame: Frame,
  result: Span,
): Edit[] {
  const bytes = join(frame.bytes);
  const view = mentionsTask(bytes) ? createdTask(bytes, result) : null;
  if (view === null) return [];
  bookTask(core, instance, link, call, view);
  if (!call.prefixed) return [];
  const related = relatedTaskId(bytes, result);
  return [view.id, ...(related === null ? [] : [related.id])].map((id) => exposeEdit(id, call.server));
}

function aboutEdits(core: Core, instance: Instance, call: Call, frame: Frame, result: Span): Edit[] {
  const bytes = join(frame.bytes);
  // Of another request the result is what the tool said, whatever its members are called.
  const view = call.method === 'tasks/result' ? null : readTask(bytes, result);
  const task = taskOf(core, instance, call.target);
  if (task !== null) {
    const hasOutcome = call.hostEra === 'modern' && isTerminal(view?.status ?? '');
    noteStatus(core, task, view?.status ?? '', hasOutcome || call.method === 'tasks/result');
  }
  if (!call.prefixed) return [];
  const related = relatedTaskId(bytes, result);
  return [view?.id, related?.id].flatMap((id) => (id === undefined ? [] : [exposeEdit(id, call.server)]));
}
