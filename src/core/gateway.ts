import { HEALTH_MISSES_MAX, HEALTH_PROBE_EVERY_MS, START_TIMEOUT_MS } from '../limits.ts';
import { line } from '../protocol/bytes.ts';
import type { NoiseReason } from '../protocol/frame.ts';
import { errorText, INVALID_REQUEST, PARSE_ERROR } from '../protocol/jsonrpc.ts';
import { armIdle, idleStopMs, openCallsOf, sweepDeadlines } from './calls.ts';
import { arm, publishServer } from './emit.ts';
import type { Effect, GatewayEvent, TimerId } from './events.ts';
import { giveUp, onExited, onSpawned, releaseSlot, respawnLegacy, signal } from './fleet.ts';
import {
  allAtRest,
  beginShutdown,
  beginTrial,
  cancelTrial,
  command,
  define,
  forgetIfGone,
  onMemory,
  recycleIfIdle,
  remove,
} from './installed.ts';
import { learnWhenQuiet, onRelistTimer } from './learning.ts';
import { beginHandshake, onProbeSilence } from './links.ts';
import { onListSilence } from './list-reading.ts';
import { MergedLists } from './listing.ts';
import { type ExposedName, LIST_KINDS, type ServerStatus, type SessionStatus } from './model.ts';
import { NameTable } from './names.ts';
import { sendListNotices } from './notices.ts';
import { closeSession, onHostMessage, openSession } from './sessions.ts';
import type { Core, CoreConfig, Instance } from './state.ts';
import { serverStatus, sessionStatus } from './status.ts';
import { onLinkNews, onServerFull, onServerMessage, onServerNoise, probeHealth } from './upstream.ts';
import { UriTable } from './uris.ts';

/**
 * The core of mcpd: takes one event, answers with effects. No I/O, no clock, no randomness of its own, no waiting; so every run can
 * be replayed, and a test can push a hundred thousand random events. Read this file first.
 */
export class Gateway {
  readonly #core: Core;

