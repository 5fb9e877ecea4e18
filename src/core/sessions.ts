import { HOST_OPEN_REQUESTS_MAX } from '../limits.ts';
import { idKey, join } from '../protocol/bytes.ts';
import type { Envelope, Frame, NoiseReason, RawId } from '../protocol/frame.ts';
import { INVALID_REQUEST, PARSE_ERROR } from '../protocol/jsonrpc.ts';
import { duplicateKey, jsonString, member, text } from '../protocol/members.ts';
import { type ModernEnvelope, missingInEnvelope, NO_ENVELOPE, readModernEnvelope } from '../protocol/meta.ts';
import { routeOf } from '../protocol/methods.ts';
import { param, type RequestView, viewOf } from '../protocol/request-view.ts';
import { MODERN_REVISION, SERVED_REVISIONS } from '../protocol/revisions.ts';
import { cancelCall } from './calls.ts';
import { answer, refuse } from './emit.ts';
import type { ResumeFacts } from './events.ts';
import { onCall } from './host-calls.ts';
import { releasePlaces, seeUnseen, tellRootsChanged } from './host-places.ts';
import { newSession, resumeSession, takeAbilities, takeClientInfo } from './host-session.ts';
import { endListen, openListen } from './listens.ts';
import { answerList, answerLocally, setLogLevel } from './local-answers.ts';
import type { Door, Era } from './model.ts';
import { onHostAnswer, onHostLeft, onHostProgress } from './questions.ts';
import {
  hostBusy,
  idInUse,
  invalidParams,
  missingParam,
  type Refusal,
  unknownMethod,
  unsupportedRevision,
} from './refusals.ts';
import type { Core, HostSession } from './state.ts';
import { release, unsubscribe } from './subscriptions.ts';
import { releaseTasks } from './task-listens.ts';
import { dropListings, isListing, listTasks } from './task-lists.ts';
import { knowsTasks } from './tasks.ts';

/** What hosts send. Everything but calls is answered here and at once, whatever the servers do. */

type Request = Extract<Envelope, { kind: 'request' }>;

export function openSession(core: Core, id: string, host: string, door: Door, resume: ResumeFacts | null): void {
  const session = newSession(core, id, host, door);
  core.sessions.set(id, session);
  if (resume !== null) resumeSession(core, session, resume);
  if (door.lasts === 'connection') core.out.push({ type: 'publish', topic: 'sessions', name: id });
}

export function closeSession(core: Core, session: HostSession): void {
  // First, so that nothing is withdrawn from a host that is not there.
  onHostLeft(core, session);
  for (const call of session.open.values()) {
    const instance = core.instances.get(call.instance);
    if (instance !== undefined) cancelCall(core, instance, call, 'the host has left');
  }
  if (session.subscriptions.size > 0 || session.listens.size > 0) releaseWatches(core, session);
  core.sessions.delete(session.id);
  dropListings(core, session, null);
  // Servers need not say any more what only this host wanted to hear.
  setLogLevel(core, session, null);
  releasePlaces(core, session);
  if (session.door.lasts === 'connection') core.out.push({ type: 'publish', topic: 'sessions', name: session.id });
}

export function onHostMessage(core: Core, session: HostSession, frame: Frame): void {
  switch (frame.envelope.kind) {
    case 'request':
      return onRequest(core, session, frame, frame.envelope);
    case 'notification':
      return onNotice(core, session, frame);
    case 'result':
    case 'error':
      return onHostAnswer(core, session, frame);
  }
}

/** A line that is no message. `id` is that of a request, where it could be read. */
export function onHostNoise(core: Core, session: HostSession, reason: NoiseReason, id: RawId | null): void {
  const code = reason === 'not-json' || reason === 'invalid-utf8' ? PARSE_ERROR : INVALID_REQUEST;
  // An id that is in use is to be answered by what it was used for, and by nothing else.
  const own = id === null || isInUse(core, session, idKey(id)) ? null : id;
  refuse(core, session.id, own, { code, message: HOST_NOISE[reason], data: { reason } });
}

// — internal —

const HOST_NOISE: Record<NoiseReason, string> = {
  'not-json': 'this line is not JSON',
  'not-jsonrpc': 'this line is JSON, but no JSON-RPC 2.0 message',
  'invalid-utf8': 'this line is not valid UTF-8',
  'too-deep': 'this message is nested too deeply',
  'too-long': 'this message is too long',
  'ambiguous-envelope': 'this message has a member of its envelope twice, or one that differs from it in case only',
  batch: 'batches are not accepted in this session; send one message a line',
};

function releaseWatches(core: Core, session: HostSession): void {
  const watched = [session.subscriptions, ...[...session.listens.values()].map(({ uris }) => uris)];
  const keys = watched.flatMap((uris) => [...uris.keys()]);
  const tasks = [...session.listens.values()].flatMap((one) => [...one.tasks.keys()]);
  session.subscriptions.clear();
  session.listens.clear();
  release(core, session, keys);
  releaseTasks(core, session, tasks);
}

