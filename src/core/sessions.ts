import { HOST_OPEN_REQUESTS_MAX, INSTRUCTIONS_BYTES_MAX, LIST_TTL_MS, SERVER_OPEN_REQUESTS_MAX } from '../limits.ts';
import { idKey, join } from '../protocol/bytes.ts';
import type { Envelope, Frame } from '../protocol/frame.ts';
import { discoverResult, initializeResult } from '../protocol/handshake.ts';
import { member, text } from '../protocol/members.ts';
import { type ModernEnvelope, missingInEnvelope, progressTokenOf, readModernEnvelope } from '../protocol/meta.ts';
import { isLogLevel, LISTS, routeOf } from '../protocol/methods.ts';
import { MODERN_REVISION, negotiateLegacy, SERVED_REVISIONS } from '../protocol/revisions.ts';
import { cancelCall, openCallsOf } from './calls.ts';
import { answer, refuse } from './emit.ts';
import type { ResumeFacts } from './events.ts';
import { wantForCall } from './fleet.ts';
import { servingInstance } from './instance.ts';
import { alignLogLevel } from './links.ts';
import { type Era, LIST_KINDS, type ListKind } from './model.ts';
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
import { dispatchCall, dropSubscriptions, openListen } from './subscriptions.ts';

/** What hosts send. Everything but calls is answered here and at once, whatever the servers do. */

type Request = Extract<Envelope, { kind: 'request' }>;