  /** `names` are the registry's exposed names, in the order they were made. */
  constructor(config: CoreConfig, names: readonly ExposedName[]) {
    const table = new NameTable(names);
    const uris = new UriTable(names);
    this.#core = {
      now: 0,
      out: [],
      config,
      servers: new Map(),
      instances: new Map(),
      sessions: new Map(),
      names: table,
      uris,
      lists: new MergedLists(table, uris),
      startQueue: new Set(),
      startSlots: new Set(),
      mode: 'serving',
      totals: { calls: 0, errors: 0 },
    };
  }

  step(event: GatewayEvent): Effect[] {
    const core = this.#core;
    core.now = event.at;
    core.out = [];
    dispatch(core, event);
    if (core.mode === 'stopping' && allAtRest(core)) {
      core.mode = 'stopped';
      core.out.push({ type: 'all-stopped' });
    }
    return core.out;
  }

  status(name: string): ServerStatus | null {
    const known = this.#core.servers.get(name);
    return known === undefined ? null : serverStatus(this.#core, known);
  }

  statuses(): ServerStatus[] {
    return [...this.#core.servers.keys()].sort().flatMap((name) => this.status(name) ?? []);
  }

  sessions(): SessionStatus[] {
    return [...this.#core.sessions.values()].map((session) => sessionStatus(this.#core, session));
  }

  /** The core's own data, to be looked at and never changed: for the views of the daemon and for tests. */
  get view(): Readonly<Core> {
    return this.#core;
  }
}

// — internal —

function dispatch(core: Core, event: GatewayEvent): void {
  switch (event.type) {
    case 'host-opened':
      return openSession(core, event.session, event.host, event.resume);
    case 'host-message':
    case 'host-noise':
    case 'host-closed':
      return onHost(core, event);
    case 'server-spawned':
    case 'server-message':
    case 'server-noise':
    case 'server-full':
    case 'server-memory':
    case 'server-exited':
      return onServer(core, event);
    case 'server-defined':
      return define(core, event.definition, event.memory);
    case 'server-removed':
      return remove(core, event.server);
    case 'command': {
      const instance = core.instances.get(event.server);
      return instance === undefined ? undefined : command(core, instance, event.command);
    }
    case 'trial':
      return beginTrial(core, event.trial, event.definition);
    case 'trial-cancelled':
      return cancelTrial(core, event.trial);
    case 'timer':
      return onTimer(core, event.timer);
    case 'shutdown':
      return beginShutdown(core, event.now);
  }
}

function onHost(
  core: Core,
  event: Extract<GatewayEvent, { type: 'host-message' | 'host-noise' | 'host-closed' }>,
): void {
  const session = core.sessions.get(event.session);
  if (session === undefined) return;
  if (event.type === 'host-message') return onHostMessage(core, session, event.frame);
  if (event.type === 'host-closed') return closeSession(core, session);
  const code = event.reason === 'not-json' || event.reason === 'invalid-utf8' ? PARSE_ERROR : INVALID_REQUEST;
  const text = errorText(event.id, code, HOST_NOISE[event.reason], { reason: event.reason });
  core.out.push({ type: 'to-host', session: session.id, bytes: line(text), class: 'answer', id: event.id });
}

const HOST_NOISE: Record<NoiseReason, string> = {
  'not-json': 'this line is not JSON',
  'not-jsonrpc': 'this line is JSON, but no JSON-RPC 2.0 message',
  'invalid-utf8': 'this line is not valid UTF-8',
  'too-deep': 'this message is nested too deeply',
  'too-long': 'this message is too long',
  'ambiguous-envelope': 'this message has a member of its envelope twice, or one that differs from it in case only',
  batch: 'batches are not accepted in this session; send one message a line',
};

function onServer(
  core: Core,
  event: Extract<
    GatewayEvent,
    { type: 'server-spawned' | 'server-message' | 'server-noise' | 'server-full' | 'server-memory' | 'server-exited' }
  >,
): void {
  const instance = core.instances.get(event.instance);
  // Words of a process that has been replaced meanwhile concern nobody any more.
  if (instance === undefined || instance.generation !== event.generation) return;
  switch (event.type) {
    case 'server-spawned':
      onSpawned(core, instance, event.pid);
      if (instance.link !== null && instance.phase === 'starting') beginHandshake(core, instance, instance.link);
      return;
    case 'server-message':
      return onServerMessage(core, instance, event.frame);
    case 'server-noise':
      return onServerNoise(core, instance, event.reason, event.id, event.bytes);
    case 'server-full':
      return onServerFull(core, instance, event.id);
    case 'server-memory':
      return onMemory(core, instance, event.limit, event.bytes);
    case 'server-exited':
      if (diedOfProbe(core, instance)) return respawnLegacy(core, instance);
      onExited(core, instance, event.exit);
      return forgetIfGone(core, instance);
  }
}

/** Some legacy servers end at any request before `initialize`: that exit is mcpd's doing, and no crash. */
function diedOfProbe(core: Core, instance: Instance): boolean {
  const probing = instance.phase === 'starting' && instance.pid !== null && instance.link?.step === 'probing';
  return probing && !instance.legacyFirst && core.servers.get(instance.server)?.memory?.era !== 'modern';
}

function onTimer(core: Core, timer: TimerId): void {
  const colon = timer.indexOf(':');
  const kind = timer.slice(0, colon);
  const [key = '', list = ''] = timer.slice(colon + 1).split('/');
  if (kind === 'notice') {
    const session = core.sessions.get(key);
    return session === undefined ? undefined : sendListNotices(core, session);
  }
  const instance = core.instances.get(key);
  if (instance !== undefined) onInstanceTimer(core, instance, kind, list);
}

function onInstanceTimer(core: Core, instance: Instance, kind: string, listName: string): void {
  const { link } = instance;
  const list = LIST_KINDS.find((one) => one === listName);
  switch (kind) {
    case 'start':
      return onStartTimeout(core, instance);
    case 'slot':
      return releaseSlot(core, instance);
    case 'backoff':
    case 'drain':
      return signal(core, instance, 'timer', instance.reason);
    case 'idle':
      return onIdle(core, instance);
    case 'deadline':
      return sweepDeadlines(core, instance);
    case 'probe':
      return link === null ? undefined : onLinkNews(core, instance, link, onProbeSilence(core, instance, link));
    case 'list':
      return link === null || list === undefined
        ? undefined
        : onLinkNews(core, instance, link, onListSilence(core, instance, link, list));
    case 'learn':
      return link?.step === 'ready' ? learnWhenQuiet(core, instance, link) : undefined;
    case 'relist':
    case 'recheck':
      return list === undefined
        ? undefined
        : onRelistTimer(core, instance, list, kind === 'relist' ? 'notice' : 'recheck');
    case 'check':
      arm(core, `check:${instance.key}`, HEALTH_PROBE_EVERY_MS);
      return probeHealth(core, instance, HEALTH_PROBE_EVERY_MS);
    case 'health':
      return onHealthMiss(core, instance);
    case 'memory':
      return recycleIfIdle(core, instance);
  }
}

function onStartTimeout(core: Core, instance: Instance): void {
  if (instance.phase !== 'starting') return;
  const seconds = (instance.definition.limits.startTimeoutMs ?? START_TIMEOUT_MS) / 1000;
  const reason = `it did not answer the handshake (initialize) within ${seconds} s: timed out`;
  if (instance.purpose.kind === 'trial') instance.verdict = { ok: false, step: 'handshake', reason };
  giveUp(core, instance, reason);
}

function onIdle(core: Core, instance: Instance): void {
  instance.idleArmed = false;
  if (instance.phase !== 'running' || instance.held) return;
  const busy = openCallsOf(instance) > 0 || (instance.link?.subscriptions.size ?? 0) > 0;
  if (busy) instance.usedAt = core.now;
  if (core.now - instance.usedAt < idleStopMs(instance)) return armIdle(core, instance);
  signal(core, instance, 'want-down', 'idle');
}

/** Missed probes make it `silent`, no more. It is ended only when a real call timed out too and nothing was heard since. */
function onHealthMiss(core: Core, instance: Instance): void {
  instance.misses += 1;
  publishServer(core, instance.server);
  const callLost = instance.timedOutAt !== null && instance.timedOutAt > instance.heardAt;
  if (instance.misses >= HEALTH_MISSES_MAX && callLost)
    giveUp(core, instance, 'silent: it answers neither calls nor health probes');
}
