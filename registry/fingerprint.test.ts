import { expect, test } from 'vitest';
import type { HttpLaunch, StdioLaunch } from '../src/core/model.ts';
import { fingerprintOf } from './fingerprint.ts';

const LAUNCH: StdioLaunch = {
  kind: 'stdio',
  command: '/usr/bin/node',
  args: ['a', 'b'],
  cwd: null,
  env: { A: '1', B: '2' },
};

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

test('memories of earlier releases stay valid: the fingerprint of a process does not change', () => {
  expect(fingerprintOf(LAUNCH, null)).toBe('905ac82bfa1c5282a557277fee0aa86a903bed17299c090bd1b60f61b3bd4edd');
});

test('every part of a remote launch makes another fingerprint', () => {
  const remote: HttpLaunch = {
    kind: 'http',
    url: 'https://x.test/mcp',
    transport: 'auto',
    headers: { A: '1', B: '2' },
  };
  const others = [
    fingerprintOf(remote, null),
    fingerprintOf({ ...remote, url: 'https://x.test/mcp2' }, null),
    fingerprintOf({ ...remote, transport: 'sse' }, null),
    fingerprintOf({ ...remote, headers: { A: '1' } }, null),
  ];
  expect(new Set(others).size).toBe(others.length);
  expect(fingerprintOf({ ...remote, headers: { B: '2', A: '1' } }, null)).toBe(others[0]);
});
