import { HEALTH_MISSES_MAX } from '../limits.ts';
import { epoch } from './emit.ts';
import { isRepair } from './entries.ts';
import { openCallsOf, whoseIs } from './instance.ts';
import { type Health, LIST_KINDS, type ListKind, type ServerStatus, type SessionStatus } from './model.ts';
import { offeredCount } from './offer.ts';
import { instancesOf } from './places.ts';
import type { Core, HostSession, Instance, KnownServer } from './state.ts';
import { STATE_OF } from './supervision.ts';
import type { InstanceStatus } from './whose.ts';

/** What people see: pure views of the core. */

export function serverStatus(core: Core, known: KnownServer): ServerStatus {
  const { definition, memory } = known;
  const all = instancesOf(core, definition.name);
  const instance = shownOf(all);
  const sum = (count: (one: Instance) => number) => all.reduce((total, one) => total + count(one), 0);
  const lastExit = instance?.exits.at(-1) ?? null;
  const state = STATE_OF[instance?.phase ?? 'stopped'];
  const wanted = wantedOf(known, instance);
  return {
    name: definition.name,
    description: definition.description,
    start: definition.start,
    sharing: definition.sharing,
    enabled: definition.enabled,
    wanted: wanted.wanted,
    wantedReason: wanted.reason,
    state,
    reason: known.locked?.reason ?? instance?.reason ?? null,
    fix: fixFor(known, instance),
    health: healthOf(known, instance),
    findings: findingsOf(known, instance),
    since: epoch(core, instance?.since ?? core.now),
    pid: instance?.pid ?? null,
    instances: all.map((one) => instanceStatus(core, one)),
    era: instance?.link?.era ?? memory?.era ?? null,
    protocolVersion: nonEmpty(instance?.link?.protocolVersion) ?? memory?.protocolVersion ?? null,
    openCalls: sum(openCallsOf),
    calls: sum(({ counters }) => counters.calls),
    errors: sum(({ counters }) => counters.errors),
    starts: sum(({ counters }) => counters.starts),
    lastExit,
    nextStartAt: instance?.phase === 'backoff' ? epoch(core, instance.notBefore) : null,
    counts: Object.fromEntries(LIST_KINDS.map((kind) => [kind, offeredCount(known, kind)])) as Record<ListKind, number>,
    listed: memory !== null,
    source: definition.source,
    launch: definition.launch,
    limits: definition.limits,
    fingerprint: definition.fingerprint,
    addedAt: definition.addedAt,
  };
}

export function instanceStatus(core: Core, instance: Instance): InstanceStatus {
  const { key, phase, pid } = instance;
  return { instance: key, state: STATE_OF[phase], pid, ...whoseIs(core, instance) };
}

export function sessionStatus(core: Core, session: HostSession): SessionStatus {
  return {
    id: session.id,
    host: session.host,
    era: session.era,
    protocolVersion: session.protocolVersion,
    since: epoch(core, session.openedAt),
    openCalls: session.open.size,
    calls: session.calls,
  };
}

// — internal —

/** The process that people are shown of a server: that of all hosts, unless another one tells more of it. */
function shownOf(all: readonly Instance[]): Instance | null {
  const [main = null] = all;
  if (main === null || main.phase !== 'stopped') return main;
  return all.find(({ phase }) => phase !== 'stopped') ?? main;
}

function wantedOf(known: KnownServer, instance: Instance | null): { wanted: 'up' | 'down'; reason: string | null } {
  if (!known.definition.enabled) return { wanted: 'down', reason: 'disabled' };
  if (known.locked !== null) return { wanted: 'down', reason: 'needs-auth' };
  if (instance === null) return { wanted: 'down', reason: null };
  const needed =
    instance.held ||
    instance.queue.size > 0 ||
    instance.phase === 'running' ||
    instance.phase === 'starting' ||
    instance.phase === 'queued';
  if (needed) return { wanted: 'up', reason: null };
  if (known.wish === 'down') return { wanted: 'down', reason: 'stopped by hand' };
  return { wanted: 'down', reason: known.definition.start === 'manual' ? 'manual' : 'on-demand' };
}

/** An on-demand server at rest counts as healthy, if its lists were. One that is tried again after it ended is not well yet. */
function healthOf(known: KnownServer, instance: Instance | null): Health {
  if (instance === null || !known.definition.enabled) return 'unknown';
  if (known.locked !== null) return 'degraded';
  if (instance.misses >= HEALTH_MISSES_MAX) return 'silent';
  if (instance.phase === 'failed' || instance.phase === 'backoff') return 'degraded';
  for (const topic of instance.findings.keys()) if (topic.startsWith('list') || topic === 'memory') return 'degraded';
  if (!storedFindings(known, instance).every(isRepair)) return 'degraded';
  if (hasCrashed(instance) || known.drift.length > 0) return 'degraded';
  return 'ok';
}

function fixFor(
  { definition: { name, enabled }, locked, drift }: KnownServer,
  instance: Instance | null,
): string | null {
  if (!enabled) return `mcpd enable ${name}`;
  if (locked !== null) return locked.fix;
  if (instance === null) return null;
  if (hasCrashed(instance) || instance.phase === 'failed' || instance.phase === 'backoff')
    return `mcpd logs ${name}; then mcpd start ${name}`;
  if (instance.misses >= HEALTH_MISSES_MAX) return `mcpd restart ${name}`;
  return drift.length > 0 ? `look at it: mcpd info ${name}; when it is well: mcpd lock ${name} --agree` : null;
}

/** It ended by itself, and nothing has shown since that it stays up. */
function hasCrashed({ phase, unstable }: Instance): boolean {
  return unstable.length > 0 && (phase === 'stopped' || phase === 'queued' || phase === 'starting');
}

function findingsOf(known: KnownServer, instance: Instance | null): string[] {
  return [...known.drift, ...(instance?.findings.values() ?? []), ...storedFindings(known, instance)];
}

/** Findings of the lists as they were last read, as long as this instance has read none. */
function storedFindings(known: KnownServer, instance: Instance | null): string[] {
  const lists = known.memory?.lists ?? [];
  const isTold = (kind: ListKind) =>
    instance?.findings.has(`list:${kind}`) || instance?.findings.has(`repaired:${kind}`);
  return lists.flatMap(({ kind, findings }) => (isTold(kind) ? [] : findings));
}

function nonEmpty(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}
