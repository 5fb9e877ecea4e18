import {
  type CachedList,
  type Era,
  LIST_KINDS,
  type ListVariant,
  type ServerMemory,
  type ServerName,
} from '../src/core/model.ts';
import type { Db } from './db.ts';

export interface MemoryTable {
  /** Of every server whose fingerprint it still belongs to: one query. A row that cannot be read is left out. */
  all(): Map<ServerName, ServerMemory>;
  of(server: ServerName, fingerprint: string): ServerMemory | null;
  /** Within a transaction of the caller. */
  put(server: ServerName, memory: ServerMemory): void;
  /** One transaction; false when the server is gone or its launch changed meanwhile: then this memory is of the past. */
  save(server: ServerName, memory: ServerMemory): boolean;
}

interface MemoryRow {
  server: string;
  fingerprint: string;
  era: string;
  protocolVersion: string;
  serverInfo: string;
  capabilities: string;
  instructions: string | null;
  variants: string;
  callsBack: number;
  kind: string | null;
  entries: string | null;
  findings: string | null;
}

export function memoryTableOf(db: Db): MemoryTable {
  const select = (where: string) => `
    SELECT m.server, m.fingerprint, m.era, m.protocol_version AS protocolVersion, m.server_info AS serverInfo, m.capabilities,
           m.instructions, m.variants, m.calls_back AS callsBack, l.kind, l.entries, l.findings
    FROM memories m JOIN servers s ON s.name = m.server AND s.fingerprint = m.fingerprint LEFT JOIN lists l ON l.server = m.server
    ${where}`;
  const all = db.prepare<[], MemoryRow>(select(''));
  const of = db.prepare<[string, string], MemoryRow>(select('WHERE m.server = ? AND m.fingerprint = ?'));
  const isCurrent = db.prepare<[string, string]>('SELECT 1 FROM servers WHERE name = ? AND fingerprint = ?');
  const forget = db.prepare<[string]>('DELETE FROM memories WHERE server = ?');
  const putMemory = db.prepare(`
    INSERT INTO memories (server, fingerprint, era, protocol_version, server_info, capabilities, instructions, variants, calls_back)
    VALUES (@server, @fingerprint, @era, @protocolVersion, @serverInfo, @capabilities, @instructions, @variants, @callsBack)`);
  const putList = db.prepare<[string, string, string, string]>(
    'INSERT INTO lists (server, kind, entries, findings) VALUES (?, ?, ?, ?)',
  );

  const put = (server: ServerName, memory: ServerMemory): void => {
    const { lists, variants, callsBack, ...facts } = memory;
    forget.run(server);
    putMemory.run({ server, ...facts, variants: JSON.stringify(variants), callsBack: callsBack ? 1 : 0 });
    for (const list of lists)
      putList.run(server, list.kind, list.entries.join(SEPARATOR), JSON.stringify(list.findings));
  };
  const save = db.transaction((server: ServerName, memory: ServerMemory) => {
    if (isCurrent.get(server, memory.fingerprint) === undefined) return false;
    put(server, memory);
    return true;
  });
  return {
    all: () => gather(all.all()),
    of: (server, fingerprint) => gather(of.all(server, fingerprint)).get(server) ?? null,
    put,
    save: (server, memory) => save(server, memory),
  };
}

// — internal —

/** Valid JSON holds no raw U+001E, neither in its texts nor between its tokens: entries stay the bytes they were, and nothing is parsed. */
const SEPARATOR = '\u001e';

const ERAS: readonly Era[] = ['legacy', 'modern'];

function gather(rows: readonly MemoryRow[]): Map<ServerName, ServerMemory> {
  const memories = new Map<ServerName, ServerMemory>();
  for (const row of rows) {
    const memory = memories.get(row.server) ?? memoryOf(row);
    if (memory === null) continue;
    memories.set(row.server, memory);
    const list = listOf(row);
    if (list !== null) memory.lists.push(list);
  }
  return memories;
}

/** Null for an era this release does not know: the server is probed and listed again, which loses nothing. */
function memoryOf(row: MemoryRow): ServerMemory | null {
  const era = ERAS.find((known) => known === row.era);
  if (era === undefined) return null;
  const { fingerprint, protocolVersion, serverInfo, capabilities, instructions } = row;
  return {
    fingerprint,
    era,
    protocolVersion,
    serverInfo,
    capabilities,
    instructions,
    lists: [],
    variants: variantsOf(row.variants),
    callsBack: row.callsBack !== 0,
  };
}

function listOf(row: MemoryRow): CachedList | null {
  const kind = LIST_KINDS.find((known) => known === row.kind);
  if (kind === undefined || row.entries === null || row.findings === null) return null;
  return {
    kind,
    entries: row.entries === '' ? [] : row.entries.split(SEPARATOR),
    findings: findingsOf(row.findings),
  };
}

/** Written by `put` alone; what cannot be read is listed anew. */
function variantsOf(text: string): ListVariant[] {
  try {
    const variants: unknown = JSON.parse(text);
    return Array.isArray(variants) ? variants.filter(isVariant) : [];
  } catch {
    // As above.
    return [];
  }
}

function isVariant(value: unknown): value is ListVariant {
  if (typeof value !== 'object' || value === null) return false;
  const { declared, lists } = value as Partial<ListVariant>;
  const isList = (list: Partial<CachedList> | null) =>
    LIST_KINDS.some((kind) => kind === list?.kind) && Array.isArray(list?.entries) && Array.isArray(list?.findings);
  return typeof declared === 'string' && Array.isArray(lists) && lists.every(isList);
}

function findingsOf(text: string): string[] {
  try {
    const findings: unknown = JSON.parse(text);
    return Array.isArray(findings) ? findings.filter((finding) => typeof finding === 'string') : [];
  } catch {
    // Remarks about the list, not the list: without them it is as good.
    return [];
  }
}
