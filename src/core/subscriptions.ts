import { METHOD_NOT_FOUND, notificationText } from '../protocol/jsonrpc.ts';
import { ask } from './asking.ts';
import { bookSubscription, finishWithRefusal, finishWithResult, sendCall } from './calls.ts';
import { notify } from './emit.ts';
import { listen } from './links.ts';
import type { SessionId } from './model.ts';
import type { Call, Core, HostSession, Instance, Listen, ServerLink } from './state.ts';

/**
 * Resource subscriptions, counted over all hosts: a server hears of the first subscriber of a URI and of the last. Towards modern servers
 * they are part of mcpd's own subscriptions/listen.
 */

/** Sends a call to its running server, or settles a subscription without it. */
export function dispatchCall(core: Core, instance: Instance, link: ServerLink, call: Call): void {
  if (call.subscription === null) return sendCall(core, instance, link, call);
  const subscribers = link.subscriptions.get(call.target);
  const others = [...(subscribers ?? [])].some((id) => id !== call.session);
  const known = subscribers?.has(call.session) ?? false;
  const nothingToSay = call.subscription.change === 'subscribe' ? others || known : others || !known;
  if (nothingToSay) {
    bookSubscription(core, instance, call);
    return finishWithResult(core, instance, call, '{}');
  }
  if (!canSubscribe(link)) {
    const message = `${call.server} has no resource subscriptions`;
    return finishWithRefusal(
      core,
      instance,
      call,
      { code: METHOD_NOT_FOUND, message, data: { server: call.server } },
      'error',
    );
  }
  if (link.era === 'legacy') return sendCall(core, instance, link, call);
  bookSubscription(core, instance, call);
  listen(core, instance, link);
  finishWithResult(core, instance, call, '{}');
}

/** After a (re)start: what hosts subscribed to is subscribed again. */
export function resubscribe(core: Core, instance: Instance, link: ServerLink): void {
  for (const session of core.sessions.values()) {
    for (const exposed of [
      ...session.subscriptions,
      ...[...session.listens.values()].flatMap((one) => [...one.uris]),
    ]) {
      const target = core.uris.resolve(exposed);
      if (target?.server === instance.server) subscribeUpstream(core, instance, link, target.raw, session.id);
    }
  }
}

/** A modern host's listen: acknowledged first, then fed. Its URIs are subscribed at their servers where those run. */
export function openListen(
  core: Core,
  session: HostSession,
  idKey: string,
  one: Listen,
  honouredJson: string,
  meta: string,
): void {
  session.listens.set(idKey, one);
  notify(
    core,
    session,
    notificationText('notifications/subscriptions/acknowledged', `{"notifications":${honouredJson},"_meta":${meta}}`),
  );
  for (const exposed of one.uris) {
    const target = core.uris.resolve(exposed);
    const instance = target === null ? undefined : core.instances.get(target.server);
    if (target === null || instance?.link?.step !== 'ready') continue;
    subscribeUpstream(core, instance, instance.link, target.raw, session.id);
    listen(core, instance, instance.link);
  }
}

/** A session is gone, or one of its listens: what nobody else wants is given up at the servers. */
export function dropSubscriptions(core: Core, id: SessionId, still: ReadonlySet<string>): void {
  for (const instance of core.instances.values()) {
    const { link } = instance;
    if (link === null) continue;
    let dropped = false;
    for (const [raw, subscribers] of link.subscriptions) {
      if (still.has(core.uris.exposed(instance.server, raw)) || !subscribers.delete(id) || subscribers.size > 0)
        continue;
      link.subscriptions.delete(raw);
      dropped = true;
      if (link.era === 'legacy')
        ask(core, instance, link, { kind: 'ignored' }, 'resources/unsubscribe', JSON.stringify({ uri: raw }));
    }
    if (dropped) listen(core, instance, link);
  }
}

// — internal —

function canSubscribe(link: ServerLink): boolean {
  const resources = link.capabilities['resources'] as { subscribe?: unknown } | undefined;
  return resources?.subscribe === true;
}

function subscribeUpstream(core: Core, instance: Instance, link: ServerLink, raw: string, session: SessionId): void {
  if (!canSubscribe(link)) return;
  const subscribers = link.subscriptions.get(raw);
  if (subscribers !== undefined) {
    subscribers.add(session);
    return;
  }
  link.subscriptions.set(raw, new Set([session]));
  if (link.era === 'legacy')
    ask(core, instance, link, { kind: 'ignored' }, 'resources/subscribe', JSON.stringify({ uri: raw }));
}
