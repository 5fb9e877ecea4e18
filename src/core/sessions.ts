import { HOST_OPEN_REQUESTS_MAX, SERVER_OPEN_REQUESTS_MAX } from '../limits.ts';
import { idKey, join } from '../protocol/bytes.ts';
import type { Envelope, Frame } from '../protocol/frame.ts';
import { duplicateKey, member, text } from '../protocol/members.ts';
import { type ModernEnvelope, missingInEnvelope, progressTokenOf, readModernEnvelope } from '../protocol/meta.ts';
import { isLogLevel, routeOf } from '../protocol/methods.ts';
import { type RequestView, viewOf } from '../protocol/request-view.ts';
import { MODERN_REVISION, SERVED_REVISIONS } from '../protocol/revisions.ts';
import { cancelCall, openCallsOf } from './calls.ts';
import { disarm, refuse } from './emit.ts';
import type { ResumeFacts } from './events.ts';
import { wantForCall } from './fleet.ts';
import { newSession, resumeSession, takeClientInfo } from './host-session.ts';
import { servingInstance } from './instance.ts';
import { answerList, answerLocally } from './local-answers.ts';
import type { Era } from './model.ts';
import {
  daemonStopping,
  hostBusy,
  idInUse,
  invalidParams,
  type Refusal,
  serverBusy,
  serverIsManual,
  unknownMethod,
  unsupportedRevision,
} from './refusals.ts';
import { destinationOf, isRefusal } from './routing.ts';
import type { Call, Core, HostSession } from './state.ts';
import { dispatchCall, dropSubscriptions } from './subscriptions.ts';

/** What hosts send. Everything but calls is answered here and at once, whatever the servers do. */

type Request = Extract<Envelope, { kind: 'request' }>;

export function openSession(core: Core, id: string, host: string, resume: ResumeFacts | null): void {
  const session = newSession(core, id, host);
  core.sessions.set(id, session);
  if (resume !== null) resumeSession(core, session, resume);
  core.out.push({ type: 'publish', topic: 'sessions', name: id });
}

export function closeSession(core: Core, session: HostSession): void {
  for (const call of [...session.open.values()]) {
    const instance = core.instances.get(call.instance);
    if (instance !== undefined) cancelCall(core, instance, call, 'the host has left');
  }
  core.sessions.delete(session.id);
  dropSubscriptions(core, session.id, new Set());
  disarm(core, `notice:${session.id}`);
  core.out.push({ type: 'publish', topic: 'sessions', name: session.id });
}

export function onHostMessage(core: Core, session: HostSession, frame: Frame): void {
  switch (frame.envelope.kind) {
    case 'request':
      return onRequest(core, session, frame, frame.envelope);
    case 'notification':
      return onNotice(core, session, frame);
    case 'result':
    case 'error':
      // mcpd asks hosts nothing, so there is no question that this could answer.
      return;
  }
}

// — internal —

function onRequest(core: Core, session: HostSession, frame: Frame, request: Request): void {
  const key = idKey(request.id);
  const refusal = refusalBefore(session, key);
  if (refusal !== null) return refuse(core, session.id, request.id, refusal);
  const view = viewOf(frame, request);
  const twice = duplicateKey(view.params);
  if (twice !== null) return refuse(core, session.id, request.id, invalidParams(`params.${twice} is there twice`));
  const envelope = readModernEnvelope(view);
  const era = eraOfRequest(session, request, envelope);
  if (typeof era !== 'string') return refuse(core, session.id, request.id, era);
  const route = routeOf(request.method);
  if (route === null || (route.kind === 'local' && route.eras !== 'both' && route.eras !== era)) {
    return refuse(core, session.id, request.id, unknownMethod(request.method));
  }
  switch (route.kind) {
    case 'local':
      return answerLocally(core, session, view, key);
    case 'list':
      return answerList(core, session, view, era, route.list);
    case 'call':
    case 'subscription':
      return onCall(core, session, view, { key, era, logLevel: envelope?.logLevel ?? null }, route);
  }
}

function refusalBefore(session: HostSession, key: string): Refusal | null {
  if (session.open.has(key) || session.listens.has(key)) return idInUse(key);
  return session.open.size >= HOST_OPEN_REQUESTS_MAX ? hostBusy(HOST_OPEN_REQUESTS_MAX) : null;
}

