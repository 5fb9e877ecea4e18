import { expect } from 'vitest';
import { test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { alive, gone } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

test('an on-demand server stops after its last call, never during one, and the next call starts it', async ({
  machine,
}) => {
  await machine.add('slow', 'slow', [], ['--idle', '2s']);
  const host = await machine.connected();
  expect(textOf(await host.call('slow__slow', { ms: 3500 }))).toBe('after 3500 ms');
  const { pid, starts } = await machine.server('slow');
  expect([starts, alive(pid ?? 0)]).toEqual([1, true]);
  await gone(pid ?? 0);
  expect(await machine.reaches('slow', 'stopped')).toMatchObject({ health: 'ok', lastExit: null });
  expect(textOf(await host.call('slow__fast'))).toBe('fast');
  expect((await machine.server('slow')).starts).toBe(2);
  expect(host.notifications).toEqual([]);
});

test('a subscription keeps an on-demand server up', async ({ machine }) => {
  await machine.add('echo', 'echo', [], ['--idle', '1s']);
  const host = await machine.connected();
  await host.result('resources/subscribe', { uri: 'echo://note' });
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect((await machine.server('echo')).state).toBe('running');
  await host.result('resources/unsubscribe', { uri: 'echo://note' });
  await machine.reaches('echo', 'stopped');
});

test('a server that is always up is there before a host asks, and comes back from kill -9 and from a restart of mcpd', async ({
  machine,
}) => {
  await machine.add('echo', 'echo', [], ['--start', 'always', '--idle', '1s']);
  const first = await machine.reaches('echo', 'running');
  process.kill(first.pid ?? 0, 'SIGKILL');
  const second = await until('the next process', async () => {
    const server = await machine.server('echo');
    return server.state === 'running' && server.pid !== first.pid && server;
  });
  expect(second.lastExit?.signal).toBe('SIGKILL');
  await machine.killDaemon();
  await machine.startDaemon();
  const third = await machine.reaches('echo', 'running');
  expect(third.pid).not.toBe(second.pid);
  await gone(second.pid ?? 0);
});

test('a manual server is listed, refuses calls with the way to start it, and is held up until it is stopped', async ({
  machine,
}) => {
  await machine.add('echo', 'echo', [], ['--start', 'manual', '--idle', '1s']);
  const host = await machine.connected();
  expect(await host.toolNames()).toContain('echo__echo');
  const refused = await host.call('echo__echo', { text: 'x' });
  expect(refused.error?.message).toContain('mcpd start echo');
  const before = machine.records('start').length;
  await machine.ok('start', 'echo');
  expect(textOf(await host.call('echo__echo', { text: 'x' }))).toBe('x');
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect((await machine.server('echo')).state).toBe('running');
  await machine.ok('stop', 'echo');
  expect((await host.call('echo__echo', { text: 'x' })).error?.message).toContain('mcpd start echo');
  expect(machine.records('start')).toHaveLength(before + 1);
});

test('what a person started or stopped by hand is so again after kill -9 and a restart of mcpd, until mcpd down', async ({
  machine,
}) => {
  await machine.add('wanted', 'echo', [], ['--start', 'manual', '--idle', '1s']);
  await machine.add('unwanted', 'echo', [], ['--start', 'always']);
  await machine.add('resting', 'echo', [], ['--start', 'manual']);
  const [first] = await Promise.all([machine.ok('start', 'wanted', '--json'), machine.ok('stop', 'unwanted')]);
  const asLeft = async () => {
    const { pid } = await machine.reaches('wanted', 'running');
    const rest = await Promise.all([machine.server('unwanted'), machine.server('resting')]);
    expect(rest.map(({ state, starts }) => [state, starts])).toEqual([
      ['stopped', 0],
      ['stopped', 0],
    ]);
    return pid;
  };

  await machine.killDaemon();
  await machine.startDaemon();
  const second = await asLeft();
  expect(second).not.toBe(first.pid);

  await machine.ok('restart');
  const third = await asLeft();
  expect(third).not.toBe(second);

  // Said of every server: from here on the start modes alone count.
  await machine.ok('down');
  await machine.startDaemon();
  await machine.reaches('unwanted', 'running');
  expect((await machine.server('wanted')).state).toBe('stopped');
});

test('a disabled server has no tools, no process, and says how to enable it', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'x' });
  const { pid } = await machine.server('echo');
  await machine.ok('disable', 'echo');
  await gone(pid ?? 0);
  expect(await host.toolNames()).toEqual([]);
  expect((await host.call('echo__echo', { text: 'x' })).error?.message).toContain('mcpd enable echo');
  const started = await machine.cli('start', 'echo', '--json');
  expect([started.code, started.json.error.code]).toEqual([4, 'SERVER_DISABLED']);
  await machine.ok('enable', 'echo');
  expect(textOf(await host.call('echo__echo', { text: 'back' }))).toBe('back');
});

test('stop, restart and set act on a running server and lose no settings', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'x' });
  const first = await machine.server('echo');
  await machine.ok('restart', 'echo');
  const second = await machine.reaches('echo', 'running');
  expect(second.pid).not.toBe(first.pid);
  await machine.ok('stop', 'echo');
  expect((await machine.server('echo')).state).toBe('stopped');
  await machine.ok('set', 'echo', '--timeout', '45s', '--memory', '200MB', '--idle', '1m');
  await machine.ok('down');
  await machine.startDaemon();
  expect((await machine.server('echo')).limits).toMatchObject({ callTimeoutMs: 45_000, idleStopMs: 60_000 });
  await machine.ok('set', 'echo', '--timeout', 'default');
  expect((await machine.server('echo')).limits.callTimeoutMs).toBeNull();
});
