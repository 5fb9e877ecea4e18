import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Sharing } from '../src/core/model.ts';
import { McpdError } from '../src/errors.ts';
import { packageRoot } from '../src/package-root.ts';
import { CATALOG_META, CatalogDocument } from './catalog-document.ts';
import { inputsOfPackage, inputsOfRemote, type Published, type PublishedInput } from './published.ts';
import { publishedOf } from './server-json.ts';

export interface CatalogEntry {
  /** What a person types. */
  name: string;
  aliases: string[];
  keywords: string[];
  /** Which hosts may share a process of it, where that is known better than `auto` can find out. */
  sharing: Sharing;
  /** Its first package, or its first remote, is what is installed. A version is exact. */
  published: Published;
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
export function inputsOf({ published }: CatalogEntry): PublishedInput[] {
  const [pack] = published.packages;
  return pack === undefined ? published.remotes.slice(0, 1).flatMap(inputsOfRemote) : inputsOfPackage(pack);
}

/** Where it comes from, for people: `npm:@acme/mcp`, `bundled`. */
export function originText({ published }: CatalogEntry): string {
  const [pack] = published.packages;
  if (pack === undefined) return published.remotes[0]?.url ?? '';
  return pack.kind === 'bundled' ? 'bundled' : `${pack.kind}:${pack.identifier}`;
}

// — internal —

/** Where a word occurs: the nearer to the name, the smaller. Infinity: nowhere. */
function distanceOf(word: string, entry: CatalogEntry): number {
  const names = [entry.name, ...entry.aliases];
  if (names.includes(word)) return 0;
  if (names.some((name) => name.startsWith(word))) return 1;
  if (names.some((name) => name.includes(word))) return 2;
  if (entry.keywords.some((keyword) => keyword.startsWith(word))) return 3;
  const { title, description } = entry.published;
  const text = [title, description, ...entry.keywords, originText(entry)].join('\n').toLowerCase();
  return text.includes(word) ? 4 : Number.POSITIVE_INFINITY;
}

function readEntry(file: string): CatalogEntry {
  const parsed = CatalogDocument.safeParse(json(file));
  if (!parsed.success) throw broken(file, z.prettifyError(parsed.error));
  const { _meta, ...document } = parsed.data;
  const { name, aliases, keywords, licence, status, notes, sharing } = _meta[CATALOG_META];
  const published: Published = {
    ...publishedIn(file, document),
    licence,
    status: status ?? 'active',
    warnings: notes ?? [],
  };
  return { name, aliases, keywords, sharing: sharing ?? 'auto', published };
}

/** As anybody's `server.json`, and with what is bundled, which nobody else may name. */
function publishedIn(file: string, document: Omit<CatalogDocument, '_meta'>): Published {
  const { packages = [], remotes = [] } = document;
  const [pack] = packages;
  if (packages.length + remotes.length !== 1) throw broken(file, 'it names not just one package or one remote');
  try {
    if (pack?.registryType !== 'bundled') return usable(file, publishedOf(document));
    const read = publishedOf({ ...document, packages: [{ ...pack, registryType: 'npm', identifier: 'bundled' }] });
    return {
      ...read,
      packages: read.packages.map((each) => ({ ...each, kind: 'bundled', identifier: pack.identifier })),
    };
  } catch (thrown) {
    throw thrown instanceof McpdError && thrown.code === 'CONFIG_INVALID' ? broken(file, thrown.message) : thrown;
  }
}

function usable(file: string, published: Published): Published {
  const [fault] = published.unsupported;
  if (fault !== undefined) throw broken(file, `${fault} cannot be installed`);
  if (published.packages.some(({ version }) => version === null))
    throw broken(file, 'the version of its package is missing');
  return published;
}

function json(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw broken(file, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function broken(file: string, why: string): McpdError {
  return new McpdError('INTERNAL', {
    what: `${file} is no entry of the catalog`,
    why,
    fix: 'install mcpd again: its own files are damaged',
  });
}
