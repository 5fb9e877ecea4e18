import { TASK_BYTES_MAX } from '../input-limits.ts';
import { type Edit, join, mentions } from '../protocol/bytes.ts';
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
import type { Call } from './call.ts';
import type { Core, HostSession, Instance, ServerLink } from './state.ts';
import { bookTask, knowsTasks, noteStatus, taskOf } from './tasks.ts';

/** What of messages must change where they speak of tasks: the ids, which hosts and servers know by different names. */

const RELATED = `"${RELATED_TASK_KEY}"`;

/** What the call will be, now that its server is known: as a task only where the server has tasks of the host's era. */
export function settleTask(link: ServerLink, call: Call): void {
  const support = link.taskSupport;
  if (call.task === null) return;
  switch (call.task.kind) {
    case 'asked':
      if (link.era !== 'legacy' || !support.calls) call.task = { kind: 'plain' };
      return;
    case 'run':
      if (link.era !== 'legacy' || !support.calls) call.task = null;
      return;
    case 'offered':
      if (link.era !== 'modern' || !support.extension) call.task = null;
      return;
    case 'plain':
    case 'about':
      return;
  }
}

/** The edits that make a tool call a task, or a plain call. */
export function taskRequestEdits({ task }: Call, { request, params }: RequestView): Edit[] {
  if (task?.kind === 'plain') return withoutMembers(params, ['task']);
  if (task?.kind !== 'run' || request.params === null) return [];
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