/** The era of one request. The first request tells; a host may probe as modern and then fall back to `initialize`. */
function eraOfRequest(session: HostSession, request: Request, envelope: ModernEnvelope | null): Era | Refusal {
  if (request.method === 'initialize' && envelope === null) return 'legacy';
  if (envelope === null) {
    const mustBeModern =
      session.era === 'modern' || request.method === 'server/discover' || request.method === 'subscriptions/listen';
    if (!mustBeModern) return 'legacy';
    return invalidParams(
      `params._meta lacks ${missingInEnvelope({ protocolVersion: null, clientInfo: null, capabilities: null, logLevel: null }).join(' and ')}`,
    );
  }
  if (session.era === 'legacy') return 'legacy';
  const missing = missingInEnvelope(envelope);
  if (missing.length > 0) return invalidParams(`params._meta lacks ${missing.join(' and ')}`);
  if (envelope.protocolVersion !== MODERN_REVISION)
    return unsupportedRevision(envelope.protocolVersion ?? '', SERVED_REVISIONS);
  session.era = 'modern';
  session.protocolVersion = MODERN_REVISION;
  if (envelope.clientInfo !== null) takeClientInfo(session, envelope.clientInfo);
  return 'modern';
}

interface CallFacts {
  key: string;
  era: Era;
  logLevel: string | null;
}

function onCall(
  core: Core,
  session: HostSession,
  view: RequestView,
  facts: CallFacts,
  route:
    | { kind: 'call'; at: 'tool' | 'prompt' | 'uri' | 'ref' }
    | { kind: 'subscription'; change: 'subscribe' | 'unsubscribe' },
): void {
  const { request, frame } = view;
  const found = destinationOf(core, view, route.kind === 'call' ? route.at : 'uri');
  if (isRefusal(found)) return refuse(core, session.id, request.id, found);
  const instance = servingInstance(core, found.server);
  const known = core.servers.get(found.server);
  if (instance === null || known === undefined) return refuse(core, session.id, request.id, daemonStopping());
  const refusal = refusalAtServer(
    core,
    instance.phase === 'running',
    known.definition.start === 'manual' && !instance.held,
    found.server,
  );
  if (refusal !== null) return refuse(core, session.id, request.id, refusal);
  if (openCallsOf(instance) >= SERVER_OPEN_REQUESTS_MAX)
    return refuse(core, session.id, request.id, serverBusy(found.server, SERVER_OPEN_REQUESTS_MAX));

  const call: Call = {
    session: session.id,
    id: request.id,
    idKey: facts.key,
    method: request.method,
    server: found.server,
    instance: instance.key,
    target: found.target,
    rewrite: found.rewrite,
    exposedUri: found.exposedUri,
    hostEra: facts.era,
    progressToken: progressTokenOf(view),
    logLevel: isLogLevel(facts.logLevel) ? facts.logLevel : null,
    openedAt: core.now,
    requestBytes: frame.length,
    phase: { name: 'queued', view },
    aliveAt: core.now,
    progress: null,
    subscription:
      route.kind === 'subscription' ? { uri: found.exposedUri ?? found.target, change: route.change } : null,
  };
  session.calls += 1;
  if (instance.phase === 'running' && instance.link !== null) {
    session.open.set(facts.key, call);
    return dispatchCall(core, instance, instance.link, call);
  }
  const cannotWait = wantForCall(core, instance);
  if (cannotWait !== null) return refuse(core, session.id, request.id, cannotWait);
  session.open.set(facts.key, call);
  instance.queue.push(call);
}

function refusalAtServer(core: Core, running: boolean, byHandOnly: boolean, server: string): Refusal | null {
  if (core.mode !== 'serving') return daemonStopping();
  return byHandOnly && !running ? serverIsManual(server) : null;
}

function onNotice(core: Core, session: HostSession, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification') return;
  if (envelope.method === 'notifications/initialized') {
    session.initialized = true;
    return;
  }
  if (envelope.method !== 'notifications/cancelled' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const id = member(bytes, envelope.params, 'requestId');
  if (id === null) return;
  const key = idKey(text(bytes, id));
  const call = session.open.get(key);
  const instance = call === undefined ? undefined : core.instances.get(call.instance);
  if (call !== undefined && instance !== undefined) return cancelCall(core, instance, call, 'the host cancelled it');
  if (session.listens.delete(key)) {
    dropSubscriptions(core, session.id, new Set([...session.listens.values()].flatMap((one) => [...one.uris])));
  }
}
