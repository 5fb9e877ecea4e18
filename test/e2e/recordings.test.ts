import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Recording, ReplayEvent } from '../../src/api/contract/recordings.ts';
import { pathsOf } from '../../src/paths.ts';
import { REPLAYS_MAX } from '../../src/recorder-limits.ts';
import { fake } from '../harness/fake.ts';
import { askLocal, JSON_TYPE } from '../harness/listening-api.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { connectPlace, installServer } from '../harness/revisions/setting.ts';
import { MODERN, type Revision } from '../harness/revisions/wire.ts';
import { until } from '../harness/until.ts';

const SECRET = 'tr0ub4dor-and-a-long-enough-3xample';
const TYPED = 'typed-into-the-command-line-77';

test('a secret is in nothing that is recorded: not from the launch, nor from arguments and results, nor in base64', async ({
  machine,
}) => {
  await machine.startDaemon();
  const command = [...fake('echo'), '--token', TYPED];
  await machine.ok('add', 'bank', '--env', `API_TOKEN=${SECRET}`, '--', ...command);
  await machine.ok('record', 'bank', 'on');
  const host = await machine.connected();
  expect(JSON.parse(textOf(await host.call('bank__env'))).argv).toContain(TYPED);
  for (const secret of [SECRET, TYPED]) {
    for (const before of ['', 'x', 'user:'])
      await host.call('bank__echo', { text: `as base64: ${Buffer.from(`${before}${secret}!`).toString('base64')}` });
    await host.call('bank__echo', {
      text: `plain ${secret}, in JSON ${JSON.stringify(JSON.stringify({ s: secret }))}`,
    });
  }
  await host.ask('resources/read', { uri: `echo://say/${SECRET}` });
  await host.call('bank__echo', { text: 'see', apiKey: 'nobody-told-mcpd' });
  await machine.ok('record', 'bank', 'save', 'bank.json');

  const file = join(machine.home.userHome, 'bank.json');
  const text = readFileSync(file, 'utf8');
  const shown =
    (await machine.ok('record', 'bank', 'show')) + JSON.stringify(await machine.ok('record', 'bank', 'show', '--json'));
  for (const where of [text, shown]) {
    for (const secret of [SECRET, TYPED, 'nobody-told-mcpd']) {
      expect(where).not.toContain(secret);
      for (const before of ['', 'x', 'xx']) {
        const coded = Buffer.from(`${before}${secret}`).toString('base64').slice(4, -4);
        expect(where).not.toContain(coded);
      }
    }
  }
  expect(text).toContain('as base64: ');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // Nothing is overwritten.
  expect(await machine.cli('record', 'bank', 'save', 'bank.json')).toMatchObject({ code: 4 });
});

test('calls are recorded with their session and their answer, from when it is switched on until it goes off by itself', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'before' });
  expect(await machine.ok('record', 'echo', '--json')).toMatchObject({ on: false, frames: 0, startedAt: null });
  const state = await machine.ok('record', 'echo', 'on', '--for', '3s', '--json');
  expect(state).toMatchObject({ server: 'echo', on: true });
  expect(state.endsAt - state.startedAt).toBe(3000);
  await host.call('echo__echo', { text: 'during' });
  await until('the recording to end', async () => !(await machine.ok('record', 'echo', '--json')).on);
  await host.call('echo__echo', { text: 'after' });

  const shown = await machine.ok('record', 'echo', 'show', '--json');
  // On a busy machine mcpd may be reading the lists of the server at the same time.
  const frames = shown.frames.filter(({ method }: { method: string }) => method === 'tools/call');
  const [{ id: session }] = await machine.ok('sessions', '--json');
  expect(frames).toMatchObject([
    { direction: 'to-server', kind: 'request', method: 'tools/call', target: 'echo', instance: 'echo', session },
    { direction: 'from-server', kind: 'result', method: 'tools/call', answers: frames[0].seq, session },
  ]);
  expect(frames[0].text).toContain('during');
  expect(frames[1].tookMs).toBeGreaterThan(0);
  expect(await machine.ok('record', 'echo', 'clear')).toContain('0 messages');
  expect(await machine.cli('record', 'echo', 'save', 'x.json')).toMatchObject({ code: 3 });
});

