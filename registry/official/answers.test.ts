import { expect, test } from 'vitest';
import { newestFirst, readListing, readPage, refusalOf } from './answers.ts';
import { askedWord, fitting } from './search.ts';

const OWN = 'io.modelcontextprotocol.registry/official';
const WHERE = 'registry.example.com';

function entry(name: string, version: string, own: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  return {
    server: { name, version, description: 'x', ...more },
    _meta: { [OWN]: { status: 'active', isLatest: true, ...own } },
  };
}

test('the end of the pages is an absent, empty or null cursor, in both spellings', () => {
  for (const metadata of [
    undefined,
    {},
    { nextCursor: null },
    { nextCursor: '' },
    { next_cursor: '' },
    { nextCursor: 7 },
  ])
    expect(readPage({ servers: [], metadata }, WHERE).nextCursor).toBeNull();
  for (const metadata of [{ nextCursor: 'c' }, { next_cursor: 'c' }, { next_cursor: 'c', nextCursor: null }])
    expect(readPage({ servers: [], metadata }, WHERE).nextCursor).toBe('c');
  expect(() => readPage({ servers: [], metadata: { nextCursor: 'c'.repeat(5000) } }, WHERE)).toThrow(/cursor of 5000/);
});

test('what is no list of servers is refused, and an entry that cannot be one is left out and counted', () => {
  for (const body of [null, 'x', [], {}, { servers: {} }, { servers: null }])
    expect(() => readPage(body, WHERE)).toThrow(/did not answer as an MCP registry/);
  const servers = [
    entry('a/b', '1.0.0'),
    null,
    7,
    {},
    { server: { name: 'a/../b', version: '1' } },
    { server: { name: 'a/c', version: '^1' } },
  ];
  const page = readPage({ servers }, WHERE);
  expect([page.listings.map(({ name }) => name), page.passedOver]).toEqual([['a/b'], 5]);
});

test('the status is that of the registry, of older documents their own, and a word that nobody knows is shown as a warning', () => {
  const read = (body: unknown) => readListing(body, { name: 'a/b', version: null }, WHERE);
  expect(read(entry('a/b', '1.0.0', { status: 'deprecated', statusMessage: 'use a/c' }))).toMatchObject({
    status: 'deprecated',
    statusMessage: 'use a/c',
  });
  expect(read({ server: { name: 'a/b', version: '1', status: 'deleted' } }).status).toBe('deleted');
  expect(read({ name: 'a/b', version: '1' })).toMatchObject({ status: 'active', isLatest: false, publishedAt: null });
  expect(read(entry('a/b', '1', { status: 'quarantined' }))).toMatchObject({
    status: 'deprecated',
    statusMessage: 'the registry calls it "quarantined"',
  });
});

test('an answer about another server or version than the one that was asked for is refused', () => {
  const asked = { name: 'a/b', version: '1.0.0' };
  expect(readListing(entry('a/b', '1.0.0'), asked, WHERE).version).toBe('1.0.0');
  expect(() => readListing(entry('a/c', '1.0.0'), asked, WHERE)).toThrow(/another server/);
  expect(() => readListing(entry('a/b', '1.0.1'), asked, WHERE)).toThrow(/another server/);
});

test('versions come newest first: the latest, then by the day of publishing', () => {
  const listings = [
    entry('a/b', '1.0.0', { isLatest: false, publishedAt: '2026-01-01T00:00:00Z' }),
    entry('a/b', '2.0.0', { isLatest: true, publishedAt: '2026-02-01T00:00:00Z' }),
    entry('a/b', '1.5.0', { isLatest: false, publishedAt: '2026-03-01T00:00:00Z' }),
  ].map((body) => readListing(body, { name: 'a/b', version: null }, WHERE));
  expect(newestFirst(listings).map(({ version }) => version)).toEqual(['2.0.0', '1.5.0', '1.0.0']);
});

test('a refusal is whatever a body says, and a page says nothing', () => {
  const said = [
    '{"error":"no such"}',
    '{"error":{"message":"deep"}}',
    '{"detail":"why"}',
    '"plain"',
    'slow down',
    '<html>x</html>',
    '',
    '{"error":7}',
    '[]',
  ].map(refusalOf);
  expect(said).toEqual(['no such', 'deep', 'why', 'plain', 'slow down', null, null, null, '[]']);
});

test('a search keeps what has all words, once each, best first, without what was deleted', () => {
  const page = readPage(
    {
      servers: [
        entry('io.x/other', '1', {}, { description: 'a weather map' }),
        entry('io.x/old-weather', '1', { status: 'deprecated' }),
        entry('io.x/weather-map', '1', { isLatest: false }),
        entry('io.x/weather-map', '2'),
        entry('io.x/weather', '1', { status: 'deleted' }),
        entry('io.weather/map', '1'),
      ],
    },
    WHERE,
  );
  expect(askedWord('map weather')).toBe('weather');
  expect(askedWord('  ')).toBeNull();
  const { found } = fitting(page.listings, 'map Weather');
  expect(found.map(({ name, version }) => `${name}@${version}`)).toEqual([
    'io.x/weather-map@2',
    'io.weather/map@1',
    'io.x/other@1',
  ]);
  expect(fitting(page.listings, 'weather').found.at(-1)?.name).toBe('io.x/old-weather');
});
