import { expect, test } from 'vitest';
import { McpdError } from '../src/errors.ts';
import { countOf, durationMs, shownBytes, shownDuration, shownTime, sizeBytes } from './units.ts';

test.each([
  ['500ms', 500],
  ['2s', 2000],
  ['1.5s', 1500],
  ['0.3s', 300],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
])('%s is %i ms', (text, ms) => {
  expect(durationMs(text, '--timeout')).toBe(ms);
});

test.each(['', '0s', '-5s', '5', '1e3s', '5 s', 's', '5sec', '0.0001ms', 'NaNs'])(
  '%j is refused as a duration',
  (text) => {
    expect(() => durationMs(text, '--timeout')).toThrow(McpdError);
  },
);

test('a bare number is answered with the option as it should be', () => {
  expect(fixOf(() => durationMs('30', '--timeout'))).toBe('--timeout 30s');
  expect(fixOf(() => sizeBytes('64', '--memory'))).toBe('--memory 64MB');
});

test.each([
  ['1B', 1],
  ['512KB', 524_288],
  ['64MB', 67_108_864],
  ['64mib', 67_108_864],
  ['1.5G', 1_610_612_736],
])('%s is %i bytes', (text, bytes) => {
  expect(sizeBytes(text, '--memory')).toBe(bytes);
});

test.each(['', '0MB', '12', 'MB', '-1MB', '1TB', '1 MB'])('%j is refused as a size', (text) => {
  expect(() => sizeBytes(text, '--memory')).toThrow(McpdError);
});

test('counts are whole and above zero', () => {
  expect(countOf('100', '--lines', 100)).toBe(100);
  for (const text of ['0', '-1', '1.5', 'x', '', '101']) expect(() => countOf(text, '--lines', 100)).toThrow(McpdError);
});

test.each([
  [0, '0 ms'],
  [850, '850 ms'],
  [3260, '3.2 s'],
  [59_999, '59.9 s'],
  [245_000, '4 min 5 s'],
  [7_380_000, '2 h 3 min'],
  [439_200_000, '5 d 2 h'],
  [60_000, '1 min'],
])('%i ms are shown as %s', (ms, text) => {
  expect(shownDuration(ms)).toBe(text);
});

test.each([
  [512, '512 B'],
  [2048, '2.0 KiB'],
  [40_000_000, '38 MiB'],
  [1_500_000_000, '1.4 GiB'],
])('%i bytes are shown as %s', (bytes, text) => {
  expect(shownBytes(bytes)).toBe(text);
});

test('a time is shown in the local zone with milliseconds', () => {
  expect(shownTime(new Date(2026, 10, 30, 20, 8, 2, 45).getTime())).toBe('2026-11-30 20:08:02.045');
});

function fixOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof McpdError) return thrown.parts.fix;
  }
  return undefined;
}
