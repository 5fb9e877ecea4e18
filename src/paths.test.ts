import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { portFinding, portOf } from './paths.ts';

const HOME = join(homedir(), '.mcpd');

test('the usual home has the usual port, and every other home one of its own that stays', () => {
  expect(portOf(HOME, {})).toBe(7077);
  const [one, other] = [portOf('/srv/one', {}), portOf('/srv/other', {})];
  expect(one).not.toBe(other);
  expect(portOf('/srv/one', {})).toBe(one);
});

test('MCPD_PORT decides, and what is no port is passed over and told', () => {
  expect(portOf('/srv/one', { MCPD_PORT: '8080' })).toBe(8080);
  expect([portFinding({}), portFinding({ MCPD_PORT: '' }), portFinding({ MCPD_PORT: '8080' })]).toEqual([
    null,
    null,
    null,
  ]);
  for (const wrong of ['http', '65536', '-1', '80 ', '1e3']) {
    expect(portOf(HOME, { MCPD_PORT: wrong })).toBe(7077);
    expect(portFinding({ MCPD_PORT: wrong })).toContain(wrong);
  }
});
