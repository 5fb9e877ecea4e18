import { LIST_TTL_MS } from '../limits.ts';
import type { Abilities } from '../protocol/abilities.ts';
import { asBuffer } from '../protocol/bytes.ts';
import { jsonString, member, members, text } from '../protocol/members.ts';
import { LISTS } from '../protocol/methods.ts';
import { speaksOfTasks, taskSupportIn } from '../protocol/tasks.ts';
import type { Era, ListKind, Scope, ServerName } from './model.ts';
import type { NameTable } from './names.ts';
import type { KnownServer } from './state.ts';
import type { UriTable } from './uris.ts';

type Servers = ReadonlyMap<ServerName, KnownServer>;

/** Hosts that get the same lists: of one era, that came by one door, and that can be asked the same. */
export interface Audience {
  readonly key: string;
  readonly era: Era;
  /** As in `Abilities`: some legacy servers list more to clients that can do more. */
  readonly declared: string;
  /** They may call tools as tasks (2025-11-25). */
  readonly tasks: boolean;
  readonly scope: Scope;
}

export function audienceOf(era: Era, { declared }: Abilities, tasks: boolean, scope: Scope): Audience {
  const key = `${era}${tasks ? '+tasks' : ''}/${declared}/${scope.kind === 'all' ? '' : scope.server}`;
  return { key, era, declared, tasks, scope };
}

/** One list as one audience gets it. */
interface Slot {
  readonly kind: ListKind;
  readonly audience: Audience;
  /** Null: to be made anew. */
  current: Uint8Array | null;
  /** What hosts were given, or told of, before the last change. */
  told: Uint8Array | null;
  /** After that change somebody was given something else already. */
  handedOut: boolean;
}

/**
 * The lists that hosts get: the cached entries of all enabled servers in one page, in the order of their names, as ready bytes. Made on the
 * first request after a change; no server is asked.
 */
export class MergedLists {
  readonly #names: NameTable;
  readonly #uris: UriTable;
  readonly #slots = new Map<string, Slot>();

  constructor(names: NameTable, uris: UriTable) {
    this.#names = names;
    this.#uris = uris;
  }

  /** JSON of the result for a host of this audience. */
  result(kind: ListKind, audience: Audience, servers: Servers): Uint8Array {
    const slot = this.#slots.get(`${kind}/${audience.key}`) ?? this.#newSlot(kind, audience);
    const bytes = this.#made(slot, servers);
    slot.told ??= bytes;
    if (slot.told !== bytes) slot.handedOut = true;
    return bytes;
  }

  /** Something in them may have changed. */
  changed(): void {
    for (const slot of this.#slots.values()) slot.current = null;
  }

  /** There is no host that was given anything. */
  forgotten(): void {
    this.#slots.clear();
  }

  /** The lists that differ from what hosts were given or told of last, by the key of their audience; from now on those count as told. */
  news(servers: Servers): Map<string, ListKind[]> {
    const news = new Map<string, ListKind[]>();
    for (const slot of this.#slots.values()) {
      if (slot.told === null) continue;
      const bytes = this.#made(slot, servers);
      if (slot.handedOut || !asBuffer(bytes).equals(slot.told)) {
        const kinds = news.get(slot.audience.key);
        if (kinds === undefined) news.set(slot.audience.key, [slot.kind]);
        else kinds.push(slot.kind);
      }
      slot.told = bytes;
      slot.handedOut = false;
    }
    return news;
  }

  #newSlot(kind: ListKind, audience: Audience): Slot {
    const slot: Slot = { kind, audience, current: null, told: null, handedOut: false };
    this.#slots.set(`${kind}/${audience.key}`, slot);
    return slot;
  }

  #made(slot: Slot, servers: Servers): Uint8Array {
    slot.current ??= Buffer.from(this.#make(slot.kind, slot.audience, servers));
    return slot.current;
  }

