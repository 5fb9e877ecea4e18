import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareVersions } from './version.ts';

const IN_ORDER = [
  'not a version',
  '0.0.9',
  '0.1.0-alpha',
  '0.1.0-alpha.1',
  '0.1.0-alpha.beta',
  '0.1.0-beta.2',
  '0.1.0-beta.11',
  '0.1.0',
  '0.1.1',
  '0.10.0',
  '1.0.0',
];

test('versions are ordered by semver precedence', () => {
  for (const [i, older] of IN_ORDER.entries()) {
    for (const newer of IN_ORDER.slice(i + 1)) {
      expect([older, newer, compareVersions(older, newer) < 0]).toEqual([older, newer, true]);
      expect([newer, older, compareVersions(newer, older) > 0]).toEqual([newer, older, true]);
    }
  }
});

test('build metadata does not make a version newer', () => {
  expect(compareVersions('1.2.3+linux', '1.2.3')).toBe(0);
});

test('no text makes the comparison fail, and turning it round turns the answer round', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      (a, b) => Math.sign(compareVersions(a, b)) === -Math.sign(compareVersions(b, a)),
    ),
  );
});
