import { HOST_OPEN_REQUESTS_MAX, HOST_SUBSCRIPTIONS_MAX, SERVER_OPEN_REQUESTS_MAX } from '../limits.ts';
import { progressTokenOf, traceparentOf } from '../protocol/meta.ts';
import { isLogLevel, type Route } from '../protocol/methods.ts';
import { param, type RequestView } from '../protocol/request-view.ts';
import { resultFor } from '../protocol/results.ts';
import type { Call, CallTask } from './call.ts';
import { dispatchCall, mayComplete, NO_COMPLETIONS } from './dispatch.ts';
import { answer, refuse } from './emit.ts';
import { wantForCall } from './fleet.ts';
import { openCallsOf } from './instance.ts';
import { isMoreVerbose } from './links.ts';
import { setLogLevel } from './local-answers.ts';
import { MARK, mark } from './marks.ts';
import type { Era } from './model.ts';
import { parkedFor, unite } from './parking.ts';
import { placeFor } from './places.ts';
import {
  daemonStopping,
  hostBusy,
  letsNobodyIn,
  type Refusal,
  serverBusy,
  serverIsManual,
  serverNotEnabled,
  watchesTooMany,
} from './refusals.ts';
import { isOwnState, isSigned, stateOf } from './request-state.ts';
import { type Destination, destinationOf, isRefusal } from './routing.ts';
import type { Core, HostSession, Instance, KnownServer } from './state.ts';
import { watchedBy } from './subscriptions.ts';
import { byExtension, newRun } from './task-messages.ts';
import { unknownTask } from './task-refusals.ts';
import { knowsTasks, supportOf, taskPlace } from './tasks.ts';

/** Requests of hosts that a server must answer: each finds its server, and goes there or waits for its start. */

export interface CallFacts {
  /** `idKey` of the request's id. */
  key: string;
  era: Era;
  /** What a modern host wants to hear during this call. */
  logLevel: string | null;
}

type CallRoute = Extract<Route, { kind: 'call' | 'subscription' | 'task' }>;

export function onCall(core: Core, session: HostSession, view: RequestView, facts: CallFacts, route: CallRoute): void {
  const { id } = view.request;
  const found = destinationOf(core, session.door.scope, view, route.kind === 'subscription' ? 'uri' : route.at);
  if (isRefusal(found)) return refuse(core, session.id, id, found);
  const known = core.servers.get(found.server);
  const instance = known === undefined ? null : placeOf(core, session, known, route, found);
  if (instance === null || known === undefined) return refuse(core, session.id, id, serverNotEnabled(found.server));
  if (instance === 'foreign')
    return refuse(core, session.id, id, unknownTask(`${found.server} has made none of this id for this host`));
  if (isCompletionless(view, known)) return answer(core, session.id, id, resultFor(facts.era, NO_COMPLETIONS));
  const refusal = refusalBefore(core, session, instance, known, route);
  if (refusal !== null) return refuse(core, session.id, id, refusal);

  const call = newCall(core, session, view, facts, {
    found,
    instance,
    subscribes: route.kind === 'subscription',
    task: taskPartOf(session, view, facts.era, known, route, found.target),
  });
  const hostsState = facts.era === 'modern' ? stateOf(view) : null;
  const state = hostsState === null ? null : ownState(core, call, view, hostsState, eraOf(instance, known));
  if (state !== null) {
    const parked = parkedFor(core, call, view, state);
    if (parked !== 'anew') {
      if ('message' in parked) return refuse(core, session.id, id, parked);
      session.open.set(facts.key, call);
      return unite(core, core.instances.get(parked.instance) ?? instance, parked, call, view);
    }
  }
  session.calls += 1;
  if (call.logLevel !== null && (session.logLevel === null || isMoreVerbose(call.logLevel, session.logLevel)))
    setLogLevel(core, session, call.logLevel);
  if (instance.phase === 'running' && instance.link !== null && !instance.link.deaf) {
    session.open.set(facts.key, call);
    return dispatchCall(core, instance, instance.link, call);
  }
  const cannotWait = wantForCall(core, instance);
  if (cannotWait !== null) return refuse(core, session.id, id, cannotWait);
  session.open.set(facts.key, call);
  mark(call, MARK.starting, core.now);
  instance.queue.add(call);
}

// — internal —

