import { expect, test } from 'vitest';
import { McpdError } from '../src/errors.ts';
import { countOf, durationMs, sizeBytes } from './units.ts';

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

function fixOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof McpdError) return thrown.parts.fix;
  }
  return undefined;
}
