import { expect, test } from 'vitest';
import { DEFAULT_LIMITS, type ServerLimits } from '../core/model.ts';
import { crossedLimit, type MemoryLevel, memoryCause, memoryLevel } from './memory-watch.ts';

const MIB = 2 ** 20;
const limits = (soft: number | null, hard: number | null): ServerLimits => ({
  ...DEFAULT_LIMITS,
  memorySoftBytes: soft,
  memoryHardBytes: hard,
});

function reports(own: ServerLimits, ...sizes: number[]): (string | null)[] {
  let level: MemoryLevel = 'under';
  return sizes.map((bytes) => {
    const next = memoryLevel(bytes, own);
    const crossed = crossedLimit(level, next);
    level = next;
    return crossed;
  });
}

test('each limit is reported once per crossing', () => {
  const own = limits(100, 200);
  expect(reports(own, 50, 150, 160, 250, 260, 150, 250, 50, 150)).toEqual([
    null,
    'soft',
    null,
    'hard',
    null,
    null,
    'hard',
    null,
    'soft',
  ]);
});

test('a leap over both limits reports the hard one', () => {
  expect(reports(limits(100, 200), 50, 500)).toEqual([null, 'hard']);
});

test('limits that are not set are those of mcpd', () => {
  expect(memoryLevel(900 * MIB, limits(null, null))).toBe('under');
  expect(memoryLevel(1500 * MIB, limits(null, null))).toBe('soft');
  expect(memoryLevel(2500 * MIB, limits(null, null))).toBe('hard');
});

test('the cause names both figures', () => {
  expect(memoryCause(2.5 * 1024 * MIB, limits(null, null))).toBe('memory: 2.5 GiB, over the hard limit of 2.0 GiB');
  expect(memoryCause(64 * MIB, limits(null, 50 * MIB))).toBe('memory: 64 MiB, over the hard limit of 50 MiB');
});
