import { HOST_NOTICE_GATHER_MS } from '../limits.ts';
import type { RawId } from '../protocol/frame.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { SUBSCRIPTION_ID_KEY } from '../protocol/meta.ts';
import { LISTS } from '../protocol/methods.ts';
import { arm, notify } from './emit.ts';
import type { ListKind } from './model.ts';
import type { Core, HostSession } from './state.ts';

/** What hosts are told of their own accord: changed lists, once per change, and updated resources they subscribed to. */

/** Lists that look different to hosts now. Gathered for a moment, so that one change of a server is one notice. */
export function announceLists(core: Core, kinds: Iterable<ListKind>): void {
  core.lists.changed();
  const changed = [...kinds];
  if (changed.length === 0) return;
  for (const session of core.sessions.values()) {
    if (session.notices.size === 0) arm(core, `notice:${session.id}`, HOST_NOTICE_GATHER_MS);
    for (const kind of changed) session.notices.add(kind);
  }
}

/** The gathered notices of one session. */
export function sendListNotices(core: Core, session: HostSession): void {
  const kinds = [...session.notices];
  session.notices.clear();
  if (session.era === 'legacy') {
    if (!session.initialized) return;
    for (const method of new Set(kinds.map((kind) => LISTS[kind].notice)))
      notify(core, session, notificationText(method, null));
    return;
  }
  for (const listen of session.listens.values()) {
    const wanted = kinds.filter((kind) => listen.lists.has(kind));
    for (const method of new Set(wanted.map((kind) => LISTS[kind].notice)))
      notify(core, session, stamped(method, listen.id, ''));
  }
}

/** Tells the subscribers of `subscribedUri` that `updatedUri` (the same, or one below it) changed; both as hosts know them. */
export function sendUpdated(core: Core, session: HostSession, subscribedUri: string, updatedUri: string): void {
  const params = `"uri":${JSON.stringify(updatedUri)}`;
  const method = 'notifications/resources/updated';
  if (session.era !== 'modern') {
    if (session.subscriptions.has(subscribedUri)) notify(core, session, notificationText(method, `{${params}}`));
    return;
  }
  for (const listen of session.listens.values()) {
    if (listen.uris.has(subscribedUri)) notify(core, session, stamped(method, listen.id, `${params},`));
  }
}

/** A notice on a listen stream carries the id of the request that opened it. */
export function stamped(method: string, listenId: RawId, params: string): string {
  return notificationText(method, `{${params}"_meta":{"${SUBSCRIPTION_ID_KEY}":${listenId}}}`);
}
