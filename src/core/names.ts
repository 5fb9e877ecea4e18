import { EXPOSED_NAME_MAX, EXPOSED_NAMES_KEPT_PER_SERVER } from '../limits.ts';
import type { ExposedName, ServerName } from './model.ts';

/**
 * The names that hosts see. A tool `get.forecast` of `weather` is `weather__get_forecast_k3v0x2a9`: charset and length that every host
 * accepts, and a hash wherever something had to change. Names are looked up, never split, and kept for good.
 */

const SEPARATOR = '__';
const HASH_LENGTH = 8;

export type NameKind = 'tool' | 'prompt';
export interface Target {
  server: ServerName;
  raw: string;
  /** The raw name as JSON text, ready to be put into a request. */
  rawJson: string;
}

export class NameTable {
  readonly #targets: Record<NameKind, Map<string, Target>> = { tool: new Map(), prompt: new Map() };
  /** Server → its names, those that it listed last at the end. */
  readonly #exposed = new Map<ServerName, Map<string, { kind: NameKind; exposed: string }>>();

  /** Rows of the registry, in the order they were made. */
  constructor(rows: readonly ExposedName[]) {
    for (const row of rows) {
      if (row.kind === 'tool' || row.kind === 'prompt') this.#remember(row.kind, row);
    }
  }

  /** Gives every raw name of a server its exposed name; returns the new rows, to be kept. */
  assign(server: ServerName, lists: readonly (readonly [NameKind, readonly string[]])[]): ExposedName[] {
    const added: ExposedName[] = [];
    for (const [kind, rawNames] of lists) {
      for (const raw of rawNames) {
        const known = this.exposedName(kind, server, raw);
        const row = { kind, server, raw, exposed: known ?? this.#firstFree(kind, server, raw) };
        this.#remember(kind, row);
        if (known === null) added.push(row);
      }
    }
    this.#forgetOldest(server);
    return added;
  }

  exposedName(kind: NameKind, server: ServerName, raw: string): string | null {
    return this.#exposed.get(server)?.get(rowKey(kind, raw))?.exposed ?? null;
  }

  /** What an exposed name stands for, whether its server is still there or not. */
  target(kind: NameKind, exposed: string): Target | null {
    return this.#targets[kind].get(exposed) ?? null;
  }

  #firstFree(kind: NameKind, server: ServerName, raw: string): string {
    for (let salt = 0; ; salt++) {
      const exposed = exposedFor(server, raw, salt);
      if (!this.#targets[kind].has(exposed)) return exposed;
    }
  }

  #remember(kind: NameKind, { server, raw, exposed }: Pick<ExposedName, 'server' | 'raw' | 'exposed'>): void {
    const own = this.#exposed.get(server) ?? new Map<string, { kind: NameKind; exposed: string }>();
    this.#exposed.set(server, own);
    const key = rowKey(kind, raw);
    own.delete(key);
    own.set(key, { kind, exposed });
    this.#targets[kind].set(exposed, { server, raw, rawJson: JSON.stringify(raw) });
  }

  /** As the registry does: a server that renames its tools for ever loses its oldest names. */
  #forgetOldest(server: ServerName): void {
    const own = this.#exposed.get(server);
    if (own === undefined) return;
    for (const [key, { kind, exposed }] of own) {
      if (own.size <= EXPOSED_NAMES_KEPT_PER_SERVER) return;
      own.delete(key);
      this.#targets[kind].delete(exposed);
    }
  }
}

/**
 * The exposed name of a raw name. It depends on nothing but the two names (and `salt`, for the case that a server has a raw name that
 * looks like another's exposed one), so it is the same after a restart, in any order, whatever other servers are there.
 */
export function exposedFor(server: ServerName, raw: string, salt = 0): string {
  const prefix = server + SEPARATOR;
  const clean = raw.replace(/[^A-Za-z0-9_-]/g, '_');
  if (clean === raw && salt === 0 && raw !== '' && prefix.length + raw.length <= EXPOSED_NAME_MAX) return prefix + raw;
  const hash = stableHash(`${server}\n${raw}\n${salt}`);
  const room = EXPOSED_NAME_MAX - prefix.length - HASH_LENGTH - 1;
  return `${prefix}${clean.slice(0, Math.max(0, room))}_${hash}`;
}

// — internal —

function rowKey(kind: NameKind, raw: string): string {
  return `${kind}\n${raw}`;
}

/** Eight characters of [0-9a-z] from two rounds of FNV-1a over UTF-16 code units: for names, not for secrets. */
function stableHash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ (unit + at), 0x85ebca6b);
    high ^= high >>> 13;
  }
  const word = (value: number) => (value >>> 0).toString(36).padStart(7, '0').slice(-4);
  return word(low ^ (low >>> 15)) + word(high ^ (high >>> 16));
}
