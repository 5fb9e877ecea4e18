import { join } from '../protocol/bytes.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { inputLabels } from '../protocol/input.ts';
import { member, members } from '../protocol/members.ts';
import { SUBSCRIPTION_ID_KEY } from '../protocol/meta.ts';
import { exposeEdit, isTerminal, readTask } from '../protocol/tasks.ts';
import { passNotice } from './emit.ts';
import type { Core, HostSession, Instance, ServerLink } from './state.ts';
import { watchKey } from './subscriptions.ts';
import { onRunStatus } from './task-runs.ts';
import { knowsTasks, noteStatus, taskOf } from './tasks.ts';

/** What servers say of tasks of their own accord, and who hears of it. */

/** `notifications/tasks/status` of 2025-11-25: for the session that made the task, and for nobody else. */
export function onTaskStatus(core: Core, instance: Instance, link: ServerLink, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const view = readTask(bytes, envelope.params);
  if (view === null) return;
  const task = taskOf(core, instance, view.raw);
  if (task !== null) noteStatus(core, task, view.status, false);
  if (task?.run != null) return onRunStatus(core, instance, link, task.run, view.status);
  const session = task === null ? makerOf(core, link) : core.sessions.get(task.session);
  if (session === undefined || !knowsTasks(session)) return;
  const edits = session.door.scope.kind === 'all' ? [exposeEdit(view.id, instance.server)] : [];
  passNotice(core, session, frame, edits, null);
}

/** `notifications/tasks` of the extension: for the listens that asked for this task. */
export function onTaskNotice(core: Core, instance: Instance, link: ServerLink, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const { params } = envelope;
  const bytes = join(frame.bytes);
  const view = readTask(bytes, params);
  if (view === null) return;
  const task = taskOf(core, instance, view.raw);
  if (task?.run != null) return onRunStatus(core, instance, link, task.run, view.status);
  const watchers = instance.taskWatchers.get(view.raw) ?? [];
  const key = watchKey(instance.server, view.raw);
  for (const id of watchers) {
    const session = core.sessions.get(id);
    for (const listen of session?.listens.values() ?? []) {
      if (session === undefined || !listen.tasks.has(key)) continue;
      const all = session.door.scope.kind === 'all';
      const edits = [
        ...(all ? [exposeEdit(view.id, instance.server), ...inputLabels(frame, params, instance.server)] : []),
        stampEdit(bytes, params, listen.id),
      ];
      passNotice(core, session, frame, edits, listen.id);
      if (task !== null) noteStatus(core, task, view.status, isTerminal(view.status));
    }
  }
}

// — internal —

/** A task whose making is not answered yet, where there is only one host for which it can be. */
function makerOf(core: Core, link: ServerLink): HostSession | undefined {
  const makers = new Set<string>();
  for (const { task, session } of link.calls.values()) if (task?.kind === 'asked') makers.add(session);
  const [only] = makers;
  return makers.size === 1 ? core.sessions.get(only ?? '') : undefined;
}

/** On a host's listen a notice carries that listen's id. */
function stampEdit(bytes: Uint8Array, params: Span, id: string): { start: number; end: number; with: string } {
  const meta = member(bytes, params, '_meta');
  const stamp = meta === null ? null : member(bytes, meta, SUBSCRIPTION_ID_KEY);
  if (stamp !== null) return { start: stamp.start, end: stamp.end, with: id };
  if (meta === null)
    return { start: params.end - 1, end: params.end - 1, with: `,"_meta":{"${SUBSCRIPTION_ID_KEY}":${id}}` };
  const at = meta.start + 1;
  const comma = members(bytes, meta).length > 0 ? ',' : '';
  return { start: at, end: at, with: `"${SUBSCRIPTION_ID_KEY}":${id}${comma}` };
}
