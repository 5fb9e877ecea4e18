import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ServerInfo } from '../../src/api/contract.ts';
import type { Host } from '../harness/host.ts';
import { test } from '../harness/machine.ts';
import { type Message, textOf } from '../harness/message.ts';
import { askModern, listenModern } from '../harness/modern.ts';
import { gone, procExists } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

const MIB = 1024 * 1024;

test('kill -9 of the daemon: each call under way gets one error, the next one works, and its servers are gone, stubborn ones too', async ({
  machine,
}) => {
  await machine.add('slow', 'slow');
  await machine.add('echo', 'echo');
  const flags = procExists() ? ['--detached', '--stubborn'] : ['--stubborn'];
  await machine.add('parent', 'grandparent', flags);
  await machine.ok('start', 'parent');
  const host = await machine.connected();
  const other = await machine.connected();
  const hanging = ['one', 'two', 'three'].map((id) => host.call('slow__hang', {}, { id }));
  const elsewhere = other.call('echo__sleep', { ms: 60_000 });
  await until('the calls to arrive', () => machine.records('call').length >= 4);
  const old = pidsOf(machine.records());

  await machine.killDaemon();

  const answers = await Promise.all([...hanging, elsewhere]);
  for (const answer of answers) expectUnknownOutcome(answer);
  expect(textOf(await host.call('echo__echo', { text: 'still here' }))).toBe('still here');
  expect(textOf(await other.call('slow__fast'))).toBe('fast');
  for (const pid of old) await gone(pid);
  for (const one of [host, other]) {
    expect([one.exit, one.strays, one.noise]).toEqual([undefined, [], []]);
    expect(one.messages.filter(({ method }) => method === undefined).map(({ id }) => id)).toHaveLength(
      one === host ? 5 : 3,
    );
  }
  // What was sent once is not sent again.
  expect(machine.records('call').filter(({ name }) => name === 'hang')).toHaveLength(3);
});

test('what a server went through is one timeline over kill -9 and the end of mcpd, which says where they were and why', async ({
  machine,
}) => {
  await machine.add('echo', 'echo', [], ['--start', 'manual']);
  await machine.ok('start', 'echo');
  // What was looked at has been written down.
  const before: ServerInfo = await machine.ok('info', 'echo', '--json');
  const killedAt = Date.now();
  await machine.killDaemon();
  await machine.startDaemon();
  await machine.reaches('echo', 'running');
  const marksOf = (info: ServerInfo) => info.daemons.map(({ mark }) => mark);

  const info: ServerInfo = await machine.ok('info', 'echo', '--json');
  expect(marksOf(info)).toEqual(['began', 'lost']);
  expect(info.transitions.slice(-before.transitions.length)).toEqual(before.transitions);
  const [began, lost] = info.daemons;
  expect(lost?.reason).toBe('it was killed, or crashed');
  // The time of a file goes in steps of a few milliseconds.
  expect(lost?.at).toBeGreaterThan(killedAt - 50);
  expect(began?.at).toBeGreaterThanOrEqual(lost?.at ?? 0);
  expect(info.countedSince).toBe(began?.at);
  expect(info.starts).toBe(1);
  const runs = info.transitions.filter(({ to }) => to === 'running').map(({ at }) => at);
  expect(runs).toHaveLength(2);
  expect(runs[0]).toBeGreaterThan(began?.at ?? 0);
  expect(info.transitions.map(({ reason }) => reason)).toContain('it was started by hand');

  await machine.ok('down');
  await machine.startDaemon();
  const later: ServerInfo = await machine.ok('info', 'echo', '--json');
  expect(marksOf(later)).toEqual(['began', 'ended', 'began', 'lost']);
  expect(later.daemons[1]?.reason).toBe('mcpd down');
  expect(later.transitions.slice(-info.transitions.length)).toEqual(info.transitions);
});

test('kill -9 of the daemon while nothing is under way is not noticed by a host at all', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  const before = await host.tools();
  await machine.killDaemon();
  expect(await host.tools()).toEqual(before);
  expect(await host.result('ping')).toEqual({});
  expect(host.notifications).toEqual([]);
});

