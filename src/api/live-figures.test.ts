import { expect, test } from 'vitest';
import type { CallRow } from './contract/calls.ts';
import type { FiguresEvent, ServerFigures } from './contract/figures.ts';
import { HeldFigures } from './live-figures.ts';

const BEHIND = 1024 * 1024;

function figures(...named: [name: string, openCalls: number][]): FiguresEvent {
  return { type: 'figures', figures: named.map(([name, openCalls]) => figuresOf(name, openCalls)) };
}

function figuresOf(name: string, openCalls: number): ServerFigures {
  return {
    name,
    perMinute: { lastAt: 0, calls: [], errors: [] },
    latency: { count: 0, p50: null, p95: null, p99: null },
    tree: { state: 'unknown', reason: 'it does not run', samples: { at: [], rssBytes: [], cpuPercent: [] } },
    restarts: 0,
    sessions: [],
    openCalls,
    calls: 0,
    errors: 0,
  };
}

function calls(count: number, leftOut: number): FiguresEvent {
  const call: CallRow = {
    id: 1,
    at: 0,
    host: 'code',
    server: 'weather',
    method: 'tools/call',
    target: 'now',
    queuedMs: 0,
    totalMs: 1,
    outcome: 'ok',
    errorCode: null,
    requestBytes: 1,
    responseBytes: 1,
  };
  return { type: 'calls', calls: Array.from({ length: count }, () => call), leftOut };
}

test('a reader that keeps up gets every event as it is', () => {
  const held = new HeldFigures();
  for (const event of [figures(['weather', 1]), calls(2, 3)]) expect(held.take(event, 0)).toEqual(event);
  expect(held.owed(0)).toEqual([]);
});

test('a reader that is behind gets the latest figures of each server once it has caught up, and the number of calls it missed', () => {
  const held = new HeldFigures();
  expect(held.take(figures(['weather', 1], ['todo', 1]), BEHIND)).toBeNull();
  expect(held.take(figures(['weather', 2]), BEHIND)).toBeNull();
  expect(held.take(calls(5, 7), BEHIND)).toBeNull();
  expect(held.owed(BEHIND)).toEqual([]);
  expect(held.owed(0)).toEqual([figures(['weather', 2], ['todo', 1]), calls(0, 12)]);
  expect(held.owed(0)).toEqual([]);
});

test('what was held goes with the next event, and the newer figures win', () => {
  const held = new HeldFigures();
  held.take(figures(['weather', 1], ['todo', 1]), BEHIND);
  held.take(calls(1, 0), BEHIND);
  expect(held.take(figures(['weather', 2]), 0)).toEqual(figures(['todo', 1], ['weather', 2]));
  expect(held.take(calls(1, 1), 0)).toEqual(calls(1, 2));
});

test('figures of a server that was uninstalled meanwhile are not told', () => {
  const held = new HeldFigures();
  held.take(figures(['weather', 1]), BEHIND);
  held.removed('weather');
  expect(held.owed(0)).toEqual([]);
});
