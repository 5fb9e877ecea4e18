import { PROBE_TIMEOUT_MS, START_TIMEOUT_MS } from '../limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame } from '../protocol/frame.ts';
import { initializeParams, readInitializeResult, type ServerGreeting } from '../protocol/handshake.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { text } from '../protocol/members.ts';
import { LOG_LEVELS, type LogLevel } from '../protocol/methods.ts';
import { classifyProbe, type ProbeOutcome } from '../protocol/probe.ts';
import { MODERN_REVISION, NEWEST_LEGACY } from '../protocol/revisions.ts';
import { ask, type LinkNews, NO_NEWS, ownMeta } from './asking.ts';
import { arm, disarm, toServer } from './emit.ts';
import { onListPage } from './list-reading.ts';
import type { Core, Instance, Pending, ServerLink } from './state.ts';

/**
 * Protocol state towards one process: which era it speaks, and its greeting. The functions say what came of a message; what follows for
 * the instance is decided in upstream.ts.
 */

const READY: LinkNews = { kind: 'ready' };

export function newLink(): ServerLink {
  return {
    step: 'probing',
    era: null,
    protocolVersion: '',
    serverInfo: '{}',
    capabilities: {},
    instructions: null,
    nextId: 1,
    pending: new Map(),
    reading: new Map(),
    read: new Map(),
    logLevel: null,
    subscriptions: new Map(),
    listenId: null,
  };
}

/** The first words to a fresh process: the remembered era's own, or the probe. */
export function beginHandshake(core: Core, instance: Instance, link: ServerLink): void {
  arm(core, `start:${instance.key}`, instance.definition.limits.startTimeoutMs ?? START_TIMEOUT_MS);
  const era = instance.legacyFirst ? 'legacy' : core.servers.get(instance.server)?.memory?.era;
  if (era === 'legacy' && instance.purpose.kind === 'serve') return initialize(core, instance, link);
  if (instance.legacyFirst) return initialize(core, instance, link);
  link.step = 'probing';
  ask(core, instance, link, { kind: 'probe' }, 'server/discover', `{"_meta":${ownMeta(core)}}`);
  if (era !== 'modern') arm(core, `probe:${instance.key}`, PROBE_TIMEOUT_MS);
}

/** What an answer to one of mcpd's own requests means. */
export function onOwnAnswer(
  core: Core,
  instance: Instance,
  link: ServerLink,
  pending: Pending,
  frame: Frame,
): LinkNews {
  switch (pending.kind) {
    case 'probe':
      return onProbe(core, instance, link, probeOutcome(frame));
    case 'initialize':
      return onInitialized(core, instance, link, frame);
    case 'list':
      return onListPage(core, instance, link, pending.list, frame);
    case 'health':
      instance.misses = 0;
      disarm(core, `health:${instance.key}`);
      return NO_NEWS;
    case 'listen':
      link.listenId = null;
      return NO_NEWS;
    case 'call':
    case 'ignored':
      return NO_NEWS;
  }
}

/** The era probe was not answered in time: the same pipe gets `initialize`. */
export function onProbeSilence(core: Core, instance: Instance, link: ServerLink): LinkNews {
  if (link.step !== 'probing') return NO_NEWS;
  for (const [id, pending] of link.pending) if (pending.kind === 'probe') link.pending.set(id, { kind: 'ignored' });
  return onProbe(core, instance, link, { kind: 'silence' });
}

/** Sends the most verbose level that any host asked for, when the server has logging and does not know it yet. */
export function alignLogLevel(core: Core, instance: Instance, link: ServerLink): void {
  if (link.era !== 'legacy' || link.capabilities['logging'] === undefined) return;
  let wanted: LogLevel | null = null;
  for (const session of core.sessions.values()) {
    const level = session.logLevel;
    if (level !== null && (wanted === null || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(wanted))) wanted = level;
  }
  if (wanted === null || wanted === link.logLevel) return;
  link.logLevel = wanted;
  ask(core, instance, link, { kind: 'ignored' }, 'logging/setLevel', JSON.stringify({ level: wanted }));
}