test('kill -9 in the middle of a big answer leaves no half line: the host gets the whole answer or one error', async ({
  machine,
}) => {
  await machine.add('big', 'big');
  const host = await machine.connected();
  for (const delayMs of [30, 80, 150, 250]) {
    expect(textOf(await host.call('big__small'))).toBe('small');
    const calling = host.call('big__blob', { bytes: 40 * MIB });
    await pause(delayMs);
    await machine.killDaemon();
    const answer = await calling;
    if (answer.result === undefined) expectUnknownOutcome(answer);
    else expect(textOf(answer).length).toBeGreaterThan(40 * MIB - 100);
  }
  expect(textOf(await host.call('big__small'))).toBe('small');
  expect([host.noise, host.strays]).toEqual([[], []]);
});

test('subscriptions of both eras live through kill -9 of the daemon', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const legacy = await machine.connected();
  await legacy.result('resources/subscribe', { uri: 'echo://note' });
  const modern = machine.host();
  const listening = listenModern(modern, { toolsListChanged: true, resourceSubscriptions: ['echo://note'] });
  await until('the acknowledgement', () => listening.received().length === 1);

  await machine.killDaemon();
  expect(textOf(await legacy.call('echo__touch', { text: 'after' }))).toBe('touched');
  expect((await askModern(modern, 'tools/list')).result?.tools?.length).toBeGreaterThan(0);
  await until('the update', () => updates(legacy).length > 0);
  await until('the update', () => updates(modern).length > 0);
  await legacy.call('echo__toggle');
  await until('the change of the list', () =>
    methods(listening.received()).includes('notifications/tools/list_changed'),
  );
  const acknowledged = 'notifications/subscriptions/acknowledged';
  expect(methods(listening.received()).filter((method) => method === acknowledged)).toHaveLength(1);
});

test('a restart with three hosts connected ends their calls in peace, and they go on', async ({ machine }) => {
  await machine.ok('up');
  await machine.add('slow', 'slow');
  const hosts = await Promise.all([machine.connected(), machine.connected(), machine.connected()]);
  const calls = hosts.map((host) => host.call('slow__slow', { ms: 3000 }));
  await until('the calls to arrive', () => machine.records('open').length === 3);
  const before = machine.writtenPid;

  await machine.ok('restart');

  expect((await Promise.all(calls)).map(textOf)).toEqual(hosts.map(() => 'after 3000 ms'));
  expect(await Promise.all(hosts.map(async (host) => textOf(await host.call('slow__fast'))))).toEqual(
    hosts.map(() => 'fast'),
  );
  expect(machine.writtenPid).not.toBe(before);
  for (const host of hosts) expect([host.exit, host.notifications, host.strays]).toEqual([undefined, [], []]);
});

test('calls made while the daemon restarts wait for the new one', async ({ machine }) => {
  await machine.ok('up');
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  let restarted = false;
  const restart = machine.ok('restart').finally(() => {
    restarted = true;
  });
  for (let number = 0; !restarted; number++) {
    const answer = await host.call('echo__echo', { text: `${number}` });
    expect([answer.error, textOf(answer)]).toEqual([undefined, `${number}`]);
    await pause(10);
  }
  await restart;
  expect(textOf(await host.call('echo__echo', { text: 'after' }))).toBe('after');
});

// — internal —

function expectUnknownOutcome(answer: Message): void {
  expect(answer.result).toBeUndefined();
  expect(answer.error?.message).toContain('unknown');
  expect(answer.error?.data).toMatchObject({ outcome: 'unknown' });
}

function pidsOf(records: readonly { pid: number; what: string }[]): number[] {
  const children = records.filter(({ what }) => what === 'child') as { pid: number; what: string; child?: number }[];
  return [...new Set([...records.map(({ pid }) => pid), ...children.flatMap(({ child }) => child ?? [])])];
}

function updates(host: Host): Message[] {
  return host.notifications.filter(({ method }) => method === 'notifications/resources/updated');
}

function methods(messages: readonly Message[]): (string | undefined)[] {
  return messages.map(({ method }) => method);
}