  #make(kind: ListKind, { era, declared, tasks, scope }: Audience, servers: Servers): string {
    const entries: string[] = [];
    const names = scope.kind === 'server' ? [scope.server] : [...servers.keys()].sort();
    for (const name of names) {
      const known = servers.get(name);
      if (known === undefined || !known.definition.enabled) continue;
      const reader = { era, tasks: kind === 'tools' && tasks && hasTasks(known) };
      // One process for all declares the same to all, whoever asks.
      const seen = known.definition.sharing === 'shared' ? '' : declared;
      for (const raw of listOf(known, kind, seen)) {
        const entry = scope.kind === 'server' ? ownEntry(reader, raw) : this.#exposedEntry(kind, reader, name, raw);
        if (entry !== null) entries.push(entry);
      }
    }
    const body = `"${LISTS[kind].member}":[${entries.join(',')}]`;
    return era === 'legacy'
      ? `{${body}}`
      : `{"resultType":"complete",${body},"ttlMs":${LIST_TTL_MS},"cacheScope":"private"}`;
  }

  /** The entry with the name or URI that hosts use in the place of the server's own; null when it has none. */
  #exposedEntry(kind: ListKind, reader: Reader, server: ServerName, raw: string): string | null {
    const mayNameUris = kind === 'tools' && this.#uris.sharesUris(server);
    const leading = leadingKey(kind, raw);
    if (leading !== null && isKnownWhole(reader, raw) && !(mayNameUris && raw.includes('"_meta"'))) {
      const exposed = this.#exposedKey(kind, server, leading.key);
      return exposed === null ? null : `{"${LISTS[kind].key}":${JSON.stringify(exposed)}${raw.slice(leading.end)}`;
    }
    const bytes = Buffer.from(raw);
    const parts: string[] = [];
    for (const entry of members(bytes, { start: 0, end: bytes.length })) {
      const value = text(bytes, entry);
      if (entry.key === LISTS[kind].key) {
        const exposed = this.#exposedKey(kind, server, jsonString(bytes, entry) ?? '');
        if (exposed === null) return null;
        parts.push(`"${entry.key}":${JSON.stringify(exposed)}`);
      } else if (entry.key === '_meta' && mayNameUris) {
        parts.push(`"_meta":${this.#exposedMeta(server, value)}`);
      } else if (isKnownTo(reader, entry.key, value)) {
        parts.push(text(bytes, { start: entry.keyStart, end: entry.end }));
      }
    }
    return `{${parts.join(',')}}`;
  }

  /** The page that belongs to a tool (MCP Apps) is named by its URI, in one of two places. */
  #exposedMeta(server: ServerName, raw: string): string {
    const bytes = Buffer.from(raw);
    const whole = { start: 0, end: bytes.length };
    const ui = member(bytes, whole, 'ui');
    const uri = (ui === null ? null : member(bytes, ui, 'resourceUri')) ?? member(bytes, whole, 'ui/resourceUri');
    const value = uri === null ? null : jsonString(bytes, uri);
    if (uri === null || value === null) return raw;
    const exposed = JSON.stringify(this.#uris.exposed(server, value));
    return text(bytes, { start: 0, end: uri.start }) + exposed + text(bytes, { start: uri.end, end: bytes.length });
  }

  #exposedKey(kind: ListKind, server: ServerName, raw: string): string | null {
    switch (kind) {
      case 'tools':
        return this.#names.exposedName('tool', server, raw);
      case 'prompts':
        return this.#names.exposedName('prompt', server, raw);
      case 'resources':
      case 'templates':
        return this.#uris.exposed(server, raw);
    }
  }
}

/** The cached raw entries of one server, as it lists them to clients that declare this. */
export function listOf({ memory }: Pick<KnownServer, 'memory'>, kind: ListKind, declared: string): readonly string[] {
  const variant = declared === '' ? undefined : memory?.variants.find((one) => one.declared === declared);
  const lists = variant === undefined || variant.lists.length === 0 ? memory?.lists : variant.lists;
  return lists?.find((list) => list.kind === kind)?.entries ?? [];
}

/** The raw names, URIs or templates of a cached list. */
export function keysOf(kind: ListKind, entries: readonly string[]): string[] {
  const parsed = (entry: string) => String((JSON.parse(entry) as Record<string, unknown>)[LISTS[kind].key]);
  return entries.map((entry) => leadingKey(kind, entry)?.key ?? parsed(entry));
}

// — internal —

/** What matters of those who read an entry: their era, and whether they may call this server's tools as tasks. */
type Reader = Pick<Audience, 'era' | 'tasks'>;

function hasTasks({ memory }: KnownServer): boolean {
  const capabilities = JSON.parse(memory?.capabilities ?? '{}') as Record<string, unknown>;
  return memory?.era === 'legacy' && taskSupportIn(capabilities).calls;
}

/** An entry under its own name, for hosts that see this server alone. */
function ownEntry(reader: Reader, raw: string): string {
  if (isKnownWhole(reader, raw)) return raw;
  const bytes = Buffer.from(raw);
  const kept = members(bytes, { start: 0, end: bytes.length }).filter((one) =>
    isKnownTo(reader, one.key, text(bytes, one)),
  );
  return `{${kept.map((one) => text(bytes, { start: one.keyStart, end: one.end })).join(',')}}`;
}

/** A member that the hosts of one era may not get; its name in quotes. */
const ONE_ERA_ONLY: Record<Era, string> = { legacy: '"outputSchema"', modern: '"execution"' };

/**
 * The key of an entry that begins with it and certainly has no second one, and where its quotes end; null says nothing. Most servers write
 * such entries, and right after a start, when a host waits for all lists, looking for a text is many times as fast as walking over JSON.
 */
function leadingKey(kind: ListKind, raw: string): { key: string; end: number } | null {
  const quoted = `"${LISTS[kind].key}"`;
  const start = quoted.length + 3;
  if (!raw.startsWith(`{${quoted}:"`)) return null;
  const end = raw.indexOf('"', start);
  const key = raw.slice(start, end);
  // A second one may hide behind an escape.
  return key.includes('\\') || raw.includes(quoted, end) || raw.includes('\\u') ? null : { key, end: end + 1 };
}

/** True for an entry that certainly has nothing for these readers to miss. */
function isKnownWhole({ era, tasks }: Reader, raw: string): boolean {
  return !raw.includes(ONE_ERA_ONLY[era]) && (tasks || !speaksOfTasks(raw));
}

/**
 * Until 2025-11-25 an outputSchema must have an object at its root, and strict hosts reject the whole list otherwise; `execution` says
 * whether a tool can, or must, be called as a task.
 */
function isKnownTo({ era, tasks }: Reader, key: string, value: string): boolean {
  if (key === 'execution') return era === 'legacy' && (tasks || !speaksOfTasks(value));
  if (era === 'modern') return true;
  return key !== 'outputSchema' || (JSON.parse(value) as { type?: unknown }).type === 'object';
}