test('a daemon that starts again records nothing, and says which recordings the one before took along', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.declare({ kept: { command: fake('echo') } });
  const began = await machine.ok('record', 'echo', 'on', '--for', '10m', '--json');
  await machine.ok('record', 'kept', 'on');
  await machine.ok('call', 'echo__echo', 'text=x');
  await machine.ok('call', 'kept__echo', 'text=x');
  await machine.ok('record', 'kept', 'off');
  expect((await machine.ok('record', 'echo', '--json')).frames).toBeGreaterThan(1);
  const names = (states: { server: string }[]) => states.map(({ server }) => server);
  expect(names(await machine.ok('record', 'list', '--json'))).toEqual(['echo', 'kept']);

  await machine.killDaemon();
  await machine.startDaemon();
  expect(await machine.ok('record', 'echo', '--json')).toMatchObject({
    ...{ on: false, frames: 0, startedAt: null },
    lost: { startedAt: began.startedAt, endsAt: began.endsAt, endedAt: null, frames: null },
  });
  expect(await machine.ok('record', 'kept', '--json')).toMatchObject({ lost: { endsAt: null, endedAt: null } });
  const told = await machine.cli('record', 'echo');
  expect(told.stdout).toMatch(/^echo was recorded from .* until mcpd was killed or crashed; .* is lost$/m);
  expect(told.stderr).toContain('mcpd record echo on');
  expect(await machine.ok('record', 'list')).toMatch(
    /^echo was .* is lost\nkept was recorded from .*, and then mcpd was killed/,
  );
  expect((await machine.cli('record', 'echo', 'save', 'x.json')).stderr).toContain('lost when the daemon ended');

  // It is told until somebody has seen to it.
  await machine.ok('record', 'kept', 'clear');
  await machine.ok('record', 'echo', 'on');
  const list: { server: string; lost: unknown }[] = await machine.ok('record', 'list', '--json');
  expect(list.map(({ server, lost }) => [server, lost])).toEqual([['echo', null]]);
});

test('a daemon that ends in order leaves word of how many messages it took along, and of no server that is gone', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.ok('record', 'echo', 'on');
  await machine.ok('call', 'echo__echo', 'text=y');
  const { frames } = await machine.ok('record', 'echo', '--json');
  await machine.ok('down');
  await machine.startDaemon();
  const { lost } = await machine.ok('record', 'echo', '--json');
  expect(lost).toMatchObject({ endsAt: expect.any(Number), endedAt: expect.any(Number) });
  expect(lost.frames).toBeGreaterThanOrEqual(frames);
  await machine.ok('uninstall', 'echo');
  await machine.add('echo', 'echo');
  expect((await machine.ok('record', 'echo', '--json')).lost).toBeNull();
});

test('a saved recording is asked again of a process that nobody else sees, and answers that differ are told', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.ok('record', 'echo', 'on');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'hello' });
  await host.call('echo__add', { a: 1, b: 2 });
  await host.result('resources/read', { uri: 'echo://name' });
  await machine.ok('record', 'echo', 'save', 'case.json');
  const before = { calls: (await machine.server('echo')).calls, pid: (await machine.server('echo')).pid };

  const same = await replayed(machine, 'case.json');
  expect(same.code).toBe(0);
  expect(same.done).toMatchObject({ different: 0, unanswered: 0, uncompared: 0, skipped: 0 });
  expect(same.steps.filter(({ target }) => target !== null).map(({ target, outcome }) => [target, outcome])).toEqual([
    ['echo', 'equal'],
    ['add', 'equal'],
    ['echo://name', 'equal'],
  ]);
  // The fleet has seen nothing of it, and the process is gone.
  expect(await machine.server('echo')).toMatchObject(before);
  expect((await machine.ok('ps', '--json')).servers).toHaveLength(1);
  const { frames } = await machine.ok('record', 'echo', 'show', '--json');
  expect(new Set(frames.map(({ instance }: { instance: string }) => instance))).toEqual(new Set(['echo']));

  const [step] = same.steps.filter(({ target }) => target === 'add');
  const one = await replayed(machine, 'echo', '--call', String(step?.seq));
  expect(one.steps.map(({ target, outcome }) => [target, outcome])).toEqual([['add', 'equal']]);

  await machine.ok('uninstall', 'echo');
  await machine.add('echo', 'echo', ['--name', 'other']);
  // The one of that name before is forgotten.
  expect(await machine.ok('record', 'echo', '--json')).toMatchObject({ on: false, frames: 0 });
  const other = await replayed(machine, 'case.json');
  expect(other.code).toBe(5);
  const [different] = other.steps.filter(({ outcome }) => outcome === 'different');
  expect(different).toMatchObject({ method: 'resources/read', target: 'echo://name' });
  expect(different?.differences[0]).toMatchObject({ recorded: '"echo"', replayed: '"other"' });
  const shown = await machine.cli('record', 'replay', 'case.json');
  expect(shown.stdout).toContain('- "echo"');
  expect(shown.stdout).toContain('+ "other"');
});

