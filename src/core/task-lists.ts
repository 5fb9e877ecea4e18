import { TASK_LIST_PAGES_MAX, TASK_LIST_TIMEOUT_MS, TASK_LISTINGS_MAX, TASKS_LISTED_MAX } from '../input-limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame, RawId } from '../protocol/frame.ts';
import { edited } from '../protocol/input.ts';
import { jsonString, member } from '../protocol/members.ts';
import { param, type RequestView } from '../protocol/request-view.ts';
import { exposeEdit, listedTasks } from '../protocol/tasks.ts';
import { abandon, ask } from './asking.ts';
import { answer, arm, disarm, refuse } from './emit.ts';
import type { InstanceKey, SessionId } from './model.ts';
import { hostBusy, invalidParams } from './refusals.ts';
import type { Core, HostSession, Instance, ServerLink } from './state.ts';
import { taskOf } from './tasks.ts';

/**
 * `tasks/list`: of all servers where tasks of this host's principal were made, in one page. A server that has ended has none any more, so
 * none is started to say so; one that does not answer is left out.
 */
export interface TaskListing {
  readonly session: SessionId;
  readonly id: RawId;
  readonly idKey: string;
  /** What is still read, by the instance. */
  readonly parts: Map<InstanceKey, { request: number; pages: number }>;
  /** Raw JSON, with ids as the host knows them; by instance, so that the order does not depend on who answers first. */
  readonly tasks: Map<InstanceKey, string[]>;
}

export function listTasks(core: Core, session: HostSession, view: RequestView, idKey: string): void {
  const { request } = view;
  if (param(view, 'cursor') !== null)
    return refuse(
      core,
      session.id,
      request.id,
      invalidParams('this cursor was not given by mcpd: its list of tasks has one page'),
    );
  const open = [...core.taskListings.values()].filter((one) => one.session === session.id).length;
  if (open >= TASK_LISTINGS_MAX) return refuse(core, session.id, request.id, hostBusy(TASK_LISTINGS_MAX));
  const listing: TaskListing = { session: session.id, id: request.id, idKey, parts: new Map(), tasks: new Map() };
  const number = core.nextQuestion++;
  for (const instance of instancesWithTasks(core, session)) {
    const { link } = instance;
    if (link?.step !== 'ready' || link.deaf || link.era !== 'legacy' || !link.taskSupport.list) continue;
    listing.tasks.set(instance.key, []);
    readPage(core, instance, link, number, listing, null);
  }
  if (listing.parts.size === 0) return finish(core, listing);
  core.taskListings.set(number, listing);
  arm(core, `tasks:${number}`, TASK_LIST_TIMEOUT_MS);
}

/** A server has answered with a page, or an error. */
export function onTaskPage(core: Core, instance: Instance, link: ServerLink, number: number, frame: Frame): void {
  const listing = core.taskListings.get(number);
  const session = listing === undefined ? undefined : core.sessions.get(listing.session);
  const part = listing?.parts.get(instance.key);
  if (listing === undefined || session === undefined || part === undefined) return;
  const { envelope } = frame;
  if (envelope.kind !== 'result') return endPart(core, number, listing, instance.key);
  const bytes = join(frame.bytes);
  const tasks = listing.tasks.get(instance.key) ?? [];
  for (const { span, task } of listedTasks(bytes, envelope.result, TASKS_LISTED_MAX)) {
    const known = taskOf(core, instance, task.raw);
    if (known === null || known.run !== null || known.principal !== session.door.principal) continue;
    const edits = session.door.scope.kind === 'all' ? [exposeEdit(task.id, instance.server)] : [];
    if (tasks.length < TASKS_LISTED_MAX) tasks.push(edited(bytes, span, edits));
  }
  const next = member(bytes, envelope.result, 'nextCursor');
  const cursor = next === null ? null : jsonString(bytes, next);
  if (cursor === null || part.pages >= TASK_LIST_PAGES_MAX || tasks.length >= TASKS_LISTED_MAX)
    return endPart(core, number, listing, instance.key);
  readPage(core, instance, link, number, listing, cursor);
}

/** No answer will come from this instance: its process has ended, or wrote what cannot be read. */
export function onNoTaskPage(core: Core, instance: Instance, number: number): void {
  const listing = core.taskListings.get(number);
  if (listing !== undefined) endPart(core, number, listing, instance.key);
}

/** What has come by now must do. */
export function onTaskListTimer(core: Core, number: number): void {
  const listing = core.taskListings.get(number);
  if (listing === undefined) return;
  for (const [key, { request }] of listing.parts) {
    const link = core.instances.get(key)?.link;
    if (link != null) abandon(link, request, 'late');
  }
  finish(core, listing);
  core.taskListings.delete(number);
}

/** Its process has ended. */
export function endListingsAt(core: Core, instance: Instance): void {
  for (const number of core.taskListings.keys()) onNoTaskPage(core, instance, number);
}

export function isListing(core: Core, session: HostSession, idKey: string): boolean {
  for (const one of core.taskListings.values()) if (one.session === session.id && one.idKey === idKey) return true;
  return false;
}

/** Nobody waits: the host has left, or cancelled the request of this key. */
export function dropListings(core: Core, session: HostSession, idKey: string | null): void {
  for (const [number, listing] of core.taskListings) {
    if (listing.session !== session.id || (idKey !== null && listing.idKey !== idKey)) continue;
    core.taskListings.delete(number);
    disarm(core, `tasks:${number}`);
  }
}

// — internal —

function instancesWithTasks(core: Core, { door }: HostSession): Instance[] {
  const keys = new Set<InstanceKey>();
  for (const { principal, run, server, instance } of core.tasks.values())
    if (principal === door.principal && run === null && (door.scope.kind === 'all' || door.scope.server === server))
      keys.add(instance);
  return [...keys].sort().flatMap((key) => core.instances.get(key) ?? []);
}

function readPage(
  core: Core,
  instance: Instance,
  link: ServerLink,
  number: number,
  listing: TaskListing,
  cursor: string | null,
): void {
  const params = cursor === null ? null : JSON.stringify({ cursor });
  const request = ask(core, instance, link, { kind: 'tasks', listing: number }, 'tasks/list', params);
  const pages = (listing.parts.get(instance.key)?.pages ?? 0) + 1;
  listing.parts.set(instance.key, { request, pages });
}

function endPart(core: Core, number: number, listing: TaskListing, key: InstanceKey): void {
  if (!listing.parts.delete(key) || listing.parts.size > 0) return;
  core.taskListings.delete(number);
  disarm(core, `tasks:${number}`);
  finish(core, listing);
}

function finish(core: Core, { session, id, tasks }: TaskListing): void {
  if (!core.sessions.has(session)) return;
  const all = [...tasks.values()].flat().slice(0, TASKS_LISTED_MAX);
  answer(core, session, id, `{"tasks":[${all.join(',')}]}`);
}
