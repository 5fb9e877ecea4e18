import { expect } from 'vitest';
import type { Checkup } from '../../src/api/contract/checkup.ts';
import { type Machine, test } from '../harness/machine.ts';

/** Outcome by check. */
async function verified(machine: Machine, name: string): Promise<Checkup & { found: Record<string, string> }> {
  const { json } = await machine.cli('verify', name, '--json');
  const checkup = json as Checkup;
  return { ...checkup, found: Object.fromEntries(checkup.checks.map(({ id, outcome }) => [id, outcome])) };
}

test('a sound server passes every check, in a process that no host and no data folder sees', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'x' });
  const { pid } = await machine.ok('info', 'echo', '--json');
  const { score, eras, found } = await verified(machine, 'echo');
  expect({ score, eras, found }).toMatchObject({
    eras: ['legacy'],
    found: {
      handshake: 'passed',
      ping: 'passed',
      'unknown-method': 'passed',
      cancel: 'passed',
      eof: 'passed',
      signal: 'passed',
      stdout: 'passed',
    },
  });
  expect(score).toBeGreaterThan(80);
  expect((await machine.ok('info', 'echo', '--json')).pid).toBe(pid);
});

test('a server of the new era is met by discovery', async ({ machine }) => {
  await machine.add('modern', 'modern');
  const { eras, found } = await verified(machine, 'modern');
  expect(eras).toContain('modern');
  expect(found).toMatchObject({ handshake: 'passed', lists: 'passed', probe: 'passed' });
});

test('servers with a fault are told so by the check for it, and by the exit code', async ({ machine }) => {
  await machine.add('noisy', 'noisy-stdout');
  await machine.add('dies', 'dies-on-probe');
  await machine.add('odd', 'odd-schemas');
  expect((await verified(machine, 'noisy')).found).toMatchObject({ handshake: 'passed', stdout: 'failed' });
  expect((await verified(machine, 'dies')).found).toMatchObject({
    handshake: 'passed',
    probe: 'failed',
    signal: 'skipped',
  });
  expect((await verified(machine, 'odd')).found).toMatchObject({ handshake: 'passed', lists: 'partly' });
  const { code, stdout } = await machine.cli('verify', 'dies');
  expect(code).toBe(5);
  expect(stdout).toContain('server/discover');
});

test('what is no process, or not there, is said', async ({ machine }) => {
  const { code, stderr } = await machine.cli('verify', 'nobody');
  expect(code).toBe(3);
  expect(stderr).toContain('there is no server "nobody"');
});
