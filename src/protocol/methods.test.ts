import { expect, test } from 'vitest';
import { isLogLevel, LOG_LEVELS, levelReaches, routeOf } from './methods.ts';
import { LEGACY_REVISIONS, negotiateLegacy, SERVED_REVISIONS } from './revisions.ts';

test('each era has its own requests, and most are of both', () => {
  const of = (method: string) => [routeOf(method, 'legacy') !== null, routeOf(method, 'modern') !== null];
  for (const method of [
    'tools/list',
    'tools/call',
    'prompts/get',
    'resources/read',
    'completion/complete',
    'server/discover',
  ])
    expect(of(method), method).toEqual([true, true]);
  for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])
    expect(of(method), method).toEqual([true, false]);
  expect(of('subscriptions/listen')).toEqual([false, true]);
  for (const method of ['tasks/get', 'made/up', '', '__proto__', 'toString', 'TOOLS/CALL'])
    expect(of(method), method).toEqual([false, false]);
});

test('a level reaches those below it, and one that is not of MCP reaches all', () => {
  for (const [at, level] of LOG_LEVELS.entries())
    for (const [threshold, name] of LOG_LEVELS.entries()) expect(levelReaches(level, name)).toBe(at >= threshold);
  expect(levelReaches('loud', 'emergency')).toBe(true);
  expect(levelReaches(undefined, 'emergency')).toBe(true);
  for (const value of ['loud', '', null, 3, {}, 'Debug']) expect(isLogLevel(value)).toBe(false);
});

test('initialize is answered with the revision that was asked for, or with the newest that has initialize', () => {
  for (const revision of LEGACY_REVISIONS) expect(negotiateLegacy(revision)).toBe(revision);
  for (const other of ['2026-07-28', '2027-01-01', '', null, 7, undefined])
    expect(negotiateLegacy(other)).toBe('2025-11-25');
  expect([...SERVED_REVISIONS].sort().reverse()).toEqual(SERVED_REVISIONS);
});