export function openSession(core: Core, id: string, host: string, resume: ResumeFacts | null): void {
  const session: HostSession = {
    id,
    host,
    openedAt: core.now,
    era: null,
    protocolVersion: null,
    initialized: false,
    clientInfo: JSON.stringify(core.config.identity),
    logLevel: null,
    open: new Map(),
    listens: new Map(),
    subscriptions: new Set(),
    notices: new Set(),
    calls: 0,
  };
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
  core.out.push({ type: 'disarm-timer', timer: `notice:${session.id}` });
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
  const bytes = join(frame.bytes);
  const envelope = readModernEnvelope(bytes, request.params);
  const era = eraOfRequest(session, request, envelope);
  if (typeof era !== 'string') return refuse(core, session.id, request.id, era);
  const route = routeOf(request.method);
  if (route === null || (route.kind === 'local' && route.eras !== 'both' && route.eras !== era)) {
    return refuse(core, session.id, request.id, unknownMethod(request.method));
  }
  switch (route.kind) {
    case 'local':
      return onLocal(core, session, request, key, bytes);
    case 'list':
      return onList(core, session, request, era, route.list, bytes);
    case 'call':
    case 'subscription':
      return onCall(core, session, frame, request, { key, era, bytes, logLevel: envelope?.logLevel ?? null }, route);
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

function onLocal(core: Core, session: HostSession, request: Request, key: string, bytes: Uint8Array): void {
  const params = paramsOf(request, bytes);
  switch (request.method) {
    case 'initialize': {
      session.era = 'legacy';
      session.protocolVersion = negotiateLegacy(params['protocolVersion']);
      const info = request.params === null ? null : member(bytes, request.params, 'clientInfo');
      if (info !== null) takeClientInfo(session, text(bytes, info));
      core.out.push({ type: 'publish', topic: 'sessions', name: session.id });
      return answer(
        core,
        session.id,
        request.id,
        initializeResult(core.config.identity, session.protocolVersion, instructions(core)),
      );
    }
    case 'server/discover':
      return answer(
        core,
        session.id,
        request.id,
        discoverResult(core.config.identity, instructions(core), LIST_TTL_MS),
      );
    case 'logging/setLevel': {
      const level = params['level'];
      if (!isLogLevel(level))
        return refuse(core, session.id, request.id, invalidParams(`level ${JSON.stringify(level)} is none of MCP's`));
      session.logLevel = level;
      for (const instance of core.instances.values())
        if (instance.link?.step === 'ready') alignLogLevel(core, instance, instance.link);
      return answer(core, session.id, request.id, '{}');
    }
    case 'subscriptions/listen':
      return onListen(core, session, request, key, params);
    default:
      return answer(core, session.id, request.id, '{}');
  }
}

function onListen(
  core: Core,
  session: HostSession,
  request: Request,
  key: string,
  params: Record<string, unknown>,
): void {
  const filter = params['notifications'];
  if (typeof filter !== 'object' || filter === null)
    return refuse(core, session.id, request.id, invalidParams('params.notifications must be an object'));
  const asked = filter as Record<string, unknown>;
  const lists = new Set<ListKind>(LIST_KINDS.filter((kind) => asked[LISTS[kind].filter] === true));
  const uris = asked['resourceSubscriptions'];
  const honoured: Record<string, unknown> = Object.fromEntries([...lists].map((kind) => [LISTS[kind].filter, true]));
  const wanted = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
  if (wanted.length > 0) honoured['resourceSubscriptions'] = wanted;
  const meta = `{"io.modelcontextprotocol/subscriptionId":${request.id}}`;
  openListen(core, session, key, { id: request.id, lists, uris: new Set(wanted) }, JSON.stringify(honoured), meta);
}

function onList(core: Core, session: HostSession, request: Request, era: Era, list: ListKind, bytes: Uint8Array): void {
  if (request.params !== null && member(bytes, request.params, 'cursor') !== null) {
    return refuse(
      core,
      session.id,
      request.id,
      invalidParams('this cursor was not given by mcpd: its lists have one page'),
    );
  }
  const head = Buffer.from(`{"jsonrpc":"2.0","id":${request.id},"result":`);
  const body = core.lists.result(list, era, core.servers);
  core.out.push({
    type: 'to-host',
    session: session.id,
    bytes: [head, body, LIST_END],
    class: 'answer',
    id: request.id,
  });
}

const LIST_END = Buffer.from('}\n');

interface CallFacts {
  key: string;
  era: Era;
  bytes: Uint8Array;
  logLevel: string | null;
}

function onCall(
  core: Core,
  session: HostSession,
  frame: Frame,
  request: Request,
  facts: CallFacts,
  route:
    | { kind: 'call'; at: 'tool' | 'prompt' | 'uri' | 'ref' }
    | { kind: 'subscription'; change: 'subscribe' | 'unsubscribe' },
): void {
  const found = destinationOf(core, facts.bytes, request, route.kind === 'call' ? route.at : 'uri');
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
    progressToken: request.params === null ? null : progressTokenOf(facts.bytes, request.params),
    logLevel: isLogLevel(facts.logLevel) ? facts.logLevel : null,
    openedAt: core.now,
    requestBytes: frame.length,
    phase: { name: 'queued', frame, request },
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

/** A shim that outlived the daemon: its session goes on as it was, and the host is told only of lists that differ from what it saw. */
function resumeSession(core: Core, session: HostSession, resume: ResumeFacts): void {
  session.era = resume.era;
  session.protocolVersion = resume.protocolVersion;
  session.initialized = resume.initialized;
  session.logLevel = isLogLevel(resume.logLevel) ? resume.logLevel : null;
  if (resume.initializeParams !== null) {
    const bytes = Buffer.from(resume.initializeParams);
    const info = member(bytes, { start: 0, end: bytes.length }, 'clientInfo');
    if (info !== null) takeClientInfo(session, text(bytes, info));
  }
  const era = resume.era ?? 'legacy';
  const stale = LIST_KINDS.filter((kind) => {
    const seen = resume.listDigests[kind];
    return seen !== undefined && seen !== core.config.digest(core.lists.result(kind, era, core.servers));
  });
  if (stale.length === 0) return;
  for (const kind of stale) session.notices.add(kind);
  core.out.push({ type: 'arm-timer', timer: `notice:${session.id}`, afterMs: 0 });
}

/** The labelled instructions of all enabled servers, cut at a limit. */
function instructions(core: Core): string | null {
  const parts: string[] = [];
  let room = INSTRUCTIONS_BYTES_MAX;
  for (const name of [...core.servers.keys()].sort()) {
    const known = core.servers.get(name);
    const words = known?.definition.enabled === true ? known.memory?.instructions : null;
    if (words === null || words === undefined) continue;
    const part = `# ${name}\n${words}`;
    if (part.length > room) {
      parts.push(`# ${name}\n(left out: the instructions of all servers together are too long)`);
      continue;
    }
    room -= part.length;
    parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('\n\n');
}

function takeClientInfo(session: HostSession, raw: string): void {
  const info: unknown = JSON.parse(raw);
  if (typeof info !== 'object' || info === null) return;
  session.clientInfo = raw;
  const { name } = info as { name?: unknown };
  if (session.host === '' && typeof name === 'string') session.host = name.slice(0, 100);
}

function paramsOf(request: Request, bytes: Uint8Array): Record<string, unknown> {
  const value: unknown = request.params === null ? {} : JSON.parse(text(bytes, request.params));
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