/** One sign of life: `ping`, or `server/discover` where ping is gone. */
export function askHealth(core: Core, instance: Instance, link: ServerLink): void {
  if (link.era === 'modern')
    ask(core, instance, link, { kind: 'health' }, 'server/discover', `{"_meta":${ownMeta(core)}}`);
  else ask(core, instance, link, { kind: 'health' }, 'ping', null);
}

/** Asks a modern server for notices: list changes, and updates of the URIs that hosts subscribed to. A new one replaces the old. */
export function listen(core: Core, instance: Instance, link: ServerLink): void {
  if (link.era !== 'modern') return;
  const filter = {
    toolsListChanged: declares(link, 'tools'),
    promptsListChanged: declares(link, 'prompts'),
    resourcesListChanged: declares(link, 'resources'),
    resourceSubscriptions: [...link.subscriptions.keys()],
  };
  if (!filter.toolsListChanged && !filter.promptsListChanged && !filter.resourcesListChanged) return;
  const old = link.listenId;
  link.listenId = ask(
    core,
    instance,
    link,
    { kind: 'listen' },
    'subscriptions/listen',
    `{"notifications":${JSON.stringify(filter)},"_meta":${ownMeta(core)}}`,
  );
  if (old === null) return;
  link.pending.set(old, { kind: 'ignored' });
  toServer(core, instance, notificationText('notifications/cancelled', JSON.stringify({ requestId: old })));
}

// — internal —

function initialize(core: Core, instance: Instance, link: ServerLink): void {
  link.step = 'initializing';
  ask(core, instance, link, { kind: 'initialize' }, 'initialize', initializeParams(core.config.identity));
}

function probeOutcome(frame: Frame): ProbeOutcome {
  const bytes = join(frame.bytes);
  if (frame.envelope.kind === 'result')
    return { kind: 'result', result: JSON.parse(text(bytes, frame.envelope.result)) };
  if (frame.envelope.kind !== 'error') return { kind: 'silence' };
  const error = JSON.parse(text(bytes, frame.envelope.error)) as { code?: unknown; data?: unknown };
  return { kind: 'error', code: typeof error.code === 'number' ? error.code : 0, data: error.data };
}

/** Also called with `exit`, when the process ended while it was being probed. */
export function onProbe(core: Core, instance: Instance, link: ServerLink, outcome: ProbeOutcome): LinkNews {
  disarm(core, `probe:${instance.key}`);
  const verdict = classifyProbe(outcome);
  switch (verdict.verdict) {
    case 'modern':
      link.era = 'modern';
      greet(link, verdict.greeting);
      link.protocolVersion = MODERN_REVISION;
      return READY;
    case 'legacy':
      initialize(core, instance, link);
      return NO_NEWS;
    case 'legacy-respawn':
      return { kind: 'respawn-legacy' };
    case 'unusable':
      return { kind: 'refused', step: 'handshake', reason: verdict.reason };
  }
}

function onInitialized(core: Core, instance: Instance, link: ServerLink, frame: Frame): LinkNews {
  const bytes = join(frame.bytes);
  if (frame.envelope.kind === 'error') {
    const message = text(bytes, frame.envelope.error);
    return { kind: 'refused', step: 'handshake', reason: `it refused initialize: ${message.slice(0, 300)}` };
  }
  if (frame.envelope.kind !== 'result') return NO_NEWS;
  const greeting = readInitializeResult(JSON.parse(text(bytes, frame.envelope.result)));
  if (typeof greeting === 'string') return { kind: 'refused', step: 'handshake', reason: greeting };
  link.era = 'legacy';
  greet(link, greeting);
  // After the answer, never before: a pipelined `initialized` finds servers that have not stored the capabilities yet.
  toServer(core, instance, notificationText('notifications/initialized', null));
  return READY;
}

function greet(link: ServerLink, greeting: ServerGreeting): void {
  link.step = 'ready';
  link.protocolVersion = greeting.protocolVersion === '' ? NEWEST_LEGACY : greeting.protocolVersion;
  link.serverInfo = greeting.serverInfo;
  link.capabilities = greeting.capabilities;
  link.instructions = greeting.instructions;
}

function declares(link: ServerLink, capability: string): boolean {
  return link.capabilities[capability] !== undefined;
}
