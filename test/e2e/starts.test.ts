import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { commandLineOf, gone, procExists, processesOf } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

test('fifty hosts that start at once without a daemon get one, and no error', async ({ machine }) => {
  await machine.add('echo', 'echo');
  await machine.ok('down');
  const trials = machine.records('start').length;
  const hosts = Array.from({ length: 50 }, () => machine.host());
  const answers = await Promise.all(
    hosts.map(async (host, number) => {
      await host.init();
      return textOf(await host.call('echo__echo', { text: `host ${number}` }, { timeoutMs: 60_000 }));
    }),
  );
  expect(answers).toEqual(hosts.map((_, number) => `host ${number}`));
  expect(hosts.map(({ stderr }) => stderr).filter((text) => text !== '')).toEqual([]);
  await until('one daemon', () => daemonsOf(machine).length === 1);
  expect((await machine.ok('sessions', '--json')).length).toBe(50);
  expect(machine.records('start')).toHaveLength(trials + 1);
});

test('twelve commands that start it at once make one daemon and one pm2', async ({ machine }) => {
  const runs = await Promise.all(Array.from({ length: 12 }, () => machine.cli('up', '--json')));
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
  expect(new Set(runs.map(({ json }) => json.pid)).size).toBe(1);
  expect(runs[0]?.json.engine).toBe('pm2');
  expect(daemonsOf(machine)).toEqual(procExists() ? [runs[0]?.json.pid] : []);
  expect(pm2sOf(machine)).toHaveLength(procExists() ? 1 : 0);
});

test('hosts and commands that start it at the same moment share one daemon', async ({ machine }) => {
  const commands = Promise.all(Array.from({ length: 4 }, () => machine.cli('up', '--json')));
  const hosts = await Promise.all(Array.from({ length: 6 }, () => machine.connected()));
  for (const { code, stderr } of await commands) expect([code, stderr]).toEqual([0, '']);
  for (const host of hosts) expect(await host.result('ping')).toEqual({});
  const { pid, sessions } = await machine.ok('status', '--json');
  expect(sessions).toBe(6);
  // A standby that waits for the lock is no daemon yet: the one that has it answers.
  expect(daemonsOf(machine)).toContain(procExists() ? pid : undefined);
});

test('pm2 brings a daemon back that was killed, and hosts and commands find one and only one', async ({ machine }) => {
  const { pid } = await machine.ok('up', '--json');
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  process.kill(pid, 'SIGKILL');
  await gone(pid);
  expect(textOf(await host.call('echo__echo', { text: 'again' }))).toBe('again');
  const status = await until('a daemon', () => machine.ok('status', '--json'));
  expect(status.pid).not.toBe(pid);
  expect(await machine.ok('list', '--json')).toMatchObject([{ name: 'echo' }]);
});

test('down ends everything, and leaves no socket and no pid file', async ({ machine }) => {
  await machine.ok('up');
  await machine.add('echo', 'echo');
  await machine.ok('start', 'echo');
  const host = await machine.connected();
  await host.close();
  expect(await machine.ok('down', '--json')).toEqual({ stopped: true });
  expect(machine.home.processes()).toEqual([]);
  const files = readdirSync(machine.home.mcpdHome);
  expect(files.filter((name) => /\.sock$|^daemon\.json$/.test(name))).toEqual([]);
  expect((await machine.ok('status', '--json')).state).toBe('stopped');
});

test('mcpd daemon run stays in the foreground and ends on SIGTERM', async ({ machine }) => {
  const pid = await machine.startDaemon();
  const second = await machine.cli('status', '--json');
  expect(second.json).toMatchObject({ pid, engine: 'direct' });
  process.kill(pid, 'SIGTERM');
  await gone(pid);
  expect((await machine.ok('status', '--json')).state).toBe('stopped');
});

// — internal —

function daemonsOf(machine: Machine): number[] {
  return withWords(machine, `${join(machine.package, 'dist')}/daemon.`);
}

function pm2sOf(machine: Machine): number[] {
  return withWords(machine, 'God Daemon');
}

function withWords(machine: Machine, words: string): number[] {
  return processesOf(machine.home.root).filter((pid) => commandLineOf(pid).includes(words));
}
