import { expect } from 'vitest';
import type { Host } from '../harness/host.ts';
import { type Machine, test } from '../harness/machine.ts';
import { type Message, textOf } from '../harness/message.ts';
import { until } from '../harness/until.ts';

const HOSTS = 5;
const CALLS = 20;

test('five hosts with equal ids and equal progress tokens get their own answers and their own progress, and share one process', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.add('slow', 'slow');
  const trials = machine.records('start').length;
  const hosts = await connect(machine, HOSTS);

  const answers = await Promise.all(
    hosts.map(async (host, number) => {
      const calls = Array.from({ length: CALLS }, (_, id) =>
        host.call('echo__echo', { text: `host ${number} call ${id}` }, { id: `same-${id}` }),
      );
      return (await Promise.all(calls)).map(textOf);
    }),
  );
  for (const [number, own] of answers.entries())
    expect(own).toEqual(Array.from({ length: CALLS }, (_, id) => `host ${number} call ${id}`));

  // The slowest comes first, so that answers come back in the other order.
  await Promise.all(
    hosts.map((host, number) =>
      host.call('echo__sleep', { ms: 1500 - 250 * number }, { id: 7, meta: { progressToken: 'same' } }),
    ),
  );
  for (const [number, host] of hosts.entries()) {
    const progress = host.notifications.filter(({ method }) => method === 'notifications/progress');
    expect(progress.length, `host ${number}`).toBeGreaterThan(0);
    expect(progress.length, `host ${number}`).toBeLessThanOrEqual(10);
    const steps = progress.map(({ params }) => params?.['progress'] as number);
    expect(steps, `host ${number}`).toEqual([...new Set(steps)].sort((a, b) => a - b));
    for (const { params } of progress) expect(params?.['progressToken']).toBe('same');
    expect([host.strays, host.noise], `host ${number}`).toEqual([[], []]);
  }
  expect(machine.records('start')).toHaveLength(trials + 1);
});

test('ids come back with their value and their type', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  for (const id of [0, '0', 1, '1', '', 'a long id '.repeat(20), -5, 2 ** 53 - 1, 1.5]) {
    const { message, line } = await host.askForLine(
      'tools/call',
      { name: 'echo__echo', arguments: { text: 'x' } },
      { id },
    );
    expect(message.id).toBe(id);
    expect(line.toString()).toContain(`"id":${JSON.stringify(id)}`);
  }
  expect(host.strays).toEqual([]);
});

test('one host that vanishes in a call has it cancelled upstream, and no other host notices', async ({ machine }) => {
  await machine.add('slow', 'slow');
  const [leaving, staying] = (await connect(machine, 2)) as [Host, Host];
  leaving.call('slow__hang').catch(() => undefined);
  const others = staying.call('slow__slow', { ms: 1500 });
  const open = await until('the call to arrive', () => machine.records('open').find(({ name }) => name === 'hang'));
  leaving.vanish();
  await until('the cancellation', () => machine.records('cancelled').some(({ id }) => id === open['id']));
  expect(textOf(await others)).toBe('after 1500 ms');
  expect(textOf(await staying.call('slow__fast'))).toBe('fast');
  expect((await leaving.exited).code).toBe(0);
});

test('one slow call holds up neither the same host nor another', async ({ machine }) => {
  await machine.add('slow', 'slow');
  const [one, other] = (await connect(machine, 2)) as [Host, Host];
  let answered = false;
  const slow = one.call('slow__slow', { ms: 4000 }).finally(() => {
    answered = true;
  });
  await until('the call to arrive', () => machine.records('open').length > 0);
  for (const host of [one, other]) {
    expect(textOf(await host.call('slow__fast'))).toBe('fast');
    expect(await host.result('ping')).toEqual({});
    expect(await host.toolNames()).toContain('slow__fast');
  }
  expect(answered).toBe(false);
  expect(textOf(await slow)).toBe('after 4000 ms');
});

test('updates and log lines reach the hosts that asked for them, and no other', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const [one, other] = (await connect(machine, 2)) as [Host, Host];
  await one.result('resources/subscribe', { uri: 'echo://note' });
  await one.result('logging/setLevel', { level: 'info' });
  await other.result('logging/setLevel', { level: 'emergency' });
  await other.call('echo__touch', { text: 'changed' });
  await until('the update', () => of(one, 'notifications/resources/updated').length > 0);
  expect((await one.result('resources/read', { uri: 'echo://note' })).contents?.[0]?.text).toBe('changed');
  await one.call('echo__log', { text: 'a line for those who want it' });
  await until('the log line', () => of(one, 'notifications/message').length > 0);
  await other.call('echo__echo', { text: 'a round trip' });
  expect(of(other, 'notifications/resources/updated')).toEqual([]);
  expect(of(other, 'notifications/message')).toEqual([]);
});

test('hosts with a process each: people see which is whose, in the views and in the log, also when one has left', async ({
  machine,
}) => {
  await machine.add('echo', 'echo', [], ['--sharing', 'per-session']);
  const [zed, ann] = await Promise.all(['zed', 'ann'].map((name) => machine.connected({ name })));
  for (const host of [zed, ann]) expect(textOf((await host?.call('echo__echo', { text: 'hi' })) as Message)).toBe('hi');

  const { instances } = await machine.ok('info', 'echo', '--json');
  const own = instances.filter(({ hosts }: { hosts: string[] | null }) => hosts !== null);
  const byHost = (rows: { hosts: string[] }[]) => rows.toSorted((a, b) => a.hosts.join().localeCompare(b.hosts.join()));
  const rows = ['ann', 'zed'].map((name) => ({ state: 'running', hosts: [name], folder: null }));
  expect(byHost(own)).toMatchObject(rows);
  const { servers } = await machine.ok('ps', '--json');
  expect(byHost(servers)).toMatchObject(rows);
  for (const words of [['info', 'echo'], ['ps'], ['ps', '--tree']])
    expect(await machine.ok(...words), words.join(' ')).toMatch(/ann.*zed|zed.*ann/s);

  zed?.vanish();
  const log = await until('the end of its process', async () => {
    const text: string = await machine.ok('logs', 'echo');
    return /stopped.* \(for zed\)/.test(text) && text;
  });
  for (const name of ['ann', 'zed']) expect(log).toMatch(new RegExp(`process \\d+ started \\(for ${name}\\)`));
  expect(log).not.toMatch(/stopped.* \(for ann\)/);
});

// — internal —

function connect(machine: Machine, count: number): Promise<Host[]> {
  return Promise.all(Array.from({ length: count }, () => machine.connected()));
}

function of(host: Host, method: string): Message[] {
  return host.notifications.filter((notification) => notification.method === method);
}
