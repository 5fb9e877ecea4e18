import { tell } from './asking.ts';
import type { Call } from './call.ts';
import { listen } from './listening.ts';
import { instancesOf, placeFor } from './places.ts';
import type { Core, HostSession, Instance, KnownServer, ServerLink } from './state.ts';
import type { UriTarget } from './uris.ts';

/**
 * What hosts watch, counted over all hosts: a server hears of the first watcher of a URI and of the last. Towards modern servers the URIs
 * are part of mcpd's own subscriptions/listen. What is watched belongs to the instance, so that every process of it is told again.
 */

/** One key for a resource, however hosts name it. */
export function watchKey(server: string, raw: string): string {
  return `${server}\n${raw}`;
}

export function watchedBy(session: HostSession): number {
  let count = session.subscriptions.size;
  for (const { uris } of session.listens.values()) count += uris.size;
  return count;
}

/** This session watches a URI of this instance. `alignSubscriptions` tells the server. */
export function watch(instance: Instance, session: HostSession, raw: string): void {
  const sessions = instance.subscriptions.get(raw);
  if (sessions === undefined) instance.subscriptions.set(raw, new Set([session.id]));
  else sessions.add(session.id);
}

/** A subscription of a host that is granted. */
export function bookSubscription(core: Core, instance: Instance, call: Call): void {
  const session = core.sessions.get(call.session);
  if (session === undefined) return;
  session.subscriptions.set(watchKey(call.server, call.target), call.exposedUri ?? call.target);
  watch(instance, session, call.target);
}

/** A legacy host gives up what it subscribed to by this URI. */
export function unsubscribe(core: Core, session: HostSession, uri: string): void {
  for (const [key, name] of session.subscriptions) {
    if (name !== uri) continue;
    session.subscriptions.delete(key);
    release(core, session, [key]);
  }
}

/** The request to subscribe was given up: the server may have carried it out all the same. */
export function forgetSubscription(core: Core, instance: Instance, link: ServerLink, raw: string): void {
  if (instance.subscriptions.has(raw)) return;
  for (const call of link.calls.values()) if (call.subscribes && call.target === raw) return;
  tell(core, instance, link, 'resources/unsubscribe', JSON.stringify({ uri: raw }));
}

/** A session gave these up, by `watchKey`; what it does not watch by another way is given up at the servers, if nobody else wants it. */
export function release(core: Core, session: HostSession, keys: Iterable<string>): void {
  const touched = new Set<Instance>();
  for (const key of keys) {
    if (watches(session, key)) continue;
    const border = key.indexOf('\n');
    const raw = key.slice(border + 1);
    for (const instance of instancesOf(core, key.slice(0, border))) {
      const sessions = instance.subscriptions.get(raw);
      if (sessions === undefined || !sessions.delete(session.id)) continue;
      if (sessions.size === 0) instance.subscriptions.delete(raw);
      touched.add(instance);
    }
  }
  for (const instance of touched) alignSubscriptions(core, instance);
}

/** Tells a running server what it does not know yet of what hosts watch. */
export function alignSubscriptions(core: Core, instance: Instance): void {
  const { link } = instance;
  if (link?.step !== 'ready' || !canSubscribe(link)) return;
  const added = [...instance.subscriptions.keys()].filter((raw) => !link.subscribed.has(raw));
  const dropped = [...link.subscribed].filter((raw) => !instance.subscriptions.has(raw));
  if (added.length === 0 && dropped.length === 0) return;
  for (const raw of added) link.subscribed.add(raw);
  for (const raw of dropped) link.subscribed.delete(raw);
  if (link.era === 'modern') return listen(core, instance, link);
  for (const raw of added) tell(core, instance, link, 'resources/subscribe', JSON.stringify({ uri: raw }));
  for (const raw of dropped) tell(core, instance, link, 'resources/unsubscribe', JSON.stringify({ uri: raw }));
}

/** Of a fresh process: all that is watched, and a modern server's other notices. */
export function subscribeAnew(core: Core, instance: Instance, link: ServerLink): void {
  if (link.era === 'legacy') return alignSubscriptions(core, instance);
  if (canSubscribe(link)) for (const raw of instance.subscriptions.keys()) link.subscribed.add(raw);
  for (const raw of instance.taskWatchers.keys()) link.subscribedTasks.add(raw);
  listen(core, instance, link);
}

/** Where hosts find fresh instances: what they watched of this server before. */
export function restoreWatches(core: Core, known: KnownServer): void {
  const { name } = known.definition;
  const prefix = watchKey(name, '');
  for (const session of core.sessions.values()) {
    for (const uris of [session.subscriptions, ...[...session.listens.values()].map((one) => one.uris)]) {
      for (const key of uris.keys()) {
        const instance = key.startsWith(prefix) ? placeFor(core, session, session.abilities, known) : null;
        if (instance !== null) watch(instance, session, key.slice(prefix.length));
      }
    }
  }
  for (const instance of instancesOf(core, name)) alignSubscriptions(core, instance);
}

export function canSubscribe(link: Pick<ServerLink, 'capabilities'>): boolean {
  const resources = link.capabilities['resources'] as { subscribe?: unknown } | null | undefined;
  return resources?.subscribe === true;
}

/** The URI by which a host watches this resource, in one of its lists of them. */
export function watchedName(uris: ReadonlyMap<string, string>, target: UriTarget): string | undefined {
  return uris.get(watchKey(target.server, target.raw));
}

// — internal —

function watches(session: HostSession, key: string): boolean {
  if (session.subscriptions.has(key)) return true;
  for (const { uris } of session.listens.values()) if (uris.has(key)) return true;
  return false;
}
