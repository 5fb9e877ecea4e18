import type { ServerDefinition, ServerLimits, ServerName, Sharing, StartMode } from '../src/core/model.ts';
import type { Db } from './db.ts';
import { LIMIT_KEYS, readRow, rowOf, type ServerRow } from './server-row.ts';

/** What a person may change of an installed server. An absent member stays; a limit of null takes the default. */
export interface DefinitionPatch {
  enabled?: boolean | undefined;
  start?: StartMode | undefined;
  sharing?: Sharing | undefined;
  limits?: { [K in keyof ServerLimits]?: ServerLimits[K] | undefined } | undefined;
}

export interface ServerTable {
  /** By name. A row that cannot be read costs the others nothing: it stays, and is named in `findings`. */
  all(): { definitions: ServerDefinition[]; findings: string[] };
  /** Null when it is not there or cannot be read. */
  one(name: ServerName): ServerDefinition | null;
  /** Readable or not. */
  has(name: ServerName): boolean;
  /** Inserts or replaces; within a transaction of the caller. */
  put(definition: ServerDefinition): void;
  /** True when it was there, readable or not. */
  remove(name: ServerName): boolean;
}

export function serverTableOf(db: Db): ServerTable {
  const columns =
    'name, description, launch, start, sharing, enabled, limits, source, fingerprint, added_at AS addedAt';
  const all = db.prepare<[], ServerRow>(`SELECT ${columns} FROM servers ORDER BY name`);
  const one = db.prepare<[string], ServerRow>(`SELECT ${columns} FROM servers WHERE name = ?`);
  const has = db.prepare<[string]>('SELECT 1 FROM servers WHERE name = ?');
  const remove = db.prepare<[string]>('DELETE FROM servers WHERE name = ?');
  const put = db.prepare<[ServerRow]>(`
    INSERT INTO servers (name, description, launch, start, sharing, enabled, limits, source, fingerprint, added_at)
    VALUES (@name, @description, @launch, @start, @sharing, @enabled, @limits, @source, @fingerprint, @addedAt)
    ON CONFLICT (name) DO UPDATE SET description = excluded.description, launch = excluded.launch, start = excluded.start,
      sharing = excluded.sharing, enabled = excluded.enabled, limits = excluded.limits, source = excluded.source,
      fingerprint = excluded.fingerprint, added_at = excluded.added_at`);
  return {
    all: () => readAll(all.all()),
    one: (name) => {
      const row = one.get(name);
      if (row === undefined) return null;
      const reading = readRow(row);
      return 'definition' in reading ? reading.definition : null;
    },
    has: (name) => has.get(name) !== undefined,
    put: (definition) => {
      put.run(rowOf(definition));
    },
    remove: (name) => remove.run(name).changes > 0,
  };
}

/** `definition` with what `patch` names; its launch and so its fingerprint stay. */
export function patched(definition: ServerDefinition, patch: DefinitionPatch): ServerDefinition {
  const limits = { ...definition.limits };
  for (const key of LIMIT_KEYS) {
    const value = patch.limits?.[key];
    if (value !== undefined) limits[key] = value;
  }
  return {
    ...definition,
    enabled: patch.enabled ?? definition.enabled,
    start: patch.start ?? definition.start,
    sharing: patch.sharing ?? definition.sharing,
    limits,
  };
}

// — internal —

function readAll(rows: readonly ServerRow[]): { definitions: ServerDefinition[]; findings: string[] } {
  const definitions: ServerDefinition[] = [];
  const findings: string[] = [];
  for (const row of rows) {
    const reading = readRow(row);
    if ('definition' in reading) definitions.push(reading.definition);
    else findings.push(reading.finding);
  }
  return { definitions, findings };
}
