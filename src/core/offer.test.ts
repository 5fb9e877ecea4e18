import { expect, test } from 'vitest';
import { definitionOf } from '../../test/simulated/servers.ts';
import type { CachedList, ListVariant, Sharing } from './model.ts';
import { isWholeOffer, offeredBy, offeredCount } from './offer.ts';
import type { KnownServer } from './state.ts';

const tools = (...names: string[]): CachedList => ({
  kind: 'tools',
  entries: names.map((name) => JSON.stringify({ name })),
  findings: [],
});
const variant = (declared: string, ...names: string[]): ListVariant => ({
  declared,
  lists: names.length === 0 ? [] : [tools(...names)],
});
const ALL = 'elicitation+roots+sampling';

function server(
  names: string[],
  variants: ListVariant[],
  sharing: Sharing = 'auto',
  era: 'legacy' | 'modern' = 'legacy',
) {
  const everything = new Set([...names, ...variants.flatMap(({ lists }) => lists.flatMap(namesIn))]);
  return {
    definition: { ...definitionOf('a'), sharing },
    memory: { era, lists: [tools(...names)], variants },
    keys: { tools: [...everything], prompts: [], resources: [], templates: [] },
  } as unknown as KnownServer;
}

const namesIn = ({ entries }: CachedList) => entries.map((entry) => String(JSON.parse(entry).name));
const offered = (known: KnownServer) =>
  offeredBy(known, 'tools').map(({ entry, onlyFor }) => [JSON.parse(entry).name, onlyFor]);

test('what only hosts see that can be asked comes last, with the least that is known to be enough', () => {
  const known = server(['echo'], [variant(ALL, 'echo', 'form', 'folders'), variant('elicitation', 'echo', 'form')]);
  expect(offered(known)).toEqual([
    ['echo', null],
    ['form', ['elicitation']],
    ['folders', ['elicitation', 'roots', 'sampling']],
  ]);
  expect(offeredCount(known, 'tools')).toBe(3);
});

test('a server that lists the same to everybody, or has one process for all, has one list', () => {
  expect(offered(server(['echo'], [variant(ALL)]))).toEqual([['echo', null]]);
  const shared = server(['echo'], [variant(ALL, 'echo', 'form')], 'shared');
  expect(offered(shared)).toEqual([['echo', null]]);
  expect(offeredCount(shared, 'tools')).toBe(1);
});

test('an offer is whole once it was seen what such hosts get, or where that cannot differ', () => {
  expect(isWholeOffer(server([], [variant(ALL)]))).toBe(true);
  expect(isWholeOffer(server([], [], 'auto', 'modern'))).toBe(true);
  expect(isWholeOffer(server([], [], 'shared'))).toBe(true);
  expect(isWholeOffer(server([], [variant('roots', 'a')]))).toBe(false);
  expect(isWholeOffer({ ...server([], []), memory: null })).toBe(false);
});
