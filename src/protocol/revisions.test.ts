import { expect, test } from 'vitest';
import { LEGACY_REVISIONS, negotiateLegacy, SERVED_REVISIONS } from './revisions.ts';

test('initialize is answered with the revision that was asked for, or with the newest that has initialize', () => {
  for (const revision of LEGACY_REVISIONS) expect(negotiateLegacy(revision)).toBe(revision);
  for (const other of ['2026-07-28', '2027-01-01', '', null, 7, undefined])
    expect(negotiateLegacy(other)).toBe('2025-11-25');
  expect([...SERVED_REVISIONS].sort().reverse()).toEqual(SERVED_REVISIONS);
});
