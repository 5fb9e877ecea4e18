import { expect, test } from 'vitest';
import { includesScopes, namedScopes, scopesOf, scopeUnion } from './scopes.ts';

test('a union has every scope once, in the order of their first mention', () => {
  expect(scopeUnion('a b', null, ' b  c ', '')).toBe('a b c');
  expect(scopeUnion(null, ' ')).toBeNull();
});

test('what was granted covers what is needed only when nothing is missing', () => {
  expect(includesScopes('a b c', 'c a')).toBe(true);
  expect(includesScopes('a b', 'a ab')).toBe(false);
  expect(includesScopes(null, 'a')).toBe(false);
  expect(scopesOf(null)).toEqual([]);
});

test('of what a stranger names, scopes are taken as they can be, and no more than a few', () => {
  expect(namedScopes(' files:read  a" b\\ \u202e files:write files:read ')).toBe('files:read files:write');
  expect(namedScopes(null)).toBeNull();
  expect(namedScopes('"')).toBeNull();
  expect(namedScopes('a '.repeat(5000))).toBeNull();
});
