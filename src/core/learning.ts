import { LEARN_DELAY_MAX_MS, LEARN_QUIET_MS, LIST_CHANGED_GATHER_MS, LIST_RECHECK_MS } from '../limits.ts';
import { LISTS } from '../protocol/methods.ts';
import { openCallsOf } from './calls.ts';
import { arm, find, publishServer } from './emit.ts';
import { declaredLists, readList } from './list-reading.ts';
import { keysOf } from './listing.ts';
import { type CachedList, type ExposedName, LIST_KINDS, type ListKind, type ServerMemory } from './model.ts';
import { announceLists } from './notices.ts';
import type { Core, Instance, KnownServer, ReadCause, ServerLink } from './state.ts';

/** What mcpd learns of a server while it runs, and keeps: its era, its greeting, its lists. */

/**
 * After the handshake all declared lists are read: at once when they are not known yet or nobody waits, else after the calls for which it
 * was started, because those are what somebody waits for, and some servers write badly when they are asked two things at once.
 */
export function learnWhenQuiet(core: Core, instance: Instance, link: ServerLink): void {
  const known = core.servers.get(instance.server)?.memory ?? null;
  const lateMs = core.now - (instance.readyAt ?? core.now);
  const busy = instance.purpose.kind === 'serve' && known !== null && openCallsOf(instance) > 0;
  if (busy && lateMs < LEARN_DELAY_MAX_MS) arm(core, `learn:${instance.key}`, LEARN_QUIET_MS);
  else learn(core, instance, link);
}

/** A server's list_changed. Notices come in bursts, so the list is read a moment later. */
export function onListNotice(core: Core, instance: Instance, kinds: readonly ListKind[]): void {
  if (instance.link?.step !== 'ready') return;
  for (const kind of kinds) arm(core, `relist:${instance.key}/${kind}`, LIST_CHANGED_GATHER_MS);
}

export function onRelistTimer(core: Core, instance: Instance, kind: ListKind, cause: ReadCause): void {
  if (instance.link?.step === 'ready') readList(core, instance, instance.link, kind, cause);
}

/**
 * One list was read. An answer that is suspicious is read once more before it counts: an empty list where there was a full one (servers
 * that register late), and an unchanged one after a notice (servers that announce early).
 */
export function onListed(core: Core, instance: Instance, link: ServerLink, list: ListKind): void {
  const known = core.servers.get(instance.server);
  const fresh = link.read.get(list);
  if (instance.purpose.kind === 'serve' && known !== undefined && fresh !== undefined && fresh.cause !== 'recheck') {
    const before = known.memory?.lists.find((cached) => cached.kind === list)?.entries ?? [];
    const emptied = fresh.entries.length === 0 && before.length > 0;
    const unchanged = fresh.cause === 'notice' && sameEntries(before, fresh.entries);
    if (emptied || unchanged) {
      arm(core, `recheck:${instance.key}/${list}`, LIST_RECHECK_MS);
      if (emptied) return;
    }
  }
  if (link.reading.size === 0) concluded(core, instance, link);
}

export function memoryOf(instance: Instance, link: ServerLink, before: ServerMemory | null): ServerMemory {
  return {
    fingerprint: instance.definition.fingerprint,
    era: link.era ?? 'legacy',
    protocolVersion: link.protocolVersion,
    serverInfo: link.serverInfo,
    capabilities: JSON.stringify(link.capabilities),
    instructions: link.instructions,
    lists: LIST_KINDS.map((kind): CachedList => {
      const read = link.read.get(kind);
      return read === undefined
        ? (before?.lists.find((list) => list.kind === kind) ?? { kind, entries: [], findings: [] })
        : { kind, entries: read.entries, findings: read.findings };
    }),
  };
}

/** Puts a memory in the place of the old one: names are given, hosts are told what looks different to them. */
export function remember(core: Core, known: KnownServer, memory: ServerMemory): void {
  const changed = LIST_KINDS.filter((kind) => !sameEntries(entriesOf(known.memory, kind), entriesOf(memory, kind)));
  known.memory = memory;
  takeNames(core, known.definition.name, memory);
  if (known.definition.enabled) announceLists(core, changed);
  publishServer(core, known.definition.name);
}

/** Gives exposed names to all entries of a memory, and owners to its URIs. */
export function takeNames(core: Core, server: string, memory: ServerMemory | null): void {
  const added = [
    ...core.names.assign('tool', server, keysOf('tools', entriesOf(memory, 'tools'))),
    ...core.names.assign('prompt', server, keysOf('prompts', entriesOf(memory, 'prompts'))),
    ...rebuildUris(core),
  ];
  if (added.length > 0) core.out.push({ type: 'save-names', names: added });
}

export function rebuildUris(core: Core): ExposedName[] {
  return core.uris.rebuild(
    [...core.servers.values()].map(({ definition, memory }) => ({
      server: definition.name,
      uris: keysOf('resources', entriesOf(memory, 'resources')),
      templates: keysOf('templates', entriesOf(memory, 'templates')),
    })),
  );
}

export function entriesOf(memory: ServerMemory | null, kind: ListKind): readonly string[] {
  return memory?.lists.find((list) => list.kind === kind)?.entries ?? [];
}

// — internal —

function learn(core: Core, instance: Instance, link: ServerLink): void {
  const declared = declaredLists(link);
  for (const list of LIST_KINDS)
    if (!declared.includes(list)) link.read.set(list, { entries: [], findings: [], cause: 'start' });
  if (declared.length === 0) return concluded(core, instance, link);
  for (const list of declared) readList(core, instance, link, list, 'start');
}

/** All lists have been read: what differs from the registry is saved; a trial has its verdict. */
function concluded(core: Core, instance: Instance, link: ServerLink): void {
  const known = core.servers.get(instance.server);
  const memory = memoryOf(instance, link, instance.purpose.kind === 'serve' ? (known?.memory ?? null) : null);
  const findings = memory.lists.flatMap((list) => list.findings);
  noteFindings(core, instance, memory);
  if (instance.purpose.kind === 'trial') {
    instance.verdict = { ok: true, memory, findings };
    return;
  }
  if (known === undefined || known.definition.fingerprint !== memory.fingerprint) return;
  if (known.memory !== null && JSON.stringify(known.memory) === JSON.stringify(memory)) return;
  core.out.push({ type: 'save-memory', server: instance.server, memory });
  remember(core, known, memory);
}

function noteFindings(core: Core, instance: Instance, memory: ServerMemory): void {
  for (const { kind, findings } of memory.lists) {
    if (findings.length === 0) instance.findings.delete(`list:${kind}`);
    else find(core, instance, `list:${kind}`, `${LISTS[kind].method}: ${findings.join('; ')}`);
  }
}

function sameEntries(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((entry, at) => entry === b[at]);
}
