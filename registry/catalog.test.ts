import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/package-root.ts';
import { isServerName } from '../src/server-names.ts';
import { findEntry, inputsOf, loadCatalog, readCatalog, searchCatalog } from './catalog.ts';
import { CATALOG_META, CatalogDocument } from './catalog-document.ts';

const FOLDER = join(packageRoot(), 'registry', 'catalog');
const FILES = readdirSync(FOLDER);

test.each(FILES)('%s follows the schema and has no member that the schema does not know', (file) => {
  const document: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  expect(CatalogDocument.parse(document)).toEqual(document);
});

test.each(FILES)('%s is named after its short name, which may name a server', (file) => {
  const { _meta } = CatalogDocument.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
  expect(`${_meta[CATALOG_META].name}.json`).toBe(file);
  expect(isServerName(_meta[CATALOG_META].name)).toBe(true);
});

test('the servers that guides name are there', () => {
  expect(loadCatalog().map(({ name }) => name)).toEqual([
    'brave-search',
    'everything',
    'filesystem',
    'github',
    'memory',
    'postgres',
    'puppeteer',
    'sequential-thinking',
    'todo',
    'weather',
  ]);
});

test('no name or alias stands for two entries', () => {
  const words = loadCatalog().flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(words).size).toBe(words.length);
});

test('every npm package has one exact version', () => {
  for (const { published } of loadCatalog()) {
    for (const { kind, version } of published.packages) if (kind === 'npm') expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  }
});

test('a version range is refused', () => {
  const document = JSON.parse(readFileSync(join(FOLDER, 'memory.json'), 'utf8')) as { packages: { version: string }[] };
  for (const version of ['latest', '^1.2.3', '1.x', '>=1.0.0']) {
    for (const pack of document.packages) pack.version = version;
    expect(CatalogDocument.safeParse(document).success, version).toBe(false);
  }
});

test('what must be given is asked for, and what is secret is marked so', () => {
  const asked = (name: string) =>
    inputsOf(findEntry(name) ?? expect.fail(name))
      .filter(({ required }) => required)
      .map((input) => [input.name, input.secret]);
  expect(asked('github')).toEqual([['GITHUB_PERSONAL_ACCESS_TOKEN', true]]);
  expect(asked('brave-search')).toEqual([['BRAVE_API_KEY', true]]);
  expect(asked('postgres')).toEqual([['database_url', true]]);
  expect(asked('filesystem')).toEqual([['directory', false]]);
  for (const name of ['weather', 'todo', 'memory', 'everything', 'sequential-thinking', 'puppeteer'])
    expect(asked(name)).toEqual([]);
});

test('the memory server writes into its data folder, and nobody is asked about it', () => {
  const memory = findEntry('memory');
  expect(memory?.published.packages[0]?.env.map(({ name, value }) => [name, value])).toEqual([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: mcpd's own placeholder, filled at install.
    ['MEMORY_FILE_PATH', '${dataDir}/memory.jsonl'],
  ]);
  expect(memory && inputsOf(memory)).toEqual([]);
});

test('an entry may pin how its server is shared, and no other word for it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpd-catalog-'));
  const document = JSON.parse(readFileSync(join(FOLDER, 'memory.json'), 'utf8')) as {
    _meta: Record<string, Record<string, unknown>>;
  };
  const own = document._meta[CATALOG_META] ?? expect.fail('no members of ours');
  const read = (sharing: string) => {
    own['sharing'] = sharing;
    writeFileSync(join(folder, 'memory.json'), JSON.stringify(document));
    return readCatalog(folder)[0]?.sharing;
  };
  try {
    expect(findEntry('memory')?.sharing).toBe('auto');
    expect(read('per-session')).toBe('per-session');
    expect(() => read('alone')).toThrow('memory.json');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('archived servers are marked, and say so', () => {
  const archived = loadCatalog().filter(({ published }) => published.status === 'deprecated');
  expect(archived.map(({ name }) => name)).toEqual(['brave-search', 'github', 'postgres', 'puppeteer']);
  for (const { published } of archived) expect(published.warnings.length).toBeGreaterThan(0);
});

test('an entry is found by name and alias in any case, and by nothing else', () => {
  expect(findEntry('Weather')?.name).toBe('weather');
  expect(findEntry('fs')?.name).toBe('filesystem');
  for (const name of ['', 'weathr', '__proto__', 'constructor', 'weather ']) expect(findEntry(name)).toBeNull();
});

test('a search wants every word and puts the nearest name first', () => {
  const names = (query: string) => searchCatalog(query).map(({ name }) => name);
  expect(names('file')[0]).toBe('filesystem');
  expect(names('browser')).toEqual(['puppeteer']);
  expect(names('web search')).toEqual(['brave-search']);
  expect(names('sql')).toEqual(['postgres']);
  expect(names('')).toHaveLength(loadCatalog().length);
  expect(names('web nonsense')).toEqual([]);
});

test('a file that is no entry is refused by its name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpd-catalog-'));
  try {
    for (const text of ['{', '[]', '{"name":"x/y"}']) {
      writeFileSync(join(folder, 'odd.json'), text);
      expect(() => readCatalog(folder)).toThrow(
        expect.objectContaining({ code: 'INTERNAL', message: expect.stringContaining('odd.json') }),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
