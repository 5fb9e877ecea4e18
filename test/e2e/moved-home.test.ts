import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../harness/machine.ts';
import { gone } from '../harness/processes.ts';

test('a daemon whose home was removed ends, with its servers and its pm2, and a host gets the next one', async ({
  machine,
}) => {
  const { pid } = await machine.ok('up', '--json');
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'before' });
  // A daemon that writes a file at that moment leaves its folder not empty; whoever removes it tries again.
  rmSync(machine.home.mcpdHome, { recursive: true, maxRetries: 10 });

  await gone(pid);
  expect(await host.result('ping')).toEqual({});
  expect(await machine.daemonPid()).not.toBe(pid);
  expect(host.exit).toBeUndefined();
});

test('a daemon whose home was moved touches nothing of the one that takes its place', async ({ machine }) => {
  const { mcpdHome } = machine.home;
  const old = await machine.startDaemon();
  renameSync(mcpdHome, `${mcpdHome}-moved`);
  mkdirSync(mcpdHome, { mode: 0o700 });
  const next = await machine.ok('up', '--json');
  await gone(old);
  expect(await machine.ok('status', '--json')).toMatchObject({ pid: next.pid });
});

for (const file of ['api.sock', 'mcpd.sock', 'lock.db']) {
  test(`a daemon that commands cannot find without its ${file} ends, and a host gets the next one`, async ({
    machine,
  }) => {
    const { pid } = await machine.ok('up', '--json');
    await machine.add('echo', 'echo');
    const host = await machine.connected();
    await host.call('echo__echo', { text: 'before' });
    rmSync(join(machine.home.mcpdHome, file));

    await gone(pid);
    expect(await host.call('echo__echo', { text: 'after' })).toMatchObject({
      result: { content: [{ text: 'after' }] },
    });
    expect(await machine.daemonPid()).not.toBe(pid);
    expect(host.exit).toBeUndefined();
  });
}
