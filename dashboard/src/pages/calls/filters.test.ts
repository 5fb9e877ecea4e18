import { expect, test } from 'vitest';
import { type CallFilters, filtersOf, isFiltered, NO_FILTERS, pathOf, queryOf, takesNewCalls } from './filters.ts';

const CHOSEN: CallFilters = {
  host: 'cursor',
  server: 'weather',
  target: 'fore cast',
  outcome: 'failed',
  age: 'hour',
  order: 'slowest',
};

test('filters are in the address, and come back from it', () => {
  const query = new Map(Object.entries(queryOf(CHOSEN)).map(([name, value]) => [name, value ?? '']));
  expect(filtersOf(query)).toEqual(CHOSEN);
  expect(Object.values(queryOf(NO_FILTERS))).toEqual([null, null, null, null, null, null]);
});

test('what an address has besides is passed over', () => {
  const odd = new Map([
    ['outcome', 'great'],
    ['age', 'year'],
    ['order', 'random'],
    ['x', 'y'],
  ]);
  expect(filtersOf(odd)).toEqual(NO_FILTERS);
});

test('the daemon is asked for what was chosen, and for the next page by where the last one ended', () => {
  const path = pathOf(CHOSEN, { now: 10_000_000, limit: 50, before: '7:12' });
  expect(new URL(path, 'http://127.0.0.1').searchParams.toString()).toBe(
    'limit=50&order=slowest&host=cursor&server=weather&target=fore+cast&outcome=failed&since=6400000&before=7%3A12',
  );
  expect(pathOf(NO_FILTERS, { now: 0, limit: 50, before: null })).toBe('/api/calls?limit=50&order=newest');
});

test('another order leaves no call out, and each filter may', () => {
  expect(isFiltered({ ...NO_FILTERS, order: 'slowest' })).toBe(false);
  expect(isFiltered({ ...NO_FILTERS, age: 'hour' })).toBe(true);
});

test('new calls are shown as they come only where nothing is filtered', () => {
  expect(takesNewCalls(NO_FILTERS)).toBe(true);
  expect(takesNewCalls({ ...NO_FILTERS, order: 'slowest' })).toBe(false);
  expect(takesNewCalls({ ...NO_FILTERS, host: 'zed' })).toBe(false);
});
