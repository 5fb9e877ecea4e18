import { expect, test } from 'vitest';
import { shownBytes, shownDuration, shownTime } from './shown.ts';

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
