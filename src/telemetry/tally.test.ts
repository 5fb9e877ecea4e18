import { expect, test } from 'vitest';
import { aCall } from '../../test/harness/call-record.ts';
import type { Transition } from '../core/model.ts';
import { METRICS_METHODS_MAX, METRICS_SERIES_MAX, METRICS_SERVERS_MAX } from '../telemetry-limits.ts';
import { Tally } from './tally.ts';

function sumOf(series: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined): number {
  return [...(series?.values() ?? [])].flatMap((one) => [...one.values()]).reduce((sum, one) => sum + one, 0);
}

test('a call is counted once by its method, once by its tool, and once in each histogram', () => {
  const tally = new Tally();
  tally.called(aCall(1_800_000_000_000));
  tally.called(aCall(1_800_000_000_000, { outcome: 'tool-error' }));
  tally.called(aCall(1_800_000_000_000, { method: 'prompts/get', target: 'greet' }));
  const weather = tally.servers.get('weather');
  expect(weather?.methods.get('tools/call')).toEqual(
    new Map([
      ['ok', 1],
      ['tool-error', 1],
    ]),
  );
  expect(weather?.methods.get('prompts/get')).toEqual(new Map([['ok', 1]]));
  expect([...(weather?.tools.keys() ?? [])]).toEqual(['forecast']);
  expect(weather?.duration.counts.reduce((sum, one) => sum + one)).toBe(3);
  expect(weather?.duration.sumMs).toBe(3 * 12.25);
});

test.each([
  [0, 0],
  [1, 0],
  [1.001, 1],
  [300_000, 15],
  [300_001, 16],
])('a call of %d ms is in bucket %d: bounds belong to the bucket below them', (totalMs, place) => {
  const tally = new Tally();
  tally.called(aCall(1_800_000_000_000, { totalMs }));
  expect(tally.servers.get('weather')?.duration.counts[place]).toBe(1);
});

test('names that never end have one series together, and no call is lost', () => {
  const tally = new Tally();
  const [tools, methods, servers] = [METRICS_SERIES_MAX + 50, METRICS_METHODS_MAX + 50, METRICS_SERVERS_MAX + 50];
  for (let n = 0; n < tools; n++) tally.called(aCall(1_800_000_000_000, { target: `tool-${n}` }));
  for (let n = 0; n < methods; n++) tally.called(aCall(1_800_000_000_000, { method: `method-${n}` }));
  for (let n = 0; n < servers; n++) tally.called(aCall(1_800_000_000_000, { server: `server-${n}` }));
  const weather = tally.servers.get('weather');
  expect(weather?.tools.size).toBe(METRICS_SERIES_MAX + 1);
  expect(sumOf(weather?.tools)).toBe(tools);
  expect(weather?.methods.size).toBeLessThanOrEqual(METRICS_METHODS_MAX + 1);
  expect(tally.servers.size).toBe(METRICS_SERVERS_MAX + 1);
  expect([...tally.servers.values()].reduce((sum, one) => sum + sumOf(one.methods), 0)).toBe(tools + methods + servers);
});

test('a start from rest is a start, one from anything else a restart too', () => {
  const tally = new Tally();
  const moved = (from: Transition['from'], to: Transition['to']) =>
    tally.moved({ at: 0, server: 'weather', instance: 'weather', from, to, reason: '' });
  moved('stopped', 'starting');
  moved('starting', 'running');
  moved('running', 'backoff');
  moved('backoff', 'starting');
  moved('running', 'stopping');
  moved('stopping', 'stopped');
  moved('stopped', 'starting');
  expect(tally.servers.get('weather')).toMatchObject({ starts: { starts: 3, restarts: 1 } });
});
