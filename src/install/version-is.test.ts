import { expect, test } from 'vitest';
import { versionIs } from './version-is.ts';

test('a version that is published once is exact; a tag, a range and the tag of an image float', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  expect([
    versionIs({ kind: 'npm', range: '1.2.3', fileSha256: null }),
    versionIs({ kind: 'pypi', range: '1.2', fileSha256: null }),
    versionIs({ kind: 'oci', range: digest, fileSha256: null }),
  ]).toEqual(['exact', 'exact', 'exact']);
  for (const [kind, range] of [
    ['npm', 'latest'],
    ['npm', '^1.2.3'],
    ['pypi', 'latest'],
    ['pypi', '1.*'],
    ['nuget', '>=1.0'],
    ['oci', '1.2.3'],
  ] as const)
    expect([kind, range, versionIs({ kind, range, fileSha256: null })]).toEqual([kind, range, 'floating']);
  expect(versionIs(null)).toBe('none');
});

test('a file at an address is exact by its hash, and floats without one', () => {
  const file = { kind: 'mcpb', range: '1.0.0' } as const;
  expect(versionIs({ ...file, fileSha256: 'a'.repeat(64) })).toBe('exact');
  expect(versionIs({ ...file, fileSha256: null })).toBe('floating');
});
