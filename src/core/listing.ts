import { LIST_TTL_MS } from '../limits.ts';
import { members } from '../protocol/members.ts';
import { LISTS } from '../protocol/methods.ts';
import type { Era, ListKind, ServerName } from './model.ts';
import type { NameTable } from './names.ts';
import type { KnownServer } from './state.ts';
import type { UriTable } from './uris.ts';

/**
 * The lists that hosts get: the cached entries of all enabled servers in one page, in the order of their names, as ready bytes. Made on the
 * first request after a change; no server is asked.
 */
export class MergedLists {
  readonly #names: NameTable;
  readonly #uris: UriTable;
  readonly #ready = new Map<string, Uint8Array>();

  constructor(names: NameTable, uris: UriTable) {
    this.#names = names;
    this.#uris = uris;
  }

  /** JSON of the result for a host of this era. */
  result(kind: ListKind, era: Era, servers: ReadonlyMap<ServerName, KnownServer>): Uint8Array {
    const slot = `${kind}:${era}`;
    const ready = this.#ready.get(slot);
    if (ready !== undefined) return ready;
    const made = Buffer.from(this.#make(kind, era, servers));
    this.#ready.set(slot, made);
    return made;
  }

  changed(): void {
    this.#ready.clear();
  }

  #make(kind: ListKind, era: Era, servers: ReadonlyMap<ServerName, KnownServer>): string {
    const entries: string[] = [];
    for (const name of [...servers.keys()].sort()) {
      const known = servers.get(name);
      if (known === undefined || !known.definition.enabled) continue;
      for (const raw of listOf(known, kind)) {
        const entry = this.#exposedEntry(kind, era, name, raw);
        if (entry !== null) entries.push(entry);
      }
    }
    const body = `"${LISTS[kind].member}":[${entries.join(',')}]`;
    return era === 'legacy'
      ? `{${body}}`
      : `{"resultType":"complete",${body},"ttlMs":${LIST_TTL_MS},"cacheScope":"private"}`;
  }

  /** The entry with the name or URI that hosts use in the place of the server's own. */
  #exposedEntry(kind: ListKind, era: Era, server: ServerName, raw: string): string | null {
    const bytes = Buffer.from(raw);
    const list = members(bytes, { start: 0, end: bytes.length });
    const parts: string[] = [];
    for (const entry of list) {
      const value = bytes.toString('utf8', entry.start, entry.end);
      if (entry.key === LISTS[kind].key) {
        const exposed = this.#exposedKey(kind, server, JSON.parse(value));
        if (exposed === null) return null;
        parts.push(`"${entry.key}":${JSON.stringify(exposed)}`);
      } else if (!(era === 'legacy' && entry.key === 'outputSchema' && !isObjectSchema(value))) {
        parts.push(bytes.toString('utf8', entry.keyStart, entry.end));
      }
    }
    return `{${parts.join(',')}}`;
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

/** The cached raw entries of one server. */
export function listOf(known: KnownServer, kind: ListKind): readonly string[] {
  return known.memory?.lists.find((list) => list.kind === kind)?.entries ?? [];
}

/** The raw names, URIs or templates of a cached list. */
export function keysOf(kind: ListKind, entries: readonly string[]): string[] {
  return entries.map((entry) => String((JSON.parse(entry) as Record<string, unknown>)[LISTS[kind].key]));
}

/** Until 2025-11-25 an outputSchema must have an object at its root; strict hosts reject the whole list otherwise. */
function isObjectSchema(value: string): boolean {
  return (JSON.parse(value) as { type?: unknown }).type === 'object';
}
