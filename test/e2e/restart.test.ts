import { expect } from 'vitest';
import { test } from '../harness/machine.ts';

test('a restart hands a daemon that a host had started to pm2, although that host wants one at once', async ({
  machine,
}) => {
  const host = await machine.connected();
  await machine.add('echo', 'echo');
  expect(await machine.ok('status', '--json')).toMatchObject({ engine: 'direct' });

  const calls: Promise<unknown>[] = [];
  const calling = setInterval(() => calls.push(host.call('echo__echo', { text: 'x' })), 20);
  const restarted = await machine.ok('restart', '--json');
  clearInterval(calling);

  expect(restarted).toMatchObject({ engine: 'pm2', state: 'running' });
  expect(await machine.ok('status', '--json')).toMatchObject({ pid: restarted.pid });
  await Promise.all(calls);
  expect([host.strays, host.exit]).toEqual([[], undefined]);
});