/** A task has its place; what is asked about one that no server of this era can have made is `foreign` to all of them. */
function placeOf(
  core: Core,
  session: HostSession,
  known: KnownServer,
  { kind }: CallRoute,
  { target }: Destination,
): Instance | 'foreign' | null {
  if (kind !== 'task') return placeFor(core, session, session.abilities, known);
  const instance = taskPlace(core, session, known, target);
  const support = instance === null || instance === 'foreign' ? null : supportOf(instance, known);
  if (support === null) return instance;
  const has = session.era === 'modern' ? support.extension : support.calls;
  return has && support.era === (session.era ?? 'legacy') ? instance : 'foreign';
}

/** What a request has to do with tasks, as far as its host is concerned. */
function taskPartOf(
  session: HostSession,
  view: RequestView,
  era: Era,
  known: KnownServer,
  route: CallRoute,
  target: string,
): CallTask | null {
  if (route.kind === 'task') return { kind: 'about' };
  if (route.kind !== 'call' || route.at !== 'tool') return null;
  const asked = param(view, 'task') !== null;
  // Few hosts that could have tasks use them: who calls such a tool plainly wants what it says.
  if (known.taskTools.has(target) && !(asked && knowsTasks(session))) return newRun({ by: 'revision' });
  if (era === 'modern' && session.abilities.tasks) return { kind: 'offered' };
  if (known.extensionTools.has(target)) return newRun(byExtension(era, session.abilities));
  if (era === 'modern') return null;
  if (!asked) return null;
  return { kind: knowsTasks(session) ? 'asked' : 'plain' };
}

/** The state that a retry brings, if mcpd gave it: a modern server has states of its own, unless mcpd has asked for the sake of its task. */
function ownState(core: Core, call: Call, view: RequestView, state: string, serverEra: Era | null): string | null {
  if (serverEra === 'legacy') return state;
  if (!isOwnState(state)) return null;
  return serverEra === null || isSigned(core, call, view, state) ? state : null;
}

/** A server that is known to complete nothing is not started to say so. */
function isCompletionless({ request }: RequestView, { memory }: KnownServer): boolean {
  if (request.method !== 'completion/complete' || memory === null) return false;
  return !mayComplete(memory.protocolVersion, JSON.parse(memory.capabilities) as object);
}

function refusalBefore(
  core: Core,
  session: HostSession,
  instance: Instance,
  known: KnownServer,
  route: CallRoute,
): Refusal | null {
  const { definition } = known;
  if (core.mode !== 'serving') return daemonStopping();
  if (known.locked !== null) return letsNobodyIn(definition.name, known.locked);
  if (definition.start === 'manual' && !isHeldUp(core, instance) && instance.phase !== 'running')
    return serverIsManual(definition.name);
  if (session.open.size >= HOST_OPEN_REQUESTS_MAX) return hostBusy(HOST_OPEN_REQUESTS_MAX);
  if (openCallsOf(instance) >= SERVER_OPEN_REQUESTS_MAX) return serverBusy(definition.name, SERVER_OPEN_REQUESTS_MAX);
  if (route.kind === 'subscription' && watchedBy(session) >= HOST_SUBSCRIPTIONS_MAX)
    return watchesTooMany(HOST_SUBSCRIPTIONS_MAX);
  return null;
}

/** A process of a host's own is up by the same word as that of all hosts. */
function isHeldUp(core: Core, instance: Instance): boolean {
  return instance.held || core.instances.get(instance.server)?.held === true;
}

function eraOf(instance: Instance, { memory }: KnownServer): Era | null {
  return instance.link?.era ?? memory?.era ?? null;
}

function newCall(
  core: Core,
  session: HostSession,
  view: RequestView,
  { key, era, logLevel }: CallFacts,
  {
    found,
    instance,
    subscribes,
    task,
  }: { found: Destination; instance: Instance; subscribes: boolean; task: CallTask | null },
): Call {
  return {
    session: session.id,
    holder: session.holder,
    principal: session.door.principal,
    prefixed: session.door.scope.kind === 'all',
    abilities: session.abilities,
    id: view.request.id,
    idKey: key,
    method: view.request.method,
    server: found.server,
    instance: instance.key,
    target: found.target,
    rewrite: found.rewrite,
    exposedUri: found.exposedUri,
    hostEra: era,
    hostRevision: session.protocolVersion,
    progressToken: progressTokenOf(view),
    logLevel: isLogLevel(logLevel) ? logLevel : null,
    openedAt: core.now,
    firstAt: core.now,
    marks: [],
    requestBytes: view.frame.length,
    traceparent: traceparentOf(view),
    phase: { name: 'queued', view, retry: null },
    aliveAt: core.now,
    progress: null,
    subscribes,
    view,
    rounds: 0,
    questions: 0,
    parked: null,
    need: 'no',
    waitingSince: null,
    askedBack: false,
    lacks: null,
    task,
  };
}
