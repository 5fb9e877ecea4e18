import { HOST_NOTICE_EVERY_MS, HOST_NOTICE_GATHER_MS } from '../limits.ts';
import type { RawId } from '../protocol/frame.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { SUBSCRIPTION_ID_KEY } from '../protocol/meta.ts';
import { LISTS } from '../protocol/methods.ts';
import { arm, notify } from './emit.ts';
import type { ListKind } from './model.ts';
import type { Core, HostSession, Instance, Listen } from './state.ts';
import { watchedName } from './subscriptions.ts';
import { markedLike } from './uris.ts';

/** What hosts are told of their own accord: changed lists, once per change, and changed resources that they watch. */

/**
 * The lists may look different to hosts now. Whether they do is seen a moment later, so that one change of a server, or one that is taken
 * back, is one notice, or none.
 */
export function announceLists(core: Core): void {
  const { listNews } = core;
  if (core.sessions.size === 0) return core.lists.forgotten();
  core.lists.changed();
  if (listNews.armed) return;
  listNews.armed = true;
  arm(core, 'notice:lists', Math.max(HOST_NOTICE_GATHER_MS, listNews.toldAt + HOST_NOTICE_EVERY_MS - core.now));
}

/** Tells hosts which lists differ from what they were given. */
export function sendListNews(core: Core): void {
  core.listNews.armed = false;
  const news = core.lists.news(core.servers);
  if (news.size > 0) core.listNews.toldAt = core.now;
  for (const session of core.sessions.values())
    if (session.era !== null) tellOfLists(core, session, news.get(session.audience.key) ?? []);
}

/** One notice for each kind of list that a host cares for. */
export function tellOfLists(core: Core, session: HostSession, kinds: readonly ListKind[]): void {
  if (session.era === 'legacy') {
    if (!session.initialized) return;
    for (const method of noticesOf(kinds)) notify(core, session, notificationText(method, null));
    return;
  }
  for (const listen of session.listens.values()) tellListen(core, session, listen, kinds);
}

export function tellListen(core: Core, session: HostSession, listen: Listen, kinds: readonly ListKind[]): void {
  for (const method of noticesOf(kinds.filter((kind) => listen.lists.has(kind))))
    notify(core, session, stamped(method, listen.id, ''), listen.id);
}

/**
 * A resource of this server changed: its watchers are told, and those of what lies above it; when it fits none, all watchers of the
 * server. Each host hears of it once, by the URI that it uses itself.
 */
export function tellOfUpdate(core: Core, instance: Instance, uri: string): void {
  const fitting = new Map<string, string>();
  const watched = [...instance.subscriptions.keys()];
  const near = watched.filter((raw) => raw === uri || uri.startsWith(raw.endsWith('/') ? raw : `${raw}/`));
  for (const raw of near.length > 0 ? near : watched) {
    for (const id of instance.subscriptions.get(raw) ?? []) if (raw === uri || !fitting.has(id)) fitting.set(id, raw);
  }
  for (const [id, raw] of fitting) {
    const session = core.sessions.get(id);
    if (session !== undefined) sendUpdated(core, session, instance.server, raw, uri);
  }
}

// — internal —

function noticesOf(kinds: readonly ListKind[]): Set<string> {
  return new Set(kinds.map((kind) => LISTS[kind].notice));
}

function sendUpdated(core: Core, session: HostSession, server: string, raw: string, uri: string): void {
  const method = 'notifications/resources/updated';
  const paramFor = (name: string) => `"uri":${JSON.stringify(raw === uri ? name : markedLike(name, raw, uri))}`;
  const own = watchedName(session.subscriptions, { server, raw });
  if (own !== undefined) notify(core, session, notificationText(method, `{${paramFor(own)}}`));
  for (const listen of session.listens.values()) {
    const name = watchedName(listen.uris, { server, raw });
    if (name !== undefined) notify(core, session, stamped(method, listen.id, `${paramFor(name)},`), listen.id);
  }
}

/** A notice on a listen stream carries the id of the request that opened it. */
function stamped(method: string, listenId: RawId, params: string): string {
  return notificationText(method, `{${params}"_meta":{"${SUBSCRIPTION_ID_KEY}":${listenId}}}`);
}
