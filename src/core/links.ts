import {
  LIST_BYTES_MAX,
  LIST_ENTRIES_MAX,
  LIST_PAGES_MAX,
  LIST_TIMEOUT_MS,
  PROBE_TIMEOUT_MS,
  START_TIMEOUT_MS,
} from '../limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { initializeParams, modernMeta, readInitializeResult, type ServerGreeting } from '../protocol/handshake.ts';
import { notificationText, requestText } from '../protocol/jsonrpc.ts';
import { elements, jsonString, member, text } from '../protocol/members.ts';
import { LISTS, LOG_LEVELS, type LogLevel } from '../protocol/methods.ts';
import { classifyProbe, type ProbeOutcome } from '../protocol/probe.ts';
import { MODERN_REVISION, NEWEST_LEGACY } from '../protocol/revisions.ts';
import { arm, disarm, find, log, toServer } from './emit.ts';
import { checkEntry } from './entries.ts';
import type { ListKind } from './model.ts';
import { LIST_KINDS } from './model.ts';
import type { Core, Instance, ListReading, Pending, ReadCause, ServerLink } from './state.ts';

/**
 * Protocol state towards one process: which era it speaks, its greeting, and the reading of its lists. The functions say what came of a
 * message; what follows for the instance is decided in lifecycle.ts.
 */
export type LinkNews =
  | { kind: 'none' }
  | { kind: 'ready' }
  | { kind: 'refused'; step: 'handshake' | 'list'; reason: string }
  /** It must be started afresh, with `initialize` first. */
  | { kind: 'respawn-legacy' }
  /** One of its lists has been read to its end. */
  | { kind: 'listed'; list: ListKind };

const NONE: LinkNews = { kind: 'none' };
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
      return NONE;
    case 'listen':
      link.listenId = null;
      return NONE;
    case 'call':
    case 'ignored':
      return NONE;
  }
}

/** The era probe was not answered in time: the same pipe gets `initialize`. */
export function onProbeSilence(core: Core, instance: Instance, link: ServerLink): LinkNews {
  if (link.step !== 'probing') return NONE;
  for (const [id, pending] of link.pending) if (pending.kind === 'probe') link.pending.set(id, { kind: 'ignored' });
  return onProbe(core, instance, link, { kind: 'silence' });
}

/** Reads one list again from its first page; a reading that is under way starts over. */
export function readList(core: Core, instance: Instance, link: ServerLink, list: ListKind, cause: ReadCause): void {
  for (const [id, pending] of link.pending)
    if (pending.kind === 'list' && pending.list === list) link.pending.set(id, { kind: 'ignored' });
  link.reading.set(list, { entries: [], bytes: 0, pages: 0, cursors: new Set(), keys: new Set(), findings: [], cause });
  askPage(core, instance, link, list, null);
}

/** A list page was not answered in time. */
export function onListSilence(core: Core, instance: Instance, link: ServerLink, list: ListKind): LinkNews {
  for (const [id, pending] of link.pending)
    if (pending.kind === 'list' && pending.list === list) link.pending.set(id, { kind: 'ignored' });
  return endReading(
    core,
    instance,
    link,
    list,
    `${LISTS[list].method} was not answered within ${LIST_TIMEOUT_MS / 1000} s`,
  );
}

