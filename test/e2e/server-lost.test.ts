import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { alive, gone, procExists } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

test('kill -9 of a server: its calls fail with the cause and its last words, others notice nothing, the next call has it back', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.add('slow', 'slow');
  const host = await machine.connected();
  const other = await machine.connected();
  await host.call('echo__log', { text: 'the last words' });
  const { pid } = await machine.server('echo');
  const dying = [host, other].map((one) => one.call('echo__sleep', { ms: 60_000 }));
  const untouched = other.call('slow__slow', { ms: 2000 });
  await until('the calls to arrive', () => machine.records('call').length >= 4);

  process.kill(pid ?? 0, 'SIGKILL');

  for (const answer of await Promise.all(dying)) {
    expect(answer.error?.message).toMatch(/echo ended during the call \(.*SIGKILL.*unknown/s);
    expect(answer.error?.message).toContain('the last words');
    expect(answer.error?.data).toMatchObject({ server: 'echo', outcome: 'unknown', signal: 'SIGKILL', sent: true });
  }
  expect(textOf(await host.call('echo__echo', { text: 'back' }))).toBe('back');
  expect(textOf(await untouched)).toBe('after 2000 ms');
  for (const { notifications } of [host, other])
    expect(notifications.filter(({ method }) => method !== 'notifications/message')).toEqual([]);
  const { lastExit, starts, state } = await machine.server('echo');
  expect([state, starts, lastExit?.signal, lastExit?.stderrTail.at(-1)]).toEqual([
    'running',
    2,
    'SIGKILL',
    'the last words',
  ]);
});

test('what a dying server may have done is never done twice', async ({ machine }) => {
  const file = join(machine.home.root, 'effects');
  await machine.add('bank', 'exit-in-call', ['--file', file]);
  const host = await machine.connected();
  const answer = await host.call('bank__commit', { line: 'one transfer' });
  expect(answer.error?.message).toMatch(/bank ended during the call \(.*70.*unknown.*disk controller on fire/s);
  expect(textOf(await host.call('bank__fine'))).toBe('fine');
  expect(readFileSync(file, 'utf8')).toBe('one transfer\n');
});

test('a server that exits after every handshake is started a few times, ends as failed with a reason, and has a way back', async ({
  machine,
}) => {
  // A fault of the surroundings, which the person mends without touching the server: a file that must be there.
  const mended = join(machine.home.root, 'mended');
  const [good, bad] = [fake('echo'), fake('crash-after-handshake', '--after', 'tools/list')].map((one) =>
    one.join(' '),
  );
  const script = `if [ -e '${mended}' ]; then exec ${good}; else exec ${bad}; fi`;
  await machine.declare({ flaky: { command: ['/bin/sh', '-c', script], start: 'always' } });
  const host = await machine.connected();
  await machine.add('echo', 'echo');
  for (let round = 0; round < 10; round++) {
    await pause(300);
    expect(textOf(await host.call('echo__echo', { text: `${round}` }))).toBe(`${round}`);
  }
  const failed = await machine.reaches('flaky', 'failed', 60_000);
  expect(failed.reason).toContain('exit');
  expect(failed.fix).toContain('mcpd');
  await pause(3000);
  expect((await machine.server('flaky')).starts).toBeLessThanOrEqual(8);
  expect(await machine.ok('logs', 'flaky')).toContain('leaving right after the handshake');

  const refused = await host.call('flaky__never');
  expect(refused.error?.message).toMatch(/flaky is not running: .*exit.*mcpd logs flaky/s);
  writeFileSync(mended, '');
  await machine.ok('start', 'flaky');
  await until('its tools', async () => (await host.toolNames()).includes('flaky__echo'));
  expect(textOf(await host.call('flaky__echo', { text: 'mended' }))).toBe('mended');
});

test('a call to a server that cannot start fails with the reason, and at once when it has failed for good', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.add('late', 'echo', [], ['--start-timeout', '2s']);
  const host = await machine.connected();
  const hung = await machine.cli('add', 'hung', '--start-timeout', '2s', '--json', '--', ...fake('never-answers'));
  expect([hung.code, hung.json.error.code]).toEqual([5, 'SERVER_START_TIMEOUT']);
  expect(hung.json.error.stderrTail).toEqual(['still loading the model']);

  await machine.declare({
    hung: { command: fake('never-answers'), limits: { startTimeoutMs: 2000 } },
    gone: { command: fake('exits-at-once', '--code', '3') },
    missing: { command: ['/nowhere/at/all'] },
  });
  const servers = await until('both to fail', async () => {
    const list = await machine.servers();
    const ended = list.filter(({ name, lastExit }) => ['hung', 'gone', 'missing'].includes(name) && lastExit !== null);
    return ended.length === 3 && ended;
  });
  const reasons = Object.fromEntries(servers.map(({ name, reason }) => [name, reason]));
  expect(reasons['hung']).toContain('within 2 s');
  expect(reasons['gone']).toContain('3');
  expect(reasons['missing']).toContain('/nowhere/at/all');
  expect(textOf(await host.call('echo__echo', { text: 'unharmed' }))).toBe('unharmed');
  expect(await host.toolNames()).toEqual(expect.arrayContaining(['echo__echo', 'late__echo']));
});

test('servers that will not go, and those that leave processes behind, are all gone after a stop', async ({
  machine,
}) => {
  const servers: [name: string, program: string, flags: string[]][] = [
    ['deaf', 'process', ['--deaf']],
    ['parent', 'grandparent', []],
    ['stubborn', 'grandparent', ['--stubborn']],
    ['detached', 'grandparent', procExists() ? ['--detached', '--hold'] : ['--hold']],
    ['launched', 'launcher', ['process', '--deaf']],
  ];
  for (const [name, program, flags] of servers) await machine.add(name, program, flags, ['--no-trial']);
  const names = servers.map(([name]) => name);
  await machine.ok('start', ...names);
  const pids = await until('nine processes', () => living(machine).length === 9 && living(machine));
  await Promise.all(names.map((name) => machine.ok('stop', name)));
  for (const pid of pids) await gone(pid);
  for (const name of names) expect((await machine.server(name)).state).toBe('stopped');
});

test('every way out ends the whole tree of a server: disable, uninstall, and mcpd down', async ({ machine }) => {
  for (const name of ['one', 'two', 'three']) await machine.add(name, 'grandparent', ['--stubborn'], ['--no-trial']);
  await machine.ok('start', 'one', 'two', 'three');
  const pids = await until('six processes', () => living(machine).length === 6 && living(machine));
  await Promise.all([machine.ok('disable', 'one'), machine.ok('uninstall', 'two', '--yes')]);
  expect(pids.filter(alive)).toHaveLength(2);
  await machine.ok('down');
  for (const pid of pids) await gone(pid);
});

// — internal —

function living(machine: Machine): number[] {
  const pids = machine.records().flatMap(({ pid, child }) => (typeof child === 'number' ? [pid, child] : [pid]));
  return [...new Set(pids)].filter(alive);
}