function isInUse(core: Core, session: HostSession, key: string): boolean {
  return session.open.has(key) || session.listens.has(key) || isListing(core, session, key);
}

function onRequest(core: Core, session: HostSession, frame: Frame, request: Request): void {
  const key = idKey(request.id);
  if (isInUse(core, session, key)) return refuse(core, session.id, request.id, idInUse(key));
  const view = viewOf(frame, request);
  const twice = duplicateKey(view.params);
  if (twice !== null) return refuse(core, session.id, request.id, invalidParams(`params.${twice} is there twice`));
  const envelope = readModernEnvelope(view);
  const era = eraOfRequest(core, session, request, envelope);
  if (typeof era !== 'string') return refuse(core, session.id, request.id, era);
  const route = routeOf(request.method, era);
  const isTask = route?.kind === 'task' || route?.kind === 'task-list';
  if (route === null || (isTask && era === 'legacy' && !knowsTasks(session)))
    return refuse(core, session.id, request.id, unknownMethod(request.method));
  switch (route.kind) {
    case 'local':
      return answerLocally(core, session, view);
    case 'list':
      return answerList(core, session, view, route.list);
    case 'listen':
      return onListen(core, session, view, key);
    case 'subscription':
      if (route.change === 'unsubscribe') return onUnsubscribe(core, session, view);
      break;
    case 'task-list':
      return listTasks(core, session, view, key);
    case 'call':
    case 'task':
      break;
  }
  onCall(core, session, view, { key, era, logLevel: envelope?.logLevel ?? null }, route);
}

/** No legacy revision has them. */
const MODERN_METHODS: readonly string[] = ['server/discover', 'subscriptions/listen'];

/** The era of one request. The first request tells; a host may probe as modern and then fall back to `initialize`. */
function eraOfRequest(
  core: Core,
  session: HostSession,
  request: Request,
  envelope: ModernEnvelope | null,
): Era | Refusal {
  if (envelope === null) {
    if (request.method === 'initialize') return 'legacy';
    if (session.era !== 'modern' && !MODERN_METHODS.includes(request.method)) return 'legacy';
    return invalidParams(`params._meta lacks ${missingInEnvelope(NO_ENVELOPE).join(' and ')}`);
  }
  if (session.era === 'legacy') return 'legacy';
  const missing = missingInEnvelope(envelope);
  if (missing.length > 0) return invalidParams(`params._meta lacks ${missing.join(' and ')}`);
  if (envelope.protocolVersion !== MODERN_REVISION)
    return unsupportedRevision(envelope.protocolVersion ?? '', SERVED_REVISIONS);
  becomeModern(core, session, envelope);
  return 'modern';
}

function becomeModern(core: Core, session: HostSession, { clientInfo, capabilities }: ModernEnvelope): void {
  takeAbilities(session, 'modern', capabilities ?? '{}');
  // Each request brings it; it is the same each time.
  if (clientInfo !== null && clientInfo !== session.clientInfo) takeClientInfo(session, clientInfo);
  if (session.era === 'modern') return;
  session.era = 'modern';
  session.protocolVersion = MODERN_REVISION;
  seeUnseen(core, session);
  if (session.door.lasts === 'connection') core.out.push({ type: 'publish', topic: 'sessions', name: session.id });
}

function onListen(core: Core, session: HostSession, view: RequestView, key: string): void {
  const { request, bytes } = view;
  if (session.listens.size >= HOST_OPEN_REQUESTS_MAX)
    return refuse(core, session.id, request.id, hostBusy(HOST_OPEN_REQUESTS_MAX));
  const filter = param(view, 'notifications');
  openListen(core, session, request.id, key, filter === null ? null : JSON.parse(text(bytes, filter)));
}

function onUnsubscribe(core: Core, session: HostSession, view: RequestView): void {
  const { request, bytes } = view;
  const value = param(view, 'uri');
  const uri = value === null ? null : jsonString(bytes, value);
  if (uri === null) return refuse(core, session.id, request.id, missingParam(request.method, 'uri'));
  unsubscribe(core, session, uri);
  answer(core, session.id, request.id, '{}');
}

function onNotice(core: Core, session: HostSession, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification') return;
  if (envelope.method === 'notifications/initialized') {
    session.initialized = true;
    return seeUnseen(core, session);
  }
  if (envelope.method === 'notifications/progress') return onHostProgress(core, session, frame);
  if (envelope.method === 'notifications/roots/list_changed') return tellRootsChanged(core, session);
  if (envelope.method !== 'notifications/cancelled' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const id = member(bytes, envelope.params, 'requestId');
  if (id === null) return;
  const key = idKey(text(bytes, id));
  if (endListen(core, session, key)) return;
  dropListings(core, session, key);
  const call = session.open.get(key);
  const instance = call === undefined ? undefined : core.instances.get(call.instance);
  if (call !== undefined && instance !== undefined) cancelCall(core, instance, call, 'the host cancelled it');
}