/** The lists that a server declares; the others are empty without asking. */
export function declaredLists(link: ServerLink): ListKind[] {
  return LIST_KINDS.filter((kind) => link.capabilities[LISTS[kind].capability] !== undefined);
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

/** Sends a request of mcpd's own; returns its id. */
export function ask(
  core: Core,
  instance: Instance,
  link: ServerLink,
  pending: Pending,
  method: string,
  paramsJson: string | null,
): number {
  const id = link.nextId++;
  link.pending.set(id, pending);
  toServer(core, instance, requestText(id, method, paramsJson));
  return id;
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
      return NONE;
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
  if (frame.envelope.kind !== 'result') return NONE;
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

function askPage(core: Core, instance: Instance, link: ServerLink, list: ListKind, cursor: string | null): void {
  const cursorMember = cursor === null ? '' : `"cursor":${cursor}`;
  const meta = link.era === 'modern' ? `"_meta":${ownMeta(core)}` : '';
  const params = [cursorMember, meta].filter((part) => part !== '').join(',');
  ask(core, instance, link, { kind: 'list', list }, LISTS[list].method, params === '' ? null : `{${params}}`);
  arm(core, `list:${instance.key}/${list}`, LIST_TIMEOUT_MS);
}

function onListPage(core: Core, instance: Instance, link: ServerLink, list: ListKind, frame: Frame): LinkNews {
  const reading = link.reading.get(list);
  if (reading === undefined) return NONE;
  const bytes = join(frame.bytes);
  if (frame.envelope.kind !== 'result') {
    const why = frame.envelope.kind === 'error' ? text(bytes, frame.envelope.error).slice(0, 300) : 'no result';
    return endReading(core, instance, link, list, `${LISTS[list].method} failed: ${why}`);
  }
  const page = member(bytes, frame.envelope.result, LISTS[list].member);
  if (page === null || bytes[page.start] !== 0x5b) {
    return endReading(
      core,
      instance,
      link,
      list,
      `${LISTS[list].method} answered without an array of ${LISTS[list].member}`,
    );
  }
  reading.pages += 1;
  takeEntries(list, reading, bytes, elements(bytes, page));
  const next = member(bytes, frame.envelope.result, 'nextCursor');
  const cursor = next === null || jsonString(bytes, next) === null ? null : text(bytes, next);
  if (cursor === null) return endReading(core, instance, link, list, null);
  const stop = pagingStop(list, reading, cursor);
  if (stop !== null) {
    reading.findings.push(stop);
    return endReading(core, instance, link, list, null);
  }
  reading.cursors.add(cursor);
  askPage(core, instance, link, list, cursor);
  return NONE;
}

function takeEntries(list: ListKind, reading: ListReading, bytes: Uint8Array, spans: readonly Span[]): void {
  for (const span of spans) {
    const { raw, key, finding } = checkEntry(list, text(bytes, span));
    if (finding !== null) reading.findings.push(finding);
    if (raw === null || key === null) continue;
    if (reading.keys.has(key)) {
      reading.findings.push(`${key}: listed twice, the first one counts`);
      continue;
    }
    if (reading.entries.length >= LIST_ENTRIES_MAX || reading.bytes + raw.length > LIST_BYTES_MAX) {
      reading.findings.push(
        `${LISTS[list].method} is cut at ${LIST_ENTRIES_MAX} entries or ${LIST_BYTES_MAX / 1024 / 1024} MiB`,
      );
      return;
    }
    reading.keys.add(key);
    reading.entries.push(raw);
    reading.bytes += raw.length;
  }
}

/** Why no further page is asked for, or null. */
function pagingStop(list: ListKind, reading: ListReading, cursor: string): string | null {
  const { method } = LISTS[list];
  if (reading.cursors.has(cursor))
    return `${method} repeats its cursor ${cursor.slice(0, 60)}: paging stopped after ${reading.pages} pages`;
  if (reading.pages >= LIST_PAGES_MAX) return `${method} has more than ${LIST_PAGES_MAX} pages: the rest is not listed`;
  if (reading.entries.length >= LIST_ENTRIES_MAX)
    return `${method} has more than ${LIST_ENTRIES_MAX} entries: the rest of its pages is not listed`;
  return null;
}

function endReading(
  core: Core,
  instance: Instance,
  link: ServerLink,
  list: ListKind,
  failure: string | null,
): LinkNews {
  disarm(core, `list:${instance.key}/${list}`);
  const reading = link.reading.get(list);
  link.reading.delete(list);
  if (reading === undefined) return NONE;
  if (failure !== null) {
    find(core, instance, `list-failed:${list}`, failure);
    if (list === 'tools' && instance.purpose.kind === 'trial')
      return { kind: 'refused', step: 'list', reason: failure };
    // What is cached stays valid: a list that could not be read is not an empty one.
    if (instance.purpose.kind === 'trial')
      link.read.set(list, { entries: [], findings: [failure], cause: reading.cause });
    return { kind: 'listed', list };
  }
  instance.findings.delete(`list-failed:${list}`);
  for (const finding of reading.findings.slice(0, 5)) log(core, instance, 'warn', finding);
  link.read.set(list, { entries: reading.entries, findings: dedupe(reading.findings), cause: reading.cause });
  return { kind: 'listed', list };
}

function declares(link: ServerLink, capability: string): boolean {
  return link.capabilities[capability] !== undefined;
}

function ownMeta(core: Core): string {
  return modernMeta(JSON.stringify(core.config.identity), null);
}

function dedupe(findings: readonly string[]): string[] {
  return [...new Set(findings)];
}
