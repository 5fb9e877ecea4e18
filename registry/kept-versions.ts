import type { ServerDefinition, ServerMemory, ServerName } from '../src/core/model.ts';
import type { Db } from './db.ts';
import { readRow, rowOf, type ServerRow } from './server-row.ts';

/** What an update replaced. */
export interface KeptVersion {
  definition: ServerDefinition;
  memory: ServerMemory | null;
  /** Milliseconds since 1970. */
  replacedAt: number;
  /** When the version that took its place first answered a call well; null as long as it did not. */
  provedAt: number | null;
}

export interface KeptTable {
  /** By server. One that cannot be read is left out: it cannot be gone back to. */
  all(): Map<ServerName, KeptVersion>;
  of(server: ServerName): KeptVersion | null;
  /** Within a transaction of the caller; replaces what was kept. */
  put(server: ServerName, kept: KeptVersion): void;
  /** Only the first time counts. */
  prove(server: ServerName, at: number): void;
  drop(server: ServerName): void;
  /** Servers that stay at their version. */
  pins(): Set<ServerName>;
  pin(server: ServerName, on: boolean): void;
}

export function keptTableOf(db: Db): KeptTable {
  const columns = 'server, definition, memory, replaced_at AS replacedAt, proved_at AS provedAt';
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM kept_versions`);
  const of = db.prepare<[string], Row>(`SELECT ${columns} FROM kept_versions WHERE server = ?`);
  const put = db.prepare<[Row]>(
    'INSERT OR REPLACE INTO kept_versions VALUES (@server, @definition, @memory, @replacedAt, @provedAt)',
  );
  const prove = db.prepare<[number, string]>(
    'UPDATE kept_versions SET proved_at = ? WHERE server = ? AND proved_at IS NULL',
  );
  const drop = db.prepare<[string]>('DELETE FROM kept_versions WHERE server = ?');
  const pins = db.prepare<[], { server: string }>('SELECT server FROM pins');
  const pin = db.prepare<[string]>('INSERT OR IGNORE INTO pins VALUES (?)');
  const unpin = db.prepare<[string]>('DELETE FROM pins WHERE server = ?');
  return {
    all: () => new Map(all.all().flatMap((row) => one(row).map((kept) => [row.server, kept] as const))),
    of: (server) => {
      const row = of.get(server);
      return row === undefined ? null : (one(row)[0] ?? null);
    },
    put: (server, { definition, memory, replacedAt, provedAt }) => {
      const texts = { definition: JSON.stringify(rowOf(definition)), memory: JSON.stringify(memory) };
      put.run({ server, ...texts, replacedAt, provedAt });
    },
    prove: (server, at) => {
      prove.run(at, server);
    },
    drop: (server) => {
      drop.run(server);
    },
    pins: () => new Set(pins.all().map(({ server }) => server)),
    pin: (server, on) => {
      (on ? pin : unpin).run(server);
    },
  };
}

// — internal —

interface Row {
  server: string;
  definition: string;
  memory: string | null;
  replacedAt: number;
  provedAt: number | null;
}

/** Written by `put` alone. */
function one({ definition, memory, replacedAt, provedAt }: Row): KeptVersion[] {
  const reading = readRow(JSON.parse(definition) as ServerRow);
  if (!('definition' in reading)) return [];
  const remembered = memory === null ? null : (JSON.parse(memory) as ServerMemory | null);
  return [{ definition: reading.definition, memory: remembered, replacedAt, provedAt }];
}
