import { expect, test } from 'vitest';

/** The benchmark is plain JavaScript, so that it runs as it is; what is used of it here has these types. */
type Round = Record<string, number>;
type Samples = Record<string, Record<string, Record<string, Round[]>>>;
interface Figure {
  id: string;
  value: number;
  best: number;
  met: boolean;
}
interface Result {
  date: string;
  machine: { node: string; cores: number; processor: string; memoryBytes: number; system: string };
  quick: boolean;
  figures: Figure[];
  samples: Samples;
}
const load = (file: string): Promise<unknown> => import(new URL(`../bench/${file}`, import.meta.url).href);
const { median, percentile, ratios, addedRatios } = (await load('statistics.mjs')) as {
  median(values: number[]): number;
  percentile(values: number[], share: number): number;
  ratios(values: number[], others: number[]): number[];
  addedRatios(values: number[], others: number[], base: number[]): number[];
};
const { figuresOf } = (await load('figures.mjs')) as { figuresOf(samples: Samples): Figure[] };
const { pageOf } = (await load('page.mjs')) as { pageOf(result: Result): string };

const rounds = (key: string, ...values: number[]) => values.map((value) => ({ [key]: value }));
const figure = (samples: Samples, id: string) => figuresOf(samples).find((each) => each.id === id);

test('the median is the middle value, or the mean of the middle two', () => {
  expect(median([9, 1, 10])).toBe(9);
  expect(median([4, 1, 2, 100])).toBe(3);
});

test('a percentile is a value that was measured', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(percentile(hundred, 0.5)).toBe(50);
  expect(percentile(hundred, 0.99)).toBe(99);
  expect(percentile([7], 0.99)).toBe(7);
});

test('ratios compare what was measured in the same round', () => {
  expect(ratios([2, 30], [1, 10])).toEqual([2, 3]);
  expect(addedRatios([3, 7, 5], [2, 5, 0.5], [1, 1, 1])).toEqual([2, 1.5]);
});

test('a call is judged by its ratio to the forwarder, a long one by what it adds to direct', () => {
  const latency = {
    '100 B': { direct: rounds('p50', 1, 1), forwarder: rounds('p50', 10, 10), mcpd: rounds('p50', 11, 12) },
    '10 KB': { direct: rounds('p50', 1, 1), forwarder: rounds('p50', 10, 10), mcpd: rounds('p50', 13, 14) },
    '1 MB': { direct: rounds('p50', 1, 1), forwarder: rounds('p50', 3, 3), mcpd: rounds('p50', 3, 4) },
    '10 MB': { direct: rounds('p50', 1, 1), forwarder: rounds('p50', 3, 3), mcpd: rounds('p50', 5, 5) },
  };
  expect(figure({ latency }, 'p50-100b')).toMatchObject({ value: 1.15, best: 1.1, met: true });
  expect(figure({ latency }, 'p50-10kb')).toMatchObject({ value: 1.35, best: 1.3, met: false });
  expect(figure({ latency }, 'added-1mb')).toMatchObject({ value: 1.25, best: 1, met: true });
  expect(figure({ latency }, 'added-10mb')).toMatchObject({ value: 2, best: 2, met: false });
});

test('throughput has to be above its limit, and its best round is the highest', () => {
  const load = (mcpd: number) => ({
    forwarder: rounds('perSecond', 100, 100, 100),
    mcpd: rounds('perSecond', mcpd - 10, mcpd, mcpd + 1),
  });
  const throughput = { '1 in flight': load(89), '8 in flight': load(75), '64 in flight': load(71) };
  expect(figure({ throughput }, 'calls-1')).toMatchObject({ value: 0.89, best: 0.9, met: false });
  expect(figure({ throughput }, 'calls-8')).toMatchObject({ value: 0.75, best: 0.76, met: true });
});

test('starts are compared with a bare node of the same run', () => {
  const starts = (ms: number) => ({
    'bare node': rounds('ms', 20, 40, 22),
    forwarder: rounds('ms', 25, 26, 27),
    mcpd: rounds('ms', ms, ms, ms),
  });
  const samples = {
    warm: { '50 servers': starts(33) },
    cold: { '1 server': starts(110), '50 servers': starts(111), '50 slow servers': starts(88) },
  };
  expect(figure(samples, 'warm')).toMatchObject({ value: 11, forwarder: 4, met: true });
  expect(figure(samples, 'cold-1')).toMatchObject({ value: 5, forwarder: null, met: true });
  expect(figure(samples, 'cold-50')?.met).toBe(false);
  expect(figure(samples, 'cold-50-slow')).toMatchObject({ value: 4, met: true });
});

test('an installed server is judged by npx of the same round', () => {
  const installed = {
    'npm package': { npx: rounds('answered', 900, 1000, 800), mcpd: rounds('answered', 90, 300, 160) },
  };
  expect(figure({ installed }, 'installed')).toMatchObject({ value: 0.2, best: 0.1, met: true });
  expect(
    figure({ installed: { 'npm package': { npx: rounds('answered', 1), mcpd: rounds('answered', 1.1) } } }, 'installed')
      ?.met,
  ).toBe(false);
});

test('memory is told in MiB', () => {
  const memory = { '50 servers': { mcpd: [{ running: 70 * 1024 ** 2, grownHalf: 0, grown: 31 * 1024 ** 2 }] } };
  expect(figure({ memory }, 'memory')).toMatchObject({ value: 70, met: true });
  expect(figure({ memory }, 'growth')).toMatchObject({ value: 31, met: false });
});

test('the dashboard is judged by its interactions, and by calls beside it in relation to those without it', () => {
  const dashboard = {
    interactions: { mcpd: rounds('p95', 99, 101, 98) },
    'calls, page closed': { mcpd: rounds('p50', 1, 2) },
    'calls, page open': { mcpd: rounds('p50', 1.2, 2.8) },
  };
  expect(figure({ dashboard }, 'page-interaction')).toMatchObject({ value: 99, met: true });
  expect(figure({ dashboard }, 'page-calls')?.met).toBe(false);
});

test('only what was measured has a figure, and the page shows each beside its target', () => {
  const beside = {
    '10 MB answers': { forwarder: [{ p50: 1, p99: 22.2, max: 30 }], mcpd: [{ p50: 1, p99: 25.04, max: 30 }] },
  };
  const samples: Samples = { beside };
  const figures = figuresOf(samples);
  expect(figures.map(({ id }) => id)).toEqual(['beside']);
  const machine = { node: 'v20.19.0', cores: 2, processor: 'Acme', memoryBytes: 8 * 1024 ** 3, system: 'linux' };
  const page = pageOf({ date: '2026-12-01', machine, quick: true, figures, samples });
  expect(page).toContain('## Targets: 0 of 1 met');
  expect(page).toContain('| ≤ 20 ms | 25.0 | 25.0 | 22.2 | **not met** |');
  expect(page).toContain('2026-12-01, Node v20.19.0, 2 cores (Acme), 8 GiB');
});
