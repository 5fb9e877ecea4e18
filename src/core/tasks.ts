import { TASK_BYTES_MAX, TASK_HOLDS_MS, TASKS_KEPT } from '../input-limits.ts';
import { join } from '../protocol/bytes.ts';
import { withTasks } from '../protocol/extension-tasks.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { modernMeta } from '../protocol/handshake.ts';
import { featuresOf } from '../protocol/revisions.ts';
import { createdTask, relatedTaskId, type TaskSupport, type TaskView, taskSupportIn } from '../protocol/tasks.ts';
import { ownMeta, tell } from './asking.ts';
import type { Call, TaskRun } from './call.ts';
import type { Era, InstanceKey, ServerName, SessionId } from './model.ts';
import { instancesOf, placeFor } from './places.ts';
import type { Core, HostSession, Instance, KnownServer, ServerLink } from './state.ts';

/**
 * Tasks of servers: whose they are, which process works at them, and until when it is needed for that. Their ids name the server, so a task
 * that is not known here (an earlier daemon's) is asked for all the same: its id is then all that protects it, as between any two peers.
 */

export interface Task {
  readonly server: ServerName;
  readonly instance: InstanceKey;
  /** Of the process that made it. */
  readonly generation: number;
  /** The server's own id. */
  readonly raw: string;
  readonly session: SessionId;
  readonly principal: string;
  /** Its id is known to hosts with the server's name before it. */
  readonly prefixed: boolean;
  /** Raw JSON of the host's progress token, which is good for as long as the task. */
  readonly progressToken: string | null;
  progress: Call['progress'];
  /** Its process is needed until then; in the past once nothing is left to fetch. */
  neededUntil: number;
  /** The call for whose sake mcpd waits for it; null for one that a host knows of. */
  run: Call | null;
}

/** A host whose revision has tasks. Those of the extension are a modern host's, and are not called related in any message. */
export function knowsTasks({ era, protocolVersion }: HostSession): boolean {
  return era !== 'modern' && featuresOf(protocolVersion).tasks;
}

/** A call whose questions say to which task they belong: the spec demands it of every message about a task. */
export function isOfTask({ task }: Call): boolean {
  return task !== null && task.kind !== 'plain';
}

/** A server has made a task in the place of an answer. */
export function bookTask(core: Core, instance: Instance, link: ServerLink, call: Call, view: TaskView): Task {
  const task: Task = {
    server: instance.server,
    instance: instance.key,
    generation: instance.generation,
    raw: view.raw,
    session: call.session,
    principal: call.principal,
    prefixed: call.prefixed,
    progressToken: call.progressToken,
    progress: call.progress,
    neededUntil: core.now + Math.min(view.ttlMs ?? TASK_HOLDS_MS, TASK_HOLDS_MS),
    run: call.task?.kind === 'run' ? call : null,
  };
  const before = taskOf(core, instance, view.raw);
  if (before !== null) forgetTask(core, before);
  core.tasks.set(taskKey(instance.key, view.raw), task);
  if (call.progressToken !== null && call.phase.name === 'sent') link.tasks.set(call.phase.upstreamId, task);
  if (core.tasks.size > TASKS_KEPT) forgetOldest(core);
  return task;
}

/** What its server has said of it. `fetched`: with that its host has all that there is. */
export function noteStatus(core: Core, task: Task, status: string, fetched: boolean): void {
  if (fetched || status === 'cancelled') task.neededUntil = core.now;
}

export function forgetTask(core: Core, task: Task): void {
  core.tasks.delete(taskKey(task.instance, task.raw));
  const link = core.instances.get(task.instance)?.link;
  for (const [id, one] of link?.tasks ?? []) if (one === task) link?.tasks.delete(id);
}

/** The task that a process speaks of. */
export function taskOf(core: Core, { key }: Instance, raw: string): Task | null {
  return core.tasks.get(taskKey(key, raw)) ?? null;
}

