import {
  LEARN_DELAY_MAX_MS,
  LEARN_QUIET_MS,
  LIST_CHANGED_GATHER_MS,
  LIST_RECHECK_MS,
  LIST_REREAD_EVERY_MS,
  LIST_RETRY_MS,
} from '../limits.ts';
import { LISTS } from '../protocol/methods.ts';
import { requiresTask } from '../protocol/tasks.ts';
import { arm, find, publishServer } from './emit.ts';
import { isRepair } from './entries.ts';
import { restSoon } from './idle.ts';
import { openCallsOf } from './instance.ts';
import { declaredLists, readList } from './list-reading.ts';
import { keysOf, listOf } from './listing.ts';
import { type CachedList, LIST_KINDS, type ListKind, type ServerMemory } from './model.ts';
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

/**
 * A server's list_changed. Notices come in bursts, so the list is read a moment later; and a server that never stops with them has it
 * read once a second.
 */
export function onListNotice(core: Core, instance: Instance, kinds: readonly ListKind[]): void {
  const { link } = instance;
  if (link?.step !== 'ready') return;
  for (const kind of kinds) {
    const { armed, lastAt } = link.rereads.get(kind) ?? { armed: false, lastAt: Number.NEGATIVE_INFINITY };
    if (armed) continue;
    link.rereads.set(kind, { armed: true, lastAt });
    arm(
      core,
      `relist:${instance.key}/${kind}`,
      Math.max(LIST_CHANGED_GATHER_MS, lastAt + LIST_REREAD_EVERY_MS - core.now),
    );
  }
}

export function onRelistTimer(
  core: Core,
  instance: Instance,
  link: ServerLink,
  kind: ListKind,
  timer: 'relist' | 'recheck',
): void {
  if (instance.phase !== 'running') return;
  // A reading that is under way is let finish, else one that takes long would never end.
  if (link.reading.has(kind)) return arm(core, `${timer}:${instance.key}/${kind}`, LIST_REREAD_EVERY_MS);
  if (timer === 'relist') link.rereads.set(kind, { armed: false, lastAt: core.now });
  readList(core, instance, link, kind, timer === 'relist' ? 'notice' : 'recheck');
}

/**
 * One list was read. An answer that is suspicious is read once more before it counts: an empty list where there was a full one (servers
 * that register late), and an unchanged one after a notice (servers that announce early). One that failed is tried again later.
 */
export function onListed(
  core: Core,
  instance: Instance,
  link: ServerLink,
  { list, cause, failed }: { list: ListKind; cause: ReadCause; failed: boolean },
): void {
  const known = core.servers.get(instance.server);
  if (instance.purpose.kind === 'serve' && known !== undefined) {
    const before = listOf({ memory: known.memory }, list, variantOf(instance, link));
    const fresh = link.read.get(list);
    if (failed) arm(core, `recheck:${instance.key}/${list}`, LIST_RETRY_MS);
    else if (fresh !== undefined && cause !== 'recheck') {
      const emptied = fresh.entries.length === 0 && before.length > 0;
      const unchanged = cause === 'notice' && sameEntries(before, fresh.entries);
      if (emptied || unchanged) arm(core, `recheck:${instance.key}/${list}`, LIST_RECHECK_MS);
      if (emptied) link.read.delete(list);
    }
  }
  if (link.reading.size === 0) concluded(core, instance, link);
}

/** Puts a memory in the place of the old one: names are given, and hosts are told if that looks different to them. */
function remember(core: Core, known: KnownServer, memory: ServerMemory): void {
  known.memory = memory;
  takeNames(core, known);
  announceLists(core);
  publishServer(core, known.definition.name);
}

/** Gives exposed names to all entries of a server's lists, and owners to its URIs. */
export function takeNames(core: Core, known: KnownServer): void {
  const { name, enabled } = known.definition;
  const keys = keysOfLists(known.memory);
  known.keys = keys;
  known.extensions = extensionsIn(known.memory);
  known.taskTools = taskToolsOf(known.memory);
  const uris = { uris: keys.resources, templates: keys.templates };
  const added = [
    ...core.names.assign(name, [
      ['tool', keys.tools],
      ['prompt', keys.prompts],
    ]),
    ...core.uris.take(name, enabled ? uris : null),
  ];
  if (added.length > 0) core.out.push({ type: 'save-names', names: added });
}

function extensionsIn(memory: ServerMemory | null): Record<string, unknown> {
  const { extensions } = JSON.parse(memory?.capabilities ?? '{}') as { extensions?: unknown };
  return typeof extensions === 'object' && extensions !== null ? (extensions as Record<string, unknown>) : {};
}

function entriesOf(memory: ServerMemory | null, kind: ListKind): readonly string[] {
  return memory?.lists.find((list) => list.kind === kind)?.entries ?? [];
}

// — internal —

/** Of all variants of its list: a tool is not another one for hosts that can be asked. */
function taskToolsOf(memory: ServerMemory | null): ReadonlySet<string> {
  const lists = [memory?.lists ?? [], ...(memory?.variants ?? []).map((variant) => variant.lists)].flat();
  const entries = lists.filter(({ kind }) => kind === 'tools').flatMap((list) => list.entries);
  return new Set(keysOf('tools', entries.filter(requiresTask)));
}

