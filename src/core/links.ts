import {
  COMPARE_TIMEOUT_MS,
  GREETING_BYTES_MAX,
  PROBE_REMEMBERED_TIMEOUT_MS,
  PROBE_TIMEOUT_MS,
  START_TIMEOUT_MS,
} from '../limits.ts';
import { capabilitiesForLegacy } from '../protocol/abilities.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame } from '../protocol/frame.ts';
import { initializeParams, readInitializeResult, type ServerGreeting } from '../protocol/handshake.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { text } from '../protocol/members.ts';
import { LOG_LEVELS, type LogLevel } from '../protocol/methods.ts';
import { classifyProbe, type ProbeOutcome } from '../protocol/probe.ts';
import { taskSupportIn } from '../protocol/tasks.ts';
import { abandonOwn, ask, type LinkNews, NO_NEWS, ownMeta, tell } from './asking.ts';
import { arm, disarm, toServer } from './emit.ts';
import { onListFailure, onListPage } from './list-reading.ts';
import { onListenEnded } from './listening.ts';
import type { OwnRequest } from './own-requests.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { onNoTaskPage, onTaskPage } from './task-lists.ts';

/**
 * Protocol state towards one process: which era it speaks, and its greeting. The functions say what came of a message; what follows for
 * the instance is decided in upstream.ts.
 */

const READY: LinkNews = { kind: 'ready' };

/** The first words to a fresh process: the remembered era's own, or the probe. */
export function beginHandshake(core: Core, instance: Instance, link: ServerLink): void {
  const patienceMs = instance.definition.limits.startTimeoutMs ?? START_TIMEOUT_MS;
  const comparing = instance.purpose.kind === 'compare';
  arm(core, `start:${instance.key}`, comparing ? Math.min(patienceMs, COMPARE_TIMEOUT_MS) : patienceMs);
  // A trial is there to see, and believes nothing; not even what is known of an installed server of that name.
  const memory = instance.purpose.kind === 'serve' ? core.servers.get(instance.server)?.memory : null;
  if (instance.legacyFirst || comparing || memory?.era === 'legacy') initialize(core, instance, link);
  else
    probe(core, instance, link, {
      patienceMs: memory?.era === 'modern' ? PROBE_REMEMBERED_TIMEOUT_MS : PROBE_TIMEOUT_MS,
    });
}

/** What an answer to one of mcpd's own requests means. `id` is that of the request. */
export function onOwnAnswer(
  core: Core,
  instance: Instance,
  link: ServerLink,
  own: OwnRequest,
  id: number,
  frame: Frame,
): LinkNews {
  const tooBig = frame.length > GREETING_BYTES_MAX ? `its answer has ${frame.length} bytes` : null;
  switch (own.kind) {
    case 'probe':
      return onProbe(core, instance, link, probeOutcome(frame), own.again);
    case 'initialize':
      return tooBig === null
        ? onInitialized(core, instance, link, frame)
        : onOwnFailure(core, instance, link, own, tooBig);
    case 'list':
      return onListPage(core, instance, link, own.list, frame);
    case 'health':
      // That it came was all that was asked.
      return NO_NEWS;
    case 'listen':
      onListenEnded(core, instance, link, id, frame.envelope.kind === 'error');
      return NO_NEWS;
    case 'tasks':
      onTaskPage(core, instance, link, own.listing, frame);
      return NO_NEWS;
  }
}

/** One of mcpd's own requests was answered by something that cannot be read. */
export function onOwnFailure(core: Core, instance: Instance, link: ServerLink, own: OwnRequest, why: string): LinkNews {
  switch (own.kind) {
    case 'probe':
      return onProbe(core, instance, link, { kind: 'error', code: 0, data: null }, own.again);
    case 'initialize':
      return { kind: 'refused', step: 'handshake', reason: `its answer to initialize cannot be read: ${why}` };
    case 'list':
      return onListFailure(core, instance, link, own.list, why);
    case 'health':
    case 'listen':
      return NO_NEWS;
    case 'tasks':
      onNoTaskPage(core, instance, own.listing);
      return NO_NEWS;
  }
}

/**
 * The era probe was not answered in time: the same pipe gets `initialize`. Or `initialize` was not answered in time after a late answer to
 * the probe: then that answer counts.
 */
export function onProbeSilence(core: Core, instance: Instance, link: ServerLink): LinkNews {
  if (link.step === 'initializing' && link.lateGreeting !== null)
    return becomeModern(core, instance, link, link.lateGreeting);
  if (link.step !== 'probing') return NO_NEWS;
  return followProbe(core, instance, link, { kind: 'silence' });
}

/** Its process ended. Some legacy servers end at any request before `initialize`: that exit is mcpd's doing, and no crash. */
export function onExitWhileProbed(core: Core, instance: Instance, link: ServerLink): LinkNews {
  if (link.probe !== 'open' || link.step === 'ready' || instance.legacyFirst) return NO_NEWS;
  return followProbe(core, instance, link, { kind: 'exit' });
}

/** Sends the most verbose level that any host asked for, when the server has logging and does not know it yet. */
export function alignLogLevel(core: Core, instance: Instance, link: ServerLink): void {
  if (link.era !== 'legacy' || link.capabilities['logging'] === undefined) return;
  let wanted: LogLevel | null = null;
  for (const { logLevel } of core.sessions.values()) {
    if (logLevel !== null && (wanted === null || isMoreVerbose(logLevel, wanted))) wanted = logLevel;
  }
  if (wanted === null || wanted === link.logLevel) return;
  link.logLevel = wanted;
  tell(core, instance, link, 'logging/setLevel', JSON.stringify({ level: wanted }));
}

