import { expect, test } from 'vitest';
import { featuresOf, LEGACY_REVISIONS, negotiateLegacy, SERVED_REVISIONS } from './revisions.ts';

test('initialize is answered with the revision that was asked for, or with the newest that has initialize', () => {
  for (const revision of LEGACY_REVISIONS) expect(negotiateLegacy(revision)).toBe(revision);
  for (const other of ['2026-07-28', '2027-01-01', '', null, 7, undefined])
    expect(negotiateLegacy(other)).toBe('2025-11-25');
  expect([...SERVED_REVISIONS].sort().reverse()).toEqual(SERVED_REVISIONS);
});

test('each revision has its own features, and one that nobody knows those of the newest with a handshake', () => {
  const having = (feature: (of: ReturnType<typeof featuresOf>) => boolean) =>
    SERVED_REVISIONS.filter((revision) => feature(featuresOf(revision)));
  expect(having(({ batches }) => batches)).toEqual(['2025-03-26']);
  expect(having(({ audio }) => !audio)).toEqual(['2024-11-05']);
  expect(having(({ resourceLinks }) => !resourceLinks)).toEqual(['2025-03-26', '2024-11-05']);
  expect(having(({ urlElicitationError }) => urlElicitationError)).toEqual(['2025-11-25']);
  expect(having(({ samplingTools }) => samplingTools)).toEqual(['2026-07-28', '2025-11-25']);
  expect(having(({ structured }) => structured === 'any')).toEqual(['2026-07-28']);
  expect(having(({ elicitation }) => elicitation === 'form')).toEqual(['2025-06-18']);
  for (const unknown of [null, '', '2030-01-01']) expect(featuresOf(unknown)).toEqual(featuresOf('2025-11-25'));
});
