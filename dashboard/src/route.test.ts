import { expect, test } from 'vitest';
import { hrefOf, routeOf, withQuery } from './route.ts';

test('an address says the page, its parts and its query', () => {
  const { page, parts, query } = routeOf('#/servers/weather/logs?level=error&q=a+b');
  expect([page, parts, [...query]]).toEqual([
    'servers',
    ['weather', 'logs'],
    [
      ['level', 'error'],
      ['q', 'a b'],
    ],
  ]);
});

test('whatever is no address is the first page', () => {
  for (const hash of ['', '#', '#/', '#//']) expect(routeOf(hash)).toMatchObject({ page: 'servers', parts: [] });
});

test('any text comes back out of an address that was made of it', () => {
  for (const name of ['weather', 'a/b', '50%', '?x=1#y', 'ü']) {
    const route = routeOf(withQuery(hrefOf('calls', name), { server: name, host: null, tool: '' }));
    expect([route.parts, [...route.query]]).toEqual([[name], [['server', name]]]);
  }
});

test('a lone percent sign means itself', () => {
  expect(routeOf('#/calls/50%').parts).toEqual(['50%']);
});