function keysOfLists(memory: ServerMemory | null): KnownServer['keys'] {
  const keys = (list: ListKind) => {
    const own = keysOf(list, entriesOf(memory, list));
    const others = (memory?.variants ?? []).flatMap(({ lists }) =>
      keysOf(list, lists.find((one) => one.kind === list)?.entries ?? []),
    );
    return others.length === 0 ? own : [...new Set([...own, ...others])];
  };
  return {
    tools: keys('tools'),
    prompts: keys('prompts'),
    resources: keys('resources'),
    templates: keys('templates'),
  };
}

/** As which variant its lists are kept: '' are the lists of the server as such. */
function variantOf(instance: Instance, link: ServerLink): string {
  return instance.holder === null || link.era === 'modern' ? '' : link.abilities.declared;
}

/** `known` is what is known of its lists, for those that could not be read. */
function memoryOf(link: ServerLink, before: ServerMemory | null, known = before?.lists ?? []): ServerMemory {
  return {
    fingerprint: link.fingerprint,
    era: link.era ?? 'legacy',
    protocolVersion: link.protocolVersion,
    serverInfo: link.serverInfo,
    capabilities: JSON.stringify(link.capabilities),
    instructions: link.instructions,
    variants: before?.variants ?? [],
    callsBack: before?.callsBack ?? false,
    lists: LIST_KINDS.map((kind): CachedList => {
      const read = link.read.get(kind);
      return read === undefined
        ? (known.find((list) => list.kind === kind) ?? { kind, entries: [], findings: [] })
        : { kind, entries: read.entries, findings: read.findings };
    }),
  };
}

/** What is known now: of a process of a host's own, what it lists to such hosts is a variant. */
function memoryIn(instance: Instance, link: ServerLink, before: ServerMemory | null): ServerMemory {
  const declared = variantOf(instance, link);
  if (declared === '' || before === null) return memoryOf(link, before);
  const variant = before.variants.find((one) => one.declared === declared);
  // Half of a variant that nobody has seen is none.
  if (variant === undefined && !LIST_KINDS.every((kind) => link.read.has(kind))) return before;
  const fresh = memoryOf(link, before, variant?.lists.length ? variant.lists : before.lists);
  const lists = sameLists(before.lists, fresh.lists) ? [] : fresh.lists;
  const others = before.variants.filter((one) => one.declared !== declared);
  // In one order, so that what was read anew is found to be the same.
  const variants = [...others, { declared, lists }].sort((a, b) => (a.declared < b.declared ? -1 : 1));
  return { ...before, variants };
}

export function sameLists(a: readonly CachedList[], b: readonly CachedList[]): boolean {
  const entries = (lists: readonly CachedList[], kind: ListKind) =>
    lists.find((one) => one.kind === kind)?.entries ?? [];
  return LIST_KINDS.every((kind) => sameEntries(entries(a, kind), entries(b, kind)));
}

function learn(core: Core, instance: Instance, link: ServerLink): void {
  const declared = declaredLists(link);
  for (const list of LIST_KINDS) if (!declared.includes(list)) link.read.set(list, { entries: [], findings: [] });
  if (declared.length === 0) return concluded(core, instance, link);
  for (const list of declared) readList(core, instance, link, list, 'start');
}

/** All lists have been read: what differs from the registry is saved; a trial has its verdict. */
function concluded(core: Core, instance: Instance, link: ServerLink): void {
  if (instance.purpose.kind !== 'serve') {
    const memory = memoryOf(link, null);
    instance.verdict ??= { ok: true, memory, findings: memory.lists.flatMap((list) => list.findings) };
    return;
  }
  const known = core.servers.get(instance.server);
  // The lists of a process that is on its way out, since its launch was changed, say nothing of the new one.
  if (known === undefined || known.definition.fingerprint !== link.fingerprint) return;
  const memory = { ...memoryIn(instance, link, known.memory), callsBack: known.callsBackSince !== null };
  noteFindings(core, instance, memory);
  // Of a server that never told its tools nothing is kept, so that it is asked again.
  if (known.memory === null && instance.findings.has('list-failed:tools')) return;
  if (known.memory !== null && JSON.stringify(known.memory) === JSON.stringify(memory)) return;
  if (known.memory === null || instance.holder !== null) restSoon(core, instance);
  core.out.push({ type: 'save-memory', server: instance.server, memory });
  remember(core, known, memory);
}

/** Health shows them all; a list whose entries were only repaired is whole. */
function noteFindings(core: Core, instance: Instance, memory: ServerMemory): void {
  for (const { kind, findings } of memory.lists) {
    const [topic, other] = findings.every(isRepair) ? ['repaired', 'list'] : ['list', 'repaired'];
    instance.findings.delete(`${other}:${kind}`);
    if (findings.length === 0) instance.findings.delete(`${topic}:${kind}`);
    else find(core, instance, `${topic}:${kind}`, `${LISTS[kind].method}: ${findings.join('; ')}`);
  }
}

function sameEntries(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((entry, at) => entry === b[at]);
}
