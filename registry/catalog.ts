import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Sharing } from '../src/core/model.ts';
import { McpdError } from '../src/errors.ts';
import { packageRoot } from '../src/package-root.ts';
import { CATALOG_META, CatalogDocument, type EnvironmentVariable, type PackageArgument } from './server-json.ts';

/** One value of a server that is fixed, or that a person gives. */
export interface CatalogInput {
  /** Of a variable its name, of a flag the flag without dashes, of a positional argument its hint. */
  name: string;
  description: string;
  required: boolean;
  secret: boolean;
  format: 'string' | 'number' | 'boolean' | 'filepath';
  /** Fixed: nobody is asked. `${dataDir}` in it stands for the server's data folder. Null: a person's to give. */
  value: string | null;
  default: string | null;
  placeholder: string | null;
  choices: string[] | null;
}

export interface CatalogArgument {
  /** `--port` of a named argument, which is two entries of argv; null for a positional one. */
  flag: string | null;
  /** May be given several times; a flag is repeated with it. */
  repeated: boolean;
  input: CatalogInput;
}

export interface CatalogEntry {
  name: string;
  aliases: string[];
  keywords: string[];
  title: string;
  description: string;
  /** `entry` is a file relative to mcpd's `dist/`. A version is exact. */
  origin: { kind: 'bundled'; entry: string } | { kind: 'npm'; identifier: string; version: string };
  /** In the order of the command line. */
  arguments: CatalogArgument[];
  env: CatalogInput[];
  /** Which hosts may share a process of it, where that is known better than `auto` can find out. */
  sharing: Sharing;
  deprecated: boolean;
  /** To be shown before an install. */
  warnings: string[];
}

let bundled: readonly CatalogEntry[] | null = null;

/** The entries that come with mcpd, by name. Read once per process, when first asked for. */
export function loadCatalog(): readonly CatalogEntry[] {
  bundled ??= readCatalog(join(packageRoot(), 'registry', 'catalog'));
  return bundled;
}

/** All entries of a folder, by name. @throws {McpdError} INTERNAL naming the file that is wrong */
export function readCatalog(folder: string): CatalogEntry[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.map((file) => readEntry(join(folder, file))).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** By name or alias, whatever the case; null when there is none (`didYouMean` has the near ones). */
export function findEntry(nameOrAlias: string, catalog: readonly CatalogEntry[] = loadCatalog()): CatalogEntry | null {
  const wanted = nameOrAlias.toLowerCase();
  return catalog.find(({ name }) => name === wanted) ?? catalog.find(({ aliases }) => aliases.includes(wanted)) ?? null;
}

/** Entries in which every word of the query occurs, best first; all of them for an empty query. */
export function searchCatalog(query: string, catalog: readonly CatalogEntry[] = loadCatalog()): CatalogEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits: { entry: CatalogEntry; distance: number }[] = [];
  for (const entry of catalog) {
    const distances = words.map((word) => distanceOf(word, entry));
    const distance = distances.reduce((sum, one) => sum + one, 0);
    if (Number.isFinite(distance)) hits.push({ entry, distance });
  }
  return hits.sort((one, other) => one.distance - other.distance).map(({ entry }) => entry);
}

/** What a person may be asked: everything that is not fixed, arguments first. */
export function inputsOf(entry: CatalogEntry): CatalogInput[] {
  return [...entry.arguments.map(({ input }) => input), ...entry.env].filter(({ value }) => value === null);
}

// — internal —

/** Where a word occurs: the nearer to the name, the smaller. Infinity: nowhere. */
function distanceOf(word: string, entry: CatalogEntry): number {
  const names = [entry.name, ...entry.aliases];
  if (names.includes(word)) return 0;
  if (names.some((name) => name.startsWith(word))) return 1;
  if (names.some((name) => name.includes(word))) return 2;
  if (entry.keywords.some((keyword) => keyword.startsWith(word))) return 3;
  const text = [entry.title, entry.description, ...entry.keywords, originText(entry)].join('\n').toLowerCase();
  return text.includes(word) ? 4 : Number.POSITIVE_INFINITY;
}

function originText({ origin }: CatalogEntry): string {
  return origin.kind === 'npm' ? `npm:${origin.identifier}` : 'bundled';
}

function readEntry(file: string): CatalogEntry {
  const parsed = CatalogDocument.safeParse(json(file));
  if (!parsed.success) throw broken(file, z.prettifyError(parsed.error));
  const { title, description, packages, _meta } = parsed.data;
  const { name, aliases, keywords, status, notes, sharing } = _meta[CATALOG_META];
  const pack = packages[0];
  if (pack === undefined) throw broken(file, 'it names no package');
  return {
    name,
    aliases,
    keywords,
    title,
    description,
    origin: originOf(file, pack),
    arguments: (pack.packageArguments ?? []).map(argumentOf),
    env: (pack.environmentVariables ?? []).map((variable) => inputOf(variable.name, variable)),
    sharing: sharing ?? 'auto',
    deprecated: status === 'deprecated',
    warnings: notes ?? [],
  };
}

function json(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw broken(file, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function originOf(file: string, pack: CatalogDocument['packages'][number]): CatalogEntry['origin'] {
  const { registryType, identifier, version } = pack;
  if (registryType === 'bundled') return { kind: 'bundled', entry: identifier };
  if (registryType === 'npm' && version !== undefined) return { kind: 'npm', identifier, version };
  throw broken(
    file,
    `a package of type ${registryType} cannot be installed from the catalog, or its version is missing`,
  );
}

function argumentOf(argument: PackageArgument): CatalogArgument {
  const flag = argument.type === 'named' ? argument.name : null;
  const label = argument.type === 'named' ? argument.name.replace(/^-+/, '') : (argument.valueHint ?? '');
  return { flag, repeated: argument.isRepeated ?? false, input: inputOf(label, argument) };
}

function inputOf(name: string, input: PackageArgument | EnvironmentVariable): CatalogInput {
  return {
    name,
    description: input.description ?? '',
    required: input.isRequired ?? false,
    secret: input.isSecret ?? false,
    format: input.format ?? 'string',
    value: input.value ?? null,
    default: input.default ?? null,
    placeholder: input.placeholder ?? null,
    choices: input.choices ?? null,
  };
}

function broken(file: string, why: string): McpdError {
  return new McpdError('INTERNAL', {
    what: `${file} is no entry of the catalog`,
    why,
    fix: 'install mcpd again: its own files are damaged',
  });
}
