import { expect, test } from 'vitest';
import type { Launch } from '../src/core/model.ts';
import { fingerprintOf } from './fingerprint.ts';

const LAUNCH: Launch = { command: '/usr/bin/node', args: ['a', 'b'], cwd: null, env: { A: '1', B: '2' } };

test('the order of variables means nothing', () => {
  expect(fingerprintOf({ ...LAUNCH, env: { B: '2', A: '1' } }, null)).toBe(fingerprintOf(LAUNCH, null));
});

test('every part of a launch, and the integrity of its package, makes another fingerprint', () => {
  const others = [
    fingerprintOf(LAUNCH, null),
    fingerprintOf(LAUNCH, 'sha512-x'),
    fingerprintOf({ ...LAUNCH, command: '/usr/bin/nodf' }, null),
    fingerprintOf({ ...LAUNCH, args: ['a b'] }, null),
    fingerprintOf({ ...LAUNCH, args: ['b', 'a'] }, null),
    fingerprintOf({ ...LAUNCH, cwd: '/' }, null),
    fingerprintOf({ ...LAUNCH, env: { A: '1', B: '3' } }, null),
    fingerprintOf({ ...LAUNCH, env: { A: '1' } }, null),
  ];
  expect(new Set(others).size).toBe(others.length);
  for (const fingerprint of others) expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
});
