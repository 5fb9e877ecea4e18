import { expect, test } from 'vitest';
import type { VersionState } from '../../../src/api/contract/updates.ts';
import { lookText, newestText } from './versions.ts';

const NOW = new Date(2026, 7, 9, 14, 30, 0).getTime();
const STATE: VersionState = {
  ...{ server: 'weather', kind: 'npm', identifier: '@acme/weather', installed: '1.0.0', available: '2.0.0' },
  ...{ isOutdated: true, isPinned: false, kept: null, error: null },
};
const CURRENT: VersionState = { ...STATE, available: '1.0.0', isOutdated: false };

test('a look says when it was, and of how many there is something newer', () => {
  expect(lookText({ askedAt: null, servers: [STATE] }, NOW)).toContain('Nobody has looked');
  expect(lookText({ askedAt: NOW, servers: [STATE, CURRENT] }, NOW)).toBe(
    'Looked at 14:30:00: a newer version for 1 of 2 servers.',
  );
  expect(lookText({ askedAt: NOW, servers: [CURRENT] }, NOW)).toBe(
    'Looked at 14:30:00: no newer version for 1 server.',
  );
});

test('the newest version is named, or why it is not known', () => {
  expect(newestText(STATE)).toBe('2.0.0');
  expect(newestText(CURRENT)).toBe('1.0.0, which is installed');
  expect(newestText({ ...STATE, available: null })).toBe('nobody has looked yet');
  const error = { code: 'FETCH_FAILED', what: 'npm cannot be reached', why: 'ECONNREFUSED' } as const;
  expect(newestText({ ...STATE, available: null, error })).toBe('npm cannot be reached: ECONNREFUSED');
});
