import { expect, test } from 'vitest';
import { isLogLevel, LOG_LEVELS, levelReaches, routeOf } from './methods.ts';

test('each era has its own requests, and most are of both', () => {
  const of = (method: string) => [routeOf(method, 'legacy') !== null, routeOf(method, 'modern') !== null];
  for (const method of [
    'tools/list',
    'tools/call',
    'prompts/get',
    'resources/read',
    'completion/complete',
    'server/discover',
    'tasks/get',
    'tasks/cancel',
  ])
    expect(of(method), method).toEqual([true, true]);
  for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])
    expect(of(method), method).toEqual([true, false]);
  expect(of('subscriptions/listen')).toEqual([false, true]);
  for (const method of ['tasks/result', 'tasks/list']) expect(of(method), method).toEqual([true, false]);
  expect(of('tasks/update')).toEqual([false, true]);
  for (const method of ['made/up', '', '__proto__', 'toString', 'TOOLS/CALL'])
    expect(of(method), method).toEqual([false, false]);
});

test('a level reaches those below it, and one that is not of MCP reaches all', () => {
  for (const [at, level] of LOG_LEVELS.entries())
    for (const [threshold, name] of LOG_LEVELS.entries()) expect(levelReaches(level, name)).toBe(at >= threshold);
  expect(levelReaches('loud', 'emergency')).toBe(true);
  expect(levelReaches(undefined, 'emergency')).toBe(true);
  for (const value of ['loud', '', null, 3, {}, 'Debug']) expect(isLogLevel(value)).toBe(false);
});
