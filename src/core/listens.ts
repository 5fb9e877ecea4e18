import { HOST_SUBSCRIPTIONS_MAX } from '../limits.ts';
import { line } from '../protocol/bytes.ts';
import type { RawId } from '../protocol/frame.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { SUBSCRIPTION_ID_KEY } from '../protocol/meta.ts';
import { LISTS } from '../protocol/methods.ts';
import { refuse } from './emit.ts';
import { wantUp } from './fleet.ts';
import { LIST_KINDS, type ListKind } from './model.ts';
import { tellListen } from './notices.ts';
import { placeFor } from './places.ts';
import { invalidParams } from './refusals.ts';
import type { Core, HostSession, Listen, WatchedUris } from './state.ts';
import { alignSubscriptions, canSubscribe, release, watch, watchedBy, watchKey } from './subscriptions.ts';
import { grantedTasks, releaseTasks, watchTasks } from './task-listens.ts';
import { lacksTasks } from './task-refusals.ts';
import type { UriTarget } from './uris.ts';

/** A modern host's subscriptions/listen: acknowledged first, with what of it is granted, then fed until the host cancels it. */

export function openListen(core: Core, session: HostSession, id: RawId, idKey: string, filter: unknown): void {
  if (typeof filter !== 'object' || filter === null)
    return refuse(core, session.id, id, invalidParams('params.notifications must be an object'));
  const asked = filter as Record<string, unknown>;
  const lists = new Set<ListKind>(LIST_KINDS.filter((kind) => asked[LISTS[kind].filter] === true));
  const taskIds = asked['taskIds'];
  if (taskIds !== undefined && !session.abilities.tasks) return refuse(core, session.id, id, lacksTasks());
  const listen: Listen = {
    id,
    lists,
    uris: grantedUris(core, session, asked['resourceSubscriptions']),
    tasks: grantedTasks(core, session, taskIds),
  };
  session.listens.set(idKey, listen);
  acknowledge(core, session, listen);
  // It may have its lists from an earlier connection, so it is told of what differs from now on, whether or not it asks for them here.
  for (const kind of lists) core.lists.result(kind, session.audience, core.servers);
  watchAll(core, session, listen.uris);
  watchTasks(core, session, listen.tasks);
  const stale = [...session.stale].filter((kind) => lists.has(kind));
  for (const kind of stale) session.stale.delete(kind);
  tellListen(core, session, listen, stale);
}

/** The host ended it; false when there is none by this id. */
export function endListen(core: Core, session: HostSession, idKey: string): boolean {
  const listen = session.listens.get(idKey);
  if (listen === undefined) return false;
  session.listens.delete(idKey);
  release(core, session, listen.uris.keys());
  releaseTasks(core, session, listen.tasks.keys());
  return true;
}

// — internal —

/** Of the URIs that a host asks for, those of a server that has subscriptions. */
function grantedUris(core: Core, session: HostSession, asked: unknown): WatchedUris {
  const granted: WatchedUris = new Map();
  const room = HOST_SUBSCRIPTIONS_MAX - watchedBy(session);
  for (const uri of Array.isArray(asked) ? asked : []) {
    if (granted.size >= room) break;
    const target = typeof uri === 'string' ? targetOf(core, session, uri) : null;
    const known = target === null ? undefined : core.servers.get(target.server);
    if (target === null || known === undefined || !known.definition.enabled) continue;
    const capabilities = JSON.parse(known.memory?.capabilities ?? '{}') as Record<string, unknown>;
    if (canSubscribe({ capabilities })) granted.set(watchKey(target.server, target.raw), uri);
  }
  return granted;
}

function targetOf(core: Core, { door }: HostSession, uri: string): UriTarget | null {
  return door.scope.kind === 'server' ? { server: door.scope.server, raw: uri } : core.uris.resolve(uri);
}

function acknowledge(core: Core, session: HostSession, { id, lists, uris, tasks }: Listen): void {
  const honoured: Record<string, unknown> = {};
  for (const kind of lists) honoured[LISTS[kind].filter] = true;
  if (uris.size > 0) honoured['resourceSubscriptions'] = [...uris.values()];
  if (tasks.size > 0) honoured['taskIds'] = [...tasks.values()];
  const params = `{"notifications":${JSON.stringify(honoured)},"_meta":{"${SUBSCRIPTION_ID_KEY}":${id}}}`;
  const bytes = line(notificationText('notifications/subscriptions/acknowledged', params));
  // It must not be dropped as a notice may be: to the host it is the answer, for now.
  core.out.push({ type: 'to-host', session: session.id, bytes, class: 'answer', id, about: id });
}

/** Their servers are told, and started if need be: one that does not run has no news. */
function watchAll(core: Core, session: HostSession, uris: WatchedUris): void {
  for (const key of uris.keys()) {
    const border = key.indexOf('\n');
    const known = core.servers.get(key.slice(0, border));
    const instance = known === undefined ? null : placeFor(core, session, session.abilities, known);
    if (instance === null) continue;
    watch(instance, session, key.slice(border + 1));
    alignSubscriptions(core, instance);
    if (instance.phase === 'stopped' && instance.definition.start !== 'manual')
      wantUp(core, instance, 'a host watches its resources');
  }
}