test('what a replay writes into its data folder is not in the one of the server', async ({ machine }) => {
  await machine.startDaemon();
  await machine.ok('install', 'todo');
  await machine.ok('record', 'todo', 'on');
  await machine.ok('call', 'todo__add_todo_item', 'text=milk');
  const list = () => machine.ok('call', 'todo__list_todo_items');
  const before = await list();
  expect(before).toContain('milk');
  const { code } = await replayed(machine, 'todo');
  expect(code).toBe(0);
  expect(await list()).toBe(before);
});

test.for<Revision>(['2025-11-25', MODERN])(
  'a server of %s that asks is answered in a replay as the host answered it',
  async (revision, { machine }) => {
    await machine.startDaemon();
    const end = await installServer(machine, 'asking', { revision, transport: 'stdio' }, ['--lists', 'always']);
    const host = await connectPlace(machine, { revision, transport: 'stdio' }, 'one');
    await machine.ok('record', 'asking', 'on');
    await host.call('asking__elicit', { marker: 'm' });
    const { code, steps } = await replayed(machine, 'asking');
    const calls = steps.filter(({ method }) => method === 'tools/call');
    expect(calls.length).toBe(revision === MODERN ? 2 : 1);
    expect(calls.map(({ outcome, differences }) => [outcome, differences])).toEqual(calls.map(() => ['equal', []]));
    expect(code).toBe(0);
    await host.close();
    await end();
  },
);

test('a remote server is asked again by a connection of its own', async ({ machine }) => {
  await machine.startDaemon();
  const place = { revision: '2025-11-25', transport: 'http' } as const;
  const end = await installServer(machine, 'far', place);
  const host = await machine.connected();
  await machine.ok('record', 'far', 'on');
  await host.call('far__echo', { marker: 'm' });
  const { steps, done } = await replayed(machine, 'far');
  expect(done?.unanswered).toBe(0);
  expect(steps.filter(({ method }) => method === 'tools/call').map(({ outcome }) => outcome)).toEqual(['equal']);
  await end();
});

test('a server that ends in the middle of a replay answers nothing more, and one that does not start is told', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.ok('record', 'echo', 'on');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'x' });
  await machine.ok('record', 'echo', 'save', 'case.json');
  const file = join(machine.home.userHome, 'case.json');
  const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;

  await machine.ok('uninstall', 'echo');
  await machine.ok('add', 'echo', '--no-trial', '--', ...fake('exit-in-call'));
  // The tool of that server which ends it.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\\"name\\":\\"echo\\"', '\\"name\\":\\"commit\\"'));
  const dying = await replayed(machine, 'case.json');
  expect(dying.code).toBe(5);
  expect(dying.done?.unanswered).toBeGreaterThan(0);

  await machine.ok('uninstall', 'echo');
  await machine.ok('add', 'echo', '--no-trial', '--', ...fake('exits-at-once'));
  expect(await machine.cli('record', 'replay', 'case.json')).toMatchObject({ code: 5 });

  writeFileSync(file, JSON.stringify({ ...recording, frames: 'none' }));
  expect(await machine.cli('record', 'replay', 'case.json')).toMatchObject({ code: 2 });
  writeFileSync(file, JSON.stringify({ ...recording, server: 'nobody' }));
  expect(await machine.cli('record', 'replay', 'case.json')).toMatchObject({ code: 3 });
});

test('a server that greets at great length is replayed as any other', async ({ machine }) => {
  await machine.add('echo', 'echo', ['--instructions', 'long '.repeat(14_000)]);
  await machine.ok('record', 'echo', 'on');
  await machine.ok('call', 'echo__echo', 'text=x');
  const { code, done } = await replayed(machine, 'echo');
  expect([code, done]).toMatchObject([0, { different: 0, unanswered: 0 }]);
});

test('of replays that are asked for in the same moment no more are begun than of others', async ({ machine }) => {
  await machine.add('echo', 'echo');
  await machine.ok('record', 'echo', 'on');
  await machine.ok('call', 'echo__echo', 'text=x');
  const asked = Array.from({ length: REPLAYS_MAX + 3 }, () =>
    askLocal(pathsOf(machine.home.mcpdHome), '/api/servers/echo/recording/replay', {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{}',
    }),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(REPLAYS_MAX);
});

// — internal —

/** `mcpd record replay WHAT`, as a script reads it. */
async function replayed(machine: Machine, ...what: string[]) {
  const { code, stdout } = await machine.cli('record', 'replay', ...what, '--json');
  const events = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ReplayEvent);
  const steps = events.flatMap((event) => (event.type === 'step' ? [event] : []));
  const done = events.find((event) => event.type === 'done');
  return { code, steps, done };
}
