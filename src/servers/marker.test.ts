import { expect, test } from 'vitest';
import { isOfEarlierDaemon, markerOf } from './marker.ts';

const now = { home: '/home/a/.mcpd', nonce: 'n2' };

test('a marker of this home by another daemon is of an earlier one', () => {
  expect(isOfEarlierDaemon(markerOf({ ...now, nonce: 'n1' }, 'weather', 3), now)).toBe(true);
  expect(isOfEarlierDaemon(markerOf(now, 'weather', 3), now)).toBe(false);
});

test('markers of other homes, and texts that are none, are strangers', () => {
  expect(isOfEarlierDaemon(markerOf({ home: '/home/b/.mcpd', nonce: 'n1' }, 'weather', 3), now)).toBe(false);
  expect(isOfEarlierDaemon('weather', now)).toBe(false);
  expect(isOfEarlierDaemon('', now)).toBe(false);
});

test('a marker does not show the path of the home', () => {
  expect(markerOf(now, 'weather@trial-1', 1)).toMatch(/^[0-9a-f]{12}:n2:weather@trial-1:1$/);
});
