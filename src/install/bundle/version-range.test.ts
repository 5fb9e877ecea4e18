import { expect, test } from 'vitest';
import { satisfies } from './version-range.ts';

test.each<[version: string, range: string, isIn: boolean | null]>([
  ['20.20.2', '>=18', true],
  ['v20.20.2', '>=20.20.2', true],
  ['20.20.2', '>=20.20.3', false],
  ['20.20.2', '>= 18.0.0 < 20', false],
  ['20.20.2', '>=18.0.0, <21', true],
  ['20.20.2', '>20', false],
  ['20.20.2', '>20.19', true],
  ['20.20.2', '<=20', true],
  ['20.20.2', '<=20.19', false],
  ['20.20.2', '^20.1.0', true],
  ['20.20.2', '^18', false],
  ['0.3.1', '^0.2.0', false],
  ['0.2.9', '^0.2.1', true],
  ['3.12.4', '~3.12', true],
  ['3.13.0', '~3.12', false],
  ['3.13.0', '~=3.12', true],
  ['3.12.4', '3.12', true],
  ['3.12.4', '3.x', true],
  ['3.12.4', '=3.11', false],
  ['3.12.4', '*', true],
  ['3.12.4', '', true],
  ['22.1.0', '18 || 20 || >=22', true],
  ['21.0.0', '18 || 20', false],
  ['Python 3.12.4', '>=3.8', true],
  ['3.12.4', 'the newest', null],
  ['3.12.4', '>=3 || the newest', true],
  ['none', '>=3', null],
])('%s in "%s": %s', (version, range, isIn) => {
  expect(satisfies(version, range)).toBe(isIn);
});
