import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { askModern, listenModern } from '../harness/modern.ts';
import { gone } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

/** Long enough for a second notice, which must not come. */
const SETTLED_MS = 800;

test('each change from a terminal is one notice to a connected host, and then the right list', async ({ machine }) => {
  const host = await machine.connected();
  const { capabilities } = await machine.host().init();
  expect(capabilities?.['tools']).toMatchObject({ listChanged: true });
  expect(await host.toolNames()).toEqual([]);
  // Without resources and prompts, so that there is one kind of list to change.
  const plain = ['--without', 'resources,prompts'];
  const steps: [what: () => Promise<unknown>, servers: string[]][] = [
    [() => machine.add('one', 'echo', plain), ['one']],
    [() => machine.ok('install', 'weather'), ['one', 'weather']],
    [() => machine.ok('disable', 'one'), ['weather']],
    [() => machine.ok('enable', 'one'), ['one', 'weather']],
    [() => machine.ok('uninstall', 'weather', '--yes'), ['one']],
    [() => machine.ok('set', 'one', '--idle', '10m'), ['one']],
    [() => machine.ok('restart', 'one'), ['one']],
    [() => machine.ok('stop', 'one'), ['one']],
  ];
  let before = ['none'];
  for (const [change, servers] of steps) {
    const seen = host.notifications.length;
    await change();
    const expected = before.join() === servers.join() ? 0 : 1;
    if (expected > 0) await until('the notice', () => host.notifications.length > seen);
    await pause(SETTLED_MS);
    const methods = host.notifications.slice(seen).map(({ method }) => method);
    expect(methods, change.toString()).toEqual(Array(expected).fill('notifications/tools/list_changed'));
    expect(serversOf(await host.toolNames()), change.toString()).toEqual(servers);
    before = servers;
  }
});

test('a change that a server announces reaches every host once, of both eras', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const hosts = [await machine.connected(), await machine.connected()];
  for (const host of hosts) expect(await host.toolNames()).not.toContain('echo__extra');
  const modern = machine.host();
  const listening = listenModern(modern, { toolsListChanged: true });
  await until('the acknowledgement', () => listening.received().length === 1);
  await hosts[0]?.call('echo__toggle');
  await until('the notice to the modern host', () => listening.received().length === 2);
  await pause(SETTLED_MS);
  for (const host of hosts) {
    expect(host.notifications.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
    expect(await host.toolNames()).toContain('echo__extra');
  }
  expect(listening.received().map(({ method }) => method)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
  ]);
  const tools = (await askModern(modern, 'tools/list')).result?.tools ?? [];
  expect(tools.map(({ name }) => name)).toContain('echo__extra');
});

test('a crash and a restart that change no list are not announced', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  const before = await host.tools();
  await host.call('echo__echo', { text: 'up' });
  const { pid } = await machine.server('echo');
  process.kill(pid ?? 0, 'SIGKILL');
  await gone(pid ?? 0);
  const again = await host.call('echo__echo', { text: 'again' });
  expect([again.error?.message, textOf(again)]).toEqual([undefined, 'again']);
  await pause(SETTLED_MS);
  expect(host.notifications).toEqual([]);
  expect(await host.tools()).toEqual(before);
});

test('a server in a folder is started again when its file changes, and hosts see the new tool', async ({ machine }) => {
  const folder = developed(machine, ['first']);
  await machine.ok('install', './my-server');
  const host = await machine.connected();
  expect(await host.toolNames()).toEqual(['my-server__first']);
  expect(textOf(await host.call('my-server__first'))).toBe('first');

  writeServer(folder, ['first', 'second']);
  await until('the new tool', async () => (await host.toolNames()).includes('my-server__second'));
  expect(textOf(await host.call('my-server__second'))).toBe('second');
  await until('the notice', () => host.notifications.some(({ method }) => method?.endsWith('tools/list_changed')));

  // A file that cannot run keeps the last good list, says why, and is mended by the next change.
  writeFileSync(join(folder, 'server.mjs'), 'this is no program');
  const broken = await until('the reason', async () => {
    const server = await machine.server('my-server');
    return server.lastExit !== null && server;
  });
  expect(broken.lastExit?.stderrTail.join('\n')).toContain('SyntaxError');
  writeServer(folder, ['third']);
  await until('the mended server', async () => (await host.toolNames()).join() === 'my-server__third');
  expect(textOf(await host.call('my-server__third'))).toBe('third');
});

test('a file of declared servers is followed: a change of it changes what hosts see', async ({ machine }) => {
  const file = join(machine.home.root, 'mcpd.json');
  const declare = (names: string[]) => {
    const [command, ...args] = fake('slow');
    const servers = Object.fromEntries(names.map((name) => [name, { command, args }]));
    writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  };
  declare(['one']);
  await machine.startDaemon();
  await machine.ok('apply', '-f', file);
  const host = await machine.connected();
  await until('the first', async () => serversOf(await host.toolNames()).join() === 'one');
  declare(['one', 'two']);
  await until('the second', async () => serversOf(await host.toolNames()).join() === 'one,two');
  writeFileSync(file, '{"mcpServers": {"one": {"comm');
  await pause(SETTLED_MS);
  expect(serversOf(await host.toolNames())).toEqual(['one', 'two']);
  declare(['two']);
  await until('the first to go', async () => serversOf(await host.toolNames()).join() === 'two');
});

// — internal —

function serversOf(tools: readonly string[]): string[] {
  return [...new Set(tools.map((name) => name.split('__')[0] ?? ''))].sort();
}

function developed(machine: Machine, tools: readonly string[]): string {
  const folder = join(machine.home.userHome, 'my-server');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'my-server', type: 'module', bin: 'server.mjs' }));
  writeServer(folder, tools);
  return folder;
}

function writeServer(folder: string, tools: readonly string[]): void {
  const base = fake('base')[1];
  const entries = tools.map((name) => `{ name: '${name}', call: () => text('${name}') }`);
  writeFileSync(
    join(folder, 'server.mjs'),
    `import { serve, text } from '${base}';\nserve({ name: 'mine', tools: [${entries}] });\n`,
  );
}