export function isMoreVerbose(level: LogLevel, than: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(than);
}

// — internal —

function probe(
  core: Core,
  instance: Instance,
  link: ServerLink,
  { again = false, patienceMs = PROBE_TIMEOUT_MS } = {},
): void {
  link.step = 'probing';
  link.probe = 'open';
  ask(core, instance, link, { kind: 'probe', again }, 'server/discover', `{"_meta":${ownMeta(core)}}`);
  arm(core, `probe:${instance.key}`, patienceMs);
}

function initialize(core: Core, instance: Instance, link: ServerLink): void {
  link.step = 'initializing';
  ask(
    core,
    instance,
    link,
    { kind: 'initialize' },
    'initialize',
    initializeParams(core.config.identity, capabilitiesForLegacy(link.abilities)),
  );
}

function probeOutcome(frame: Frame): ProbeOutcome {
  if (frame.length > GREETING_BYTES_MAX) return { kind: 'error', code: 0, data: null };
  const bytes = join(frame.bytes);
  if (frame.envelope.kind === 'result')
    return { kind: 'result', result: JSON.parse(text(bytes, frame.envelope.result)) };
  if (frame.envelope.kind !== 'error') return { kind: 'silence' };
  const error = JSON.parse(text(bytes, frame.envelope.error)) as { code?: unknown; data?: unknown } | null;
  return { kind: 'error', code: typeof error?.code === 'number' ? error.code : 0, data: error?.data };
}

/**
 * The answer may come late, after `initialize` was sent: a modern server that was slow to start is modern all the same. One of both eras
 * takes `initialize` for the choice of the old one and keeps to that, so its answer to it is waited for.
 */
function onProbe(core: Core, instance: Instance, link: ServerLink, outcome: ProbeOutcome, again: boolean): LinkNews {
  link.probe = 'answered';
  const asksAgain = !again && link.step === 'probing' && classifyProbe(outcome).verdict === 'contradictory';
  if (asksAgain) {
    probe(core, instance, link, { again: true });
    return NO_NEWS;
  }
  return link.step === 'ready' ? NO_NEWS : followProbe(core, instance, link, outcome);
}

function followProbe(core: Core, instance: Instance, link: ServerLink, outcome: ProbeOutcome): LinkNews {
  disarm(core, `probe:${instance.key}`);
  const verdict = classifyProbe(outcome);
  switch (verdict.verdict) {
    case 'modern':
      if (link.step !== 'initializing' || link.refusal !== null)
        return becomeModern(core, instance, link, verdict.greeting);
      link.lateGreeting = verdict.greeting;
      arm(core, `probe:${instance.key}`, PROBE_TIMEOUT_MS);
      return NO_NEWS;
    case 'legacy':
      if (link.refusal !== null) return { kind: 'refused', step: 'handshake', reason: link.refusal };
      if (link.step === 'probing') initialize(core, instance, link);
      return NO_NEWS;
    case 'legacy-respawn':
      return { kind: 'respawn-legacy' };
    case 'contradictory':
    case 'unusable':
      return { kind: 'refused', step: 'handshake', reason: verdict.reason };
  }
}

function becomeModern(core: Core, instance: Instance, link: ServerLink, greeting: ServerGreeting): LinkNews {
  disarm(core, `probe:${instance.key}`);
  abandonOwn(link, (own) => own.kind === 'initialize');
  instance.legacyFirst = false;
  link.era = 'modern';
  greet(link, greeting);
  return READY;
}

function onInitialized(core: Core, instance: Instance, link: ServerLink, frame: Frame): LinkNews {
  const bytes = join(frame.bytes);
  if (frame.envelope.kind === 'error') {
    const reason = `it refused initialize: ${text(bytes, frame.envelope.error).slice(0, 300)}`;
    return onRefused(core, instance, link, reason);
  }
  if (frame.envelope.kind !== 'result') return NO_NEWS;
  const greeting = readInitializeResult(JSON.parse(text(bytes, frame.envelope.result)));
  if (typeof greeting === 'string') return { kind: 'refused', step: 'handshake', reason: greeting };
  disarm(core, `probe:${instance.key}`);
  link.era = 'legacy';
  greet(link, greeting);
  // After the answer, never before: a pipelined `initialized` finds servers that have not stored the capabilities yet.
  toServer(core, instance, notificationText('notifications/initialized', null));
  return READY;
}

/** A server that has become modern refuses `initialize`; its answer to the probe decides. */
function onRefused(core: Core, instance: Instance, link: ServerLink, reason: string): LinkNews {
  if (link.lateGreeting !== null) return becomeModern(core, instance, link, link.lateGreeting);
  if (link.probe === 'answered') return { kind: 'refused', step: 'handshake', reason };
  link.refusal = reason;
  if (link.probe === 'unasked') probe(core, instance, link);
  return NO_NEWS;
}

function greet(link: ServerLink, greeting: ServerGreeting): void {
  link.step = 'ready';
  link.protocolVersion = greeting.protocolVersion;
  link.serverInfo = greeting.serverInfo;
  link.capabilities = greeting.capabilities;
  link.taskSupport = taskSupportIn(greeting.capabilities);
  link.instructions = greeting.instructions;
}