/** The process to ask about a task, or `foreign` when it is somebody else's; null while the server has none at all. */
export function taskPlace(
  core: Core,
  session: HostSession,
  known: KnownServer,
  raw: string,
): Instance | 'foreign' | null {
  let foreign = false;
  for (const instance of placesOf(core, session, known)) {
    const task = taskOf(core, instance, raw);
    if (task === null) continue;
    if (task.principal === session.door.principal && task.run === null) return instance;
    foreign = true;
  }
  return foreign ? 'foreign' : placeFor(core, session, session.abilities, known);
}

/** What a server has of tasks, by its process or by what is remembered of it; null when nobody knows yet. */
export function supportOf(instance: Instance, { memory }: KnownServer): (TaskSupport & { era: Era }) | null {
  const { link } = instance;
  if (link?.step === 'ready') return { ...link.taskSupport, era: link.era ?? 'legacy' };
  if (memory === null) return null;
  return { ...taskSupportIn(JSON.parse(memory.capabilities) as Record<string, unknown>), era: memory.era };
}

/** Until when its process has tasks that somebody may still ask for; in the past when it has none. */
export function neededForTasksUntil(core: Core, { key, generation }: Instance): number {
  let until = Number.NEGATIVE_INFINITY;
  for (const task of core.tasks.values())
    if (task.instance === key && task.generation === generation) until = Math.max(until, task.neededUntil);
  return until;
}

/** JSON of the params of a request about the task that mcpd runs for the call; `more` are further members. */
export function taskParams(core: Core, { session }: Call, { task, way }: TaskRun, more = ''): string {
  const id = JSON.stringify(task?.raw ?? '');
  if (way.by === 'revision') return `{"taskId":${id}}`;
  const clientInfo = core.sessions.get(session)?.clientInfo ?? core.ownInfo;
  return `{"taskId":${id}${more},"_meta":${modernMeta(clientInfo, way.declared, null)}}`;
}

/** Nobody waits any more for the task that mcpd runs: the server is told. One that is being made is cancelled when its id is known. */
export function cancelRun(core: Core, instance: Instance, link: ServerLink, run: TaskRun, call: Call): void {
  // The process that had it may have been replaced.
  if (run.task !== null && run.task.generation === instance.generation)
    tell(core, instance, link, 'tasks/cancel', taskParams(core, call, run));
}

/** Its id comes after everybody has left. */
export function cancelLateTask(
  core: Core,
  instance: Instance,
  link: ServerLink,
  { envelope, bytes, length }: Frame,
): void {
  if (envelope.kind !== 'result' || length > TASK_BYTES_MAX) return;
  const view = createdTask(join(bytes), envelope.result);
  if (view === null) return;
  const meta = link.era === 'modern' ? { _meta: JSON.parse(ownMeta(core, withTasks('{}'))) as object } : {};
  tell(core, instance, link, 'tasks/cancel', JSON.stringify({ taskId: view.raw, ...meta }));
}

/** The task to which a server's message says that it belongs. */
export function relatedTask(core: Core, instance: Instance, bytes: Uint8Array, params: Span | null): Task | null {
  if (core.tasks.size === 0 || params === null) return null;
  const related = relatedTaskId(bytes, params);
  return related === null ? null : taskOf(core, instance, related.raw);
}

/** Whose a message about a task is: of the call that mcpd runs it for, of an open request for its result, else of the session that made it. */
export function ownerOfTask(
  core: Core,
  link: ServerLink,
  task: Task,
): { session: HostSession | undefined; call: Call | null } {
  if (task.run !== null) return { session: core.sessions.get(task.run.session), call: task.run };
  for (const call of link.calls.values())
    if (call.method === 'tasks/result' && call.target === task.raw && call.principal === task.principal)
      return { session: core.sessions.get(call.session), call };
  return { session: core.sessions.get(task.session), call: null };
}

// — internal —

function taskKey(instance: InstanceKey, raw: string): string {
  return `${instance}\n${raw}`;
}

/** The session's own process first: two of them may give tasks the same id. */
function placesOf(core: Core, session: HostSession, { definition }: KnownServer): Instance[] {
  const own = session.places.get(definition.name);
  const all = instancesOf(core, definition.name);
  return own === undefined ? all : [...all.filter((one) => one === own), ...all.filter((one) => one !== own)];
}

function forgetOldest(core: Core): void {
  for (const task of core.tasks.values()) if (task.run === null) return forgetTask(core, task);
}
