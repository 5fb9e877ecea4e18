import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FiguresEvent, ServerFigures } from '../api/contract/figures.ts';
import type { CallRecord } from '../core/model.ts';
import {
  FIGURES_EVERY_MS,
  FIGURES_PER_TURN,
  LIVE_CALLS_GATHER_MS,
  LIVE_CALLS_PER_SECOND_MAX,
} from '../figures-limits.ts';
import { NO_LATENCY } from './figure-latency.ts';
import { FiguresFeed } from './figures-feed.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => vi.useRealTimers());

const RECORD: CallRecord = {
  at: 1_700_000_000_000,
  session: 's1',
  host: 'code',
  server: 'weather',
  instance: 'weather',
  method: 'tools/call',
  target: 'now',
  queuedMs: 0,
  totalMs: 3,
  outcome: 'ok',
  errorCode: null,
  error: null,
  requestBytes: 80,
  responseBytes: 200,
  traceparent: null,
  marks: [],
};

function figuresOf(name: string, openCalls: number): ServerFigures {
  return {
    name,
    perMinute: { lastAt: 0, calls: [], errors: [] },
    latency: NO_LATENCY,
    tree: { state: 'unknown', reason: 'it does not run', samples: { at: [], rssBytes: [], cpuPercent: [] } },
    restarts: 0,
    sessions: [],
    openCalls,
    calls: 0,
    errors: 0,
  };
}

function given(servers = ['todo', 'weather']) {
  const open = new Map(servers.map((name) => [name, 0]));
  let looks = 0;
  const feed = new FiguresFeed({
    figures: () => Array.from(open, ([name, calls]) => figuresOf(name, calls)),
    beginLooking: () => {
      looks += 1;
      return () => {
        looks -= 1;
      };
    },
  });
  const told: FiguresEvent[] = [];
  const names = () => told.map((event) => (event.type === 'figures' ? event.figures.map(({ name }) => name) : 'calls'));
  return { feed, open, told, names, looks: () => looks };
}

test('servers whose figures changed are told at each round, and nothing when none did', async () => {
  const { feed, open, told, names } = given();
  feed.watch((event) => told.push(event));
  await vi.advanceTimersByTimeAsync(FIGURES_EVERY_MS);
  expect(names()).toEqual([['todo', 'weather']]);
  await vi.advanceTimersByTimeAsync(5 * FIGURES_EVERY_MS);
  expect(told).toHaveLength(1);
  open.set('weather', 2);
  vi.advanceTimersByTime(FIGURES_EVERY_MS);
  expect(told[1]).toEqual({ type: 'figures', figures: [figuresOf('weather', 2)] });
});

test('a hundred servers are told in several turns, and none twice', async () => {
  const { feed, told, names } = given(Array.from({ length: 100 }, (_, nth) => `server-${nth}`));
  feed.watch((event) => told.push(event));
  vi.advanceTimersByTime(FIGURES_EVERY_MS);
  expect(names().flat()).toHaveLength(FIGURES_PER_TURN);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(FIGURES_EVERY_MS);
  expect(new Set(names().flat()).size).toBe(100);
  expect(names().flat()).toHaveLength(100);
});

test('processes are looked at as long as somebody watches, and then no timer is left', () => {
  const { feed, told, looks } = given();
  const stops = [feed.watch((event) => told.push(event)), feed.watch((event) => told.push(event))];
  feed.callEnded(RECORD, 1);
  expect(looks()).toBe(1);
  for (const stop of stops) stop();
  expect([looks(), vi.getTimerCount()]).toEqual([0, 0]);
  feed.callEnded(RECORD, 2);
  expect(vi.getTimerCount()).toBe(0);
  feed.watch((event) => told.push(event));
  vi.advanceTimersByTime(LIVE_CALLS_GATHER_MS);
  expect(told).toEqual([]);
});

test('calls that end are gathered, and those above the rate are counted', () => {
  const { feed, told } = given();
  feed.watch((event) => told.push(event));
  for (let id = 1; id <= 500; id++) feed.callEnded(RECORD, id);
  feed.callEnded(RECORD, null);
  vi.advanceTimersByTime(LIVE_CALLS_GATHER_MS);
  const [event] = told;
  if (event?.type !== 'calls') throw new Error(JSON.stringify(event));
  const shown = (LIVE_CALLS_PER_SECOND_MAX * LIVE_CALLS_GATHER_MS) / 1000;
  expect([event.calls.length, event.leftOut]).toEqual([shown, 501 - shown]);
  expect(event.calls[0]).toMatchObject({ id: 1, server: 'weather', target: 'now', totalMs: 3, outcome: 'ok' });
  expect(event.calls[0]).not.toHaveProperty('session');
});

test('a long name of a target is cut as in the history', () => {
  const { feed, told } = given();
  feed.watch((event) => told.push(event));
  feed.callEnded({ ...RECORD, target: 'x'.repeat(100_000) }, 1);
  vi.advanceTimersByTime(LIVE_CALLS_GATHER_MS);
  expect(JSON.stringify(told).length).toBeLessThan(1000);
});
