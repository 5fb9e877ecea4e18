import { expect, test } from 'vitest';
import { barsOf } from './waterfall.ts';

test('each stage is a bar in the lane of whoever had the call, at its share of the whole', () => {
  const bars = barsOf({
    totalMs: 200,
    stages: [
      { name: 'start', fromMs: 0, toMs: 100 },
      { name: 'turn', fromMs: 100, toMs: 110 },
      { name: 'server', fromMs: 110, toMs: 150 },
      { name: 'input', fromMs: 150, toMs: 200 },
    ],
  });
  expect(bars.map(({ lane, left, width }) => [lane, Math.round(left), Math.round(width)])).toEqual([
    ['host', 0, 100],
    ['mcpd', 0, 50],
    ['mcpd', 50, 5],
    ['server', 55, 20],
    ['host', 75, 25],
  ]);
});

test('a stage of no time can still be seen, and nothing stands out of the picture', () => {
  const bars = barsOf({ totalMs: 1000, stages: [{ name: 'server', fromMs: 1000, toMs: 1000 }] });
  for (const { left, width } of bars) expect(left + width).toBeLessThanOrEqual(100);
  expect(bars[1]?.width).toBeGreaterThan(0);
  expect(barsOf({ totalMs: 0, stages: [] })).toEqual([
    { lane: 'host', label: 'the whole call', fromMs: 0, toMs: 0, left: 0, width: 100 },
  ]);
});
