import { expect, test } from 'vitest';
import type { Transition } from './model.ts';
import { StartCount } from './start-count.ts';

function counted(...states: Transition['to'][]) {
  const count = new StartCount();
  for (const [at, to] of states.entries()) if (at > 0) count.moved({ from: states[at - 1] ?? to, to });
  return { starts: count.starts, restarts: count.restarts };
}

test('a start from rest is a start, one from anything else a restart too', () => {
  expect(counted('stopped', 'starting', 'running', 'stopping', 'stopped', 'starting')).toEqual({
    starts: 2,
    restarts: 0,
  });
  expect(counted('stopped', 'starting', 'running', 'backoff', 'starting')).toEqual({ starts: 2, restarts: 1 });
});

test('the start after a crash that nobody noticed is a restart', () => {
  expect(counted('stopped', 'starting', 'running', 'stopped', 'starting', 'running')).toEqual({
    starts: 2,
    restarts: 1,
  });
});
