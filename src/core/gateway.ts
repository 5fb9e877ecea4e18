import { START_TIMEOUT_MS } from '../limits.ts';
import { idKey } from '../protocol/bytes.ts';
import { NO_NEWS } from './asking.ts';
import { sweepDeadlines } from './deadlines.ts';
import type { Effect, GatewayEvent, TimerId } from './events.ts';
import { giveUp, onBackoffOver, onExited, onSpawned, releaseSlot, signal } from './fleet.ts';
import { onCheck, onHealthMiss } from './health.ts';
import { armIdle, idleStopMs } from './idle.ts';
import {
  beginShutdown,
  command,
  define,
  drifted,
  forgetIfGone,
  lock,
  onMemory,
  recycleIfIdle,
  remove,
  stopIfAtRest,
} from './installed.ts';
import { openCallsOf } from './instance.ts';
import { learnWhenQuiet, onRelistTimer } from './learning.ts';
import { beginHandshake, onExitWhileProbed, onProbeSilence } from './links.ts';
import { onListSilence } from './list-reading.ts';
import { listen } from './listening.ts';
import { MergedLists } from './listing.ts';
import { type ExitReport, type ExposedName, LIST_KINDS, type ServerStatus, type SessionStatus } from './model.ts';
import { NameTable } from './names.ts';
import { sendListNews } from './notices.ts';
import { onParkTimer } from './parking.ts';
import { instancesOf } from './places.ts';
import { onNoAnswer, onQuestionTimeout } from './questions.ts';
import { onTurnTimer } from './queue.ts';
import { onAgainTimer } from './rounds.ts';
import { onFlowTimer } from './server-notices.ts';
import { closeSession, onHostMessage, onHostNoise, openSession } from './sessions.ts';
import type { Core, CoreConfig, Instance, ServerLink } from './state.ts';
import { serverStatus, sessionStatus } from './status.ts';
import { endListingsAt, onTaskListTimer } from './task-lists.ts';
import { onPollTimer } from './task-polling.ts';
import { neededForTasksUntil } from './tasks.ts';
import { TransientMap } from './transient-map.ts';
import { beginTrial, cancelTrial } from './trials.ts';
import { onLinkNews, onServerFull, onServerMessage, onServerNoise } from './upstream.ts';
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
      ownInfo: JSON.stringify(config.identity),
      servers: new Map(),
      instances: new Map(),
      sessions: new TransientMap(),
      names: table,
      uris,
      lists: new MergedLists(table, uris),
      listNews: { armed: false, toldAt: Number.NEGATIVE_INFINITY },
      questions: new Map(),
      parked: new Map(),
      tasks: new Map(),
      taskListings: new Map(),
      nextQuestion: 1,
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
    stopIfAtRest(core);
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
    const lasting = [...this.#core.sessions.values()].filter(({ door }) => door.lasts === 'connection');
    return lasting.map((session) => sessionStatus(this.#core, session));
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
      return openSession(core, event.session, event.host, event.door, event.resume);
    case 'host-message':
    case 'host-noise':
    case 'host-closed':
    case 'host-deaf':
      return onHost(core, event);
    case 'server-spawned':
    case 'server-message':
    case 'server-noise':
    case 'server-full':
    case 'server-memory':
    case 'server-deaf':
    case 'server-exited':
      return onServer(core, event);
    case 'server-defined':
      return define(core, event.definition, event.memory, event.wish);
    case 'server-removed':
      return remove(core, event.server);
    case 'server-locked':
      return lock(core, event.server, event.lock);
    case 'server-drifted':
      return drifted(core, event.server, event.drift);
    case 'command':
      for (const instance of instancesOf(core, event.server)) command(core, instance, event.command);
      return;
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
  event: Extract<GatewayEvent, { type: 'host-message' | 'host-noise' | 'host-closed' | 'host-deaf' }>,
): void {
  const session = core.sessions.get(event.session);
  if (session === undefined) return;
  switch (event.type) {
    case 'host-message':
      return onHostMessage(core, session, event.frame);
    case 'host-noise':
      return onHostNoise(core, session, event.reason, event.id);
    case 'host-closed':
      return closeSession(core, session);
    case 'host-deaf': {
      const question = core.questions.get(idKey(event.question));
      return question?.session === session.id ? onNoAnswer(core, question, 'the host cannot be asked now') : undefined;
    }
  }
}

function onServer(
  core: Core,
  event: Extract<
    GatewayEvent,
    {
      type:
        | 'server-spawned'
        | 'server-message'
        | 'server-noise'
        | 'server-full'
        | 'server-memory'
        | 'server-deaf'
        | 'server-exited';
    }
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
      return onServerMessage(core, instance, event.frame, event.about);
    case 'server-noise':
      return onServerNoise(core, instance, event);
    case 'server-full':
      return onServerFull(core, instance, event.id);
    case 'server-memory':
      return onMemory(core, instance, event.limit, event.bytes);
    case 'server-deaf':
      if (instance.link !== null) instance.link.deaf = true;
      return;
    case 'server-exited':
      return onServerExited(core, instance, event.exit);
  }
}

function onServerExited(core: Core, instance: Instance, exit: ExitReport): void {
  const { link, phase } = instance;
  const news = link === null || phase !== 'starting' ? NO_NEWS : onExitWhileProbed(core, instance, link);
  if (link !== null && news.kind === 'respawn-legacy') return onLinkNews(core, instance, link, news);
  onExited(core, instance, exit);
  endListingsAt(core, instance);
  forgetIfGone(core, instance);
}

function onTimer(core: Core, timer: TimerId): void {
  if (timer === 'notice:lists') return sendListNews(core);
  const colon = timer.indexOf(':');
  if (timer.startsWith('question:')) return onQuestionTimeout(core, timer.slice(colon + 1));
  if (timer.startsWith('park:')) return onParkTimer(core, timer.slice(colon + 1));
  if (timer.startsWith('tasks:')) return onTaskListTimer(core, Number(timer.slice(colon + 1)));
  const [key = '', list = ''] = timer.slice(colon + 1).split('/');
  const instance = core.instances.get(key);
  if (instance !== undefined) onInstanceTimer(core, instance, timer.slice(0, colon), list);
}

function onInstanceTimer(core: Core, instance: Instance, kind: string, listName: string): void {
  const { link } = instance;
  switch (kind) {
    case 'start':
      return onStartTimeout(core, instance);
    case 'slot':
      return releaseSlot(core, instance);
    case 'backoff':
      return onBackoffOver(core, instance);
    case 'drain':
      return signal(core, instance, 'timer', instance.reason);
    case 'idle':
      return onIdle(core, instance);
    case 'deadline':
      return sweepDeadlines(core, instance);
    case 'check':
      return onCheck(core, instance);
    case 'health':
      return onHealthMiss(core, instance);
    case 'memory':
      return recycleIfIdle(core, instance);
    case 'turn':
      return onTurnTimer(core, instance);
    case 'again':
      return onAgainTimer(core, instance);
    case 'poll':
      return onPollTimer(core, instance);
    default:
      return link === null ? undefined : onLinkTimer(core, instance, link, kind, listName);
  }
}

function onLinkTimer(core: Core, instance: Instance, link: ServerLink, kind: string, listName: string): void {
  const list = LIST_KINDS.find((one) => one === listName);
  switch (kind) {
    case 'probe':
      return onLinkNews(core, instance, link, onProbeSilence(core, instance, link));
    case 'learn':
      return instance.phase === 'running' ? learnWhenQuiet(core, instance, link) : undefined;
    case 'listen':
      return listen(core, instance, link);
    case 'flow':
      return onFlowTimer(core, instance, link);
    case 'list':
      return list === undefined
        ? undefined
        : onLinkNews(core, instance, link, onListSilence(core, instance, link, list));
    case 'relist':
    case 'recheck':
      return list === undefined ? undefined : onRelistTimer(core, instance, link, list, kind);
  }
}

function onStartTimeout(core: Core, instance: Instance): void {
  if (instance.phase !== 'starting') return;
  const seconds = (instance.definition.limits.startTimeoutMs ?? START_TIMEOUT_MS) / 1000;
  const reason = `it did not answer the handshake (initialize) within ${seconds} s: timed out`;
  if (instance.purpose.kind !== 'serve') instance.verdict ??= { ok: false, step: 'handshake', reason };
  giveUp(core, instance, reason);
}

function onIdle(core: Core, instance: Instance): void {
  instance.idleArmed = false;
  if (instance.phase !== 'running' || instance.held) return;
  const isNeeded = instance.subscriptions.size > 0 || neededForTasksUntil(core, instance) > core.now;
  if (openCallsOf(instance) > 0 || isNeeded) instance.usedAt = core.now;
  if (core.now - instance.usedAt < idleStopMs(instance)) return armIdle(core, instance);
  signal(core, instance, 'want-down', 'idle');
}
