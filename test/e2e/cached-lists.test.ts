import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { askModern } from '../harness/modern.ts';
import { until } from '../harness/until.ts';

const NAMES = Array.from({ length: 20 }, (_, n) => `server-${String(n).padStart(2, '0')}`);

test('with 20 servers installed and none running, a new host has its complete lists before any server process exists', async ({
  machine,
}) => {
  await install(machine, NAMES);
  const starts = machine.records('start').length;
  await machine.ok('down');

  const host = await machine.connected();
  const tools = await host.toolNames();
  for (const name of NAMES) expect(tools).toContain(`${name}__echo`);
  expect(tools).toHaveLength(20 * 8);
  expect((await host.result('prompts/list')).prompts).toHaveLength(20);
  expect((await host.result('resources/list')).resources?.length).toBeGreaterThan(0);
  const modern = machine.host();
  expect((await askModern(modern, 'tools/list')).result?.tools).toHaveLength(20 * 8);
  expect((await machine.ok('ps', '--json')).servers).toEqual([]);
  expect(machine.records('start')).toHaveLength(starts);
});

test('the first call starts one server and one only, also when ten come at once', async ({ machine }) => {
  await install(machine, NAMES.slice(0, 3));
  const before = machine.records('start').length;
  const hosts = await Promise.all([machine.connected(), machine.connected()]);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => hosts[n % 2]?.call('server-01__echo', { text: `number ${n}` })),
  );
  expect(answers.map((answer) => textOf(answer ?? {}))).toEqual(answers.map((_, n) => `number ${n}`));
  expect(machine.records('start')).toHaveLength(before + 1);
  expect((await machine.ok('ps', '--json')).servers).toMatchObject([{ server: 'server-01' }]);
});

test('a server that was declared and never started is listed by itself, and hosts are told once', async ({
  machine,
}) => {
  const host = await machine.connected();
  await machine.declare({ late: { command: fake('echo') } });
  await until('the tools of late', async () => (await host.toolNames()).includes('late__echo'));
  await pause(1500);
  const notices = host.notifications.map(({ method }) => method);
  expect(notices.filter((method) => method === 'notifications/tools/list_changed')).toHaveLength(1);
});

// — internal —

async function install(machine: Machine, names: readonly string[]): Promise<void> {
  await machine.declare(Object.fromEntries(names.map((name) => [name, { command: fake('echo', '--name', name) }])));
  await machine.listed(...names);
  await machine.ok('stop', ...names);
}
