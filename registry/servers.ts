import * as z from 'zod/mini';
import type { ServerDefinition, ServerLimits, ServerName, StartMode } from '../src/core/model.ts';
import { isServerName } from '../src/server-names.ts';
import type { Db } from './db.ts';

/** What a person may change of an installed server. An absent member stays; a limit of null takes the default. */
export interface DefinitionPatch {
  enabled?: boolean | undefined;
  start?: StartMode | undefined;
  limits?: { [K in keyof ServerLimits]?: ServerLimits[K] | undefined } | undefined;
}

export interface ServerTable {
  /** By name. A row that cannot be read costs the others nothing: it stays, and is named in `findings`. */
  all(): { definitions: ServerDefinition[]; findings: string[] };
  /** Null when it is not there or cannot be read. */
  one(name: ServerName): ServerDefinition | null;
  /** Inserts or replaces; within a transaction of the caller. */
  put(definition: ServerDefinition): void;
  /** True when it was there, readable or not. */
  remove(name: ServerName): boolean;
}

export function serverTableOf(db: Db): ServerTable {
  const columns = 'name, description, launch, start, enabled, limits, source, fingerprint, added_at AS addedAt';
  const all = db.prepare<[], ServerRow>(`SELECT ${columns} FROM servers ORDER BY name`);
  const one = db.prepare<[string], ServerRow>(`SELECT ${columns} FROM servers WHERE name = ?`);
  const remove = db.prepare<[string]>('DELETE FROM servers WHERE name = ?');
  const put = db.prepare<[ServerRow]>(`
    INSERT INTO servers (name, description, launch, start, enabled, limits, source, fingerprint, added_at)
    VALUES (@name, @description, @launch, @start, @enabled, @limits, @source, @fingerprint, @addedAt)
    ON CONFLICT (name) DO UPDATE SET description = excluded.description, launch = excluded.launch, start = excluded.start,
      enabled = excluded.enabled, limits = excluded.limits, source = excluded.source, fingerprint = excluded.fingerprint,
      added_at = excluded.added_at`);
  return {
    all: () => readAll(all.all()),
    one: (name) => {
      const row = one.get(name);
      if (row === undefined) return null;
      const reading = read(row);
      return 'definition' in reading ? reading.definition : null;
    },
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
    limits,
  };
}

// — internal —

interface ServerRow {
  name: string;
  description: string;
  launch: string;
  start: string;
  enabled: number;
  limits: string;
  source: string;
  fingerprint: string;
  addedAt: number;
}

const LIMIT_KEYS = [
  'startTimeoutMs',
  'callTimeoutMs',
  'idleStopMs',
  'lineBytesMax',
  'memorySoftBytes',
  'memoryHardBytes',
] as const;

/** Absent in a row of an older release: the default. */
const Limit = z._default(z.nullable(z.int().check(z.positive())), null);
const Package = z.object({ identifier: z.string(), version: z.string(), integrity: z.string() });

const Definition = z.object({
  name: z.string().check(z.refine(isServerName, 'not a server name')),
  description: z.string(),
  launch: z.object({
    command: z.string().check(z.minLength(1)),
    args: z.array(z.string()),
    cwd: z.nullable(z.string()),
    env: z.record(z.string(), z.string()),
  }),
  start: z.enum(['on-demand', 'always', 'manual']),
  enabled: z.boolean(),
  limits: z.object({
    startTimeoutMs: Limit,
    callTimeoutMs: Limit,
    idleStopMs: Limit,
    lineBytesMax: Limit,
    memorySoftBytes: Limit,
    memoryHardBytes: Limit,
  }),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('catalog'), ref: z.string(), package: z.nullable(Package) }),
    z.object({ kind: z.literal('npm'), ref: z.string(), package: Package }),
    z.object({ kind: z.literal('folder'), ref: z.string() }),
    z.object({ kind: z.literal('command'), ref: z.string() }),
    z.object({ kind: z.literal('file'), ref: z.string() }),
  ]),
  fingerprint: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  addedAt: z.number(),
});

function rowOf(definition: ServerDefinition): ServerRow {
  const { launch, limits, source, enabled, ...plain } = definition;
  return {
    ...plain,
    enabled: enabled ? 1 : 0,
    launch: JSON.stringify(launch),
    limits: JSON.stringify(limits),
    source: JSON.stringify(source),
  };
}

function readAll(rows: readonly ServerRow[]): { definitions: ServerDefinition[]; findings: string[] } {
  const definitions: ServerDefinition[] = [];
  const findings: string[] = [];
  for (const row of rows) {
    const reading = read(row);
    if ('definition' in reading) definitions.push(reading.definition);
    else findings.push(reading.finding);
  }
  return { definitions, findings };
}

function read(row: ServerRow): { definition: ServerDefinition } | { finding: string } {
  try {
    const { launch, limits, source, enabled, ...plain } = row;
    const parsed = Definition.safeParse({
      ...plain,
      enabled: enabled !== 0,
      launch: JSON.parse(launch),
      limits: JSON.parse(limits),
      source: JSON.parse(source),
    });
    return parsed.success
      ? { definition: parsed.data }
      : unreadable(row.name, z.prettifyError(parsed.error).split('\n').join(' '));
  } catch (thrown) {
    return unreadable(row.name, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function unreadable(name: string, why: string): { finding: string } {
  return {
    finding: `the registry's entry for "${name}" cannot be read and is left out (${why}); install it again, or remove it: mcpd uninstall ${name}`,
  };
}
