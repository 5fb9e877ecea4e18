import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/package-root.ts';
import { isCredentialName } from '../src/secret-shape.ts';
import { isServerName } from '../src/server-names.ts';
import { type CatalogEntry, findEntry, inputsOf, loadCatalog, readCatalog, searchCatalog } from './catalog.ts';
import { CATALOG_META, CatalogDocument } from './catalog-document.ts';
import type { PublishedInput } from './published.ts';

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

test('what people use is there, and what guides name', () => {
  const names = loadCatalog().map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(names).toEqual(
    expect.arrayContaining([
      ...['brave-search', 'everything', 'fetch', 'filesystem', 'git', 'github', 'memory', 'postgres', 'puppeteer'],
      ...['sequential-thinking', 'time', 'todo', 'weather'],
    ]),
  );
});

/** Each as a search that finds it. */
const PURPOSES = [
  ...['files', 'git', 'issues', 'database', 'vector', 'browser', 'search', 'docs', 'cloud', 'chat', 'mail', 'calendar'],
  ...['design', 'diagram', 'maps', 'memory', 'kubernetes', 'observability', 'ci', 'payments', 'crm', 'notes', 'office'],
  ...['crawl', 'papers', 'automation', 'terminal', 'lint', 'api', 'tasks'],
];
test.each(PURPOSES)('somebody who looks for "%s" finds something', (purpose) => {
  expect(searchCatalog(purpose)).not.toEqual([]);
});

/** A tool is shown as NAME__TOOL, and some hosts drop names above 60 characters. */
const NAME_CHARS_MAX = 16;
const LONGER = ['desktop-commander', 'gcp-observability', 'google-workspace', 'sequential-thinking'];
test('short names leave room for those of tools', () => {
  const long = loadCatalog().filter(({ name }) => name.length > NAME_CHARS_MAX);
  expect(long.map(({ name }) => name).filter((name) => !LONGER.includes(name))).toEqual([]);
});

test.each(loadCatalog())('$name says whose it is, under which licence, and what it is for', (entry) => {
  const { published, keywords } = entry;
  expect(published.licence).toMatch(/\S/);
  expect(published.repository ?? published.websiteUrl ?? 'ours', 'its source').toMatch(/^https:|^ours$/);
  if (published.packages[0]?.kind !== 'bundled') expect(published.repository ?? published.websiteUrl).not.toBeNull();
  expect(keywords.length).toBeGreaterThan(0);
  expect(keywords.map((word) => word.toLowerCase())).toEqual(keywords);
  for (const text of [published.title, published.description, ...published.warnings])
    expect(text, 'simple words, no full stop').toMatch(/^[^\n]+[^.\s]$/);
});

test.each(loadCatalog())('$name asks for what it needs in words, and for no secret that it already has', (entry) => {
  for (const input of everyInput(entry)) {
    expect(input.description, input.name).not.toBe('');
    if (input.secret) expect([input.default, input.choices], input.name).toEqual([null, null]);
    if (input.secret && input.value !== null) expect(input.variables.every(({ secret }) => secret)).toBe(true);
    if (isCredentialName(input.name) && !NO_SECRETS.includes(input.name)) expect(input.secret, input.name).toBe(true);
    if (input.default !== null && input.choices !== null) expect(input.choices).toContain(input.default);
  }
});

/** Names of this form that hold a place or the name of something. */
const NO_SECRETS = [
  'AUTH_USERNAME',
  'GOOGLE_CALENDAR_MCP_TOKEN_PATH',
  'GOOGLE_OAUTH_CREDENTIALS',
  'WORKSPACE_MCP_CREDENTIALS_DIR',
];

test('a remote server is reached by https', () => {
  const urls = loadCatalog().flatMap(({ published }) => published.remotes.map(({ url }) => url));
  expect(urls.length).toBeGreaterThan(10);
  for (const url of urls) expect(new URL(url).protocol, url).toBe('https:');
});

test('no name or alias stands for two entries', () => {
  const words = loadCatalog().flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(words).size).toBe(words.length);
});

test('every package has one exact version', () => {
  const packages = loadCatalog().flatMap(({ published }) => published.packages);
  expect(new Set(packages.map(({ kind }) => kind))).toEqual(new Set(['bundled', 'npm', 'pypi', 'oci']));
  for (const { identifier, version } of packages)
    expect(version, identifier).toMatch(/^\d+\.\d+(\.\d+)?([.a-z-]*\d+)*$/);
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
  expect(asked('datadog')).toEqual([
    ['DATADOG_API_KEY', true],
    ['DATADOG_APP_KEY', true],
  ]);
  expect(asked('azure-devops')).toEqual([['organization', false]]);
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
  expect(archived.map(({ name }) => name)).toEqual(['google-maps', 'postgres', 'puppeteer']);
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
  expect(names('browser')).toEqual(expect.arrayContaining(['playwright', 'puppeteer', 'chrome-devtools']));
  expect(names('web search')).toContain('brave-search');
  expect(names('sql')).toEqual(expect.arrayContaining(['dbhub', 'mysql', 'postgres']));
  expect(names('jira')[0]).toBe('atlassian');
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

/** Also what is fixed, and the parts of templates. */
function everyInput({ published }: CatalogEntry): PublishedInput[] {
  const all = [
    ...published.packages.flatMap((pack) => [
      ...pack.arguments.flatMap(({ input }) => (input === null || isWord(input) ? [] : [input])),
      ...pack.env,
    ]),
    ...published.remotes.flatMap(({ variables, headers }) => [
      ...variables,
      ...headers.flatMap((each) => each.variables),
    ]),
  ];
  return all;
}

/** A fixed word of the command line, such as `stdio`. */
function isWord({ name, value, description }: PublishedInput): boolean {
  return value !== null && description === '' && (name === '' || name === value);
}
