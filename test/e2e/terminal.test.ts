import { expect } from 'vitest';
import { run } from '../harness/cli.ts';
import { fake } from '../harness/fake.ts';
import { test } from '../harness/machine.ts';
import { procExists } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

test('twenty servers added at the same moment are all there', async ({ machine }) => {
  await machine.startDaemon();
  const names = Array.from({ length: 20 }, (_, n) => `s${String(n).padStart(2, '0')}`);
  const runs = await Promise.all(names.map((name) => machine.cli('add', name, '--no-trial', '--', ...fake('slow'))));
  expect(runs.map(({ code, stderr }) => (code === 0 ? '' : stderr)).join('')).toBe('');
  expect((await machine.servers()).map(({ name }) => name).sort()).toEqual(names);
});

test('two commands that add the same name at once: one wins, the other is told', async ({ machine }) => {
  await machine.startDaemon();
  const runs = await Promise.all([1, 2].map(() => machine.cli('add', 'same', '--json', '--', ...fake('slow'))));
  expect(runs.map(({ code }) => code).sort()).toEqual([0, 4]);
  expect(runs.find(({ code }) => code === 4)?.json.error.code).toBe('NAME_TAKEN');
});

test('requests that are piped into mcpd stdio are answered before it leaves', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const input = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'echo__echo', arguments: { text: 'piped' } } },
  ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const { code, stdout, stderr } = await run(machine.stdio, {
    env: machine.home.env,
    cwd: machine.home.userHome,
    input: input.join(''),
  });
  expect([code, stderr]).toEqual([0, '']);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
  expect(stdout).toContain('piped');
});

test('ps --tree shows a server with its descendants', async ({ machine }) => {
  await machine.add('parent', 'grandparent', [], ['--no-trial']);
  await machine.ok('start', 'parent');
  const child = await until('its child', () => machine.records('child')[0]?.['child']);
  if (!procExists()) return;
  const tree = await until('both processes', async () => {
    const shown = await machine.ok('ps', '--tree');
    return shown.includes(String(child)) && shown;
  });
  expect(tree).toContain('parent');
  expect(tree).toContain('grandparent.mjs');
});

test('colours appear only where they are wanted', async ({ machine }) => {
  await machine.add('echo', 'echo');
  expect((await machine.cliWith({ env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, 'list')).stdout).not.toContain('\u001b');
  expect((await machine.cli('list')).stdout).not.toContain('\u001b');
});

test('the boot entry is printed and not written when that is asked', async ({ machine }) => {
  const { code, stdout } = await machine.cli('boot', 'enable', '--print');
  expect(code).toBe(0);
  expect(stdout).toContain(machine.home.mcpdHome);
  expect(machine.home.processes()).toEqual([]);
});

test('doctor finds nothing wrong with a machine on which all is well, and names a server that failed', async ({
  machine,
}) => {
  await machine.ok('up');
  await machine.add('echo', 'echo');
  const well = await machine.cli('doctor', '--json');
  expect([well.code, well.json.filter(({ verdict }: { verdict: string }) => verdict === 'failure')]).toEqual([0, []]);
  await machine.declare({ broken: { command: fake('exits-at-once') } });
  await until('it to fail', async () => (await machine.server('broken')).lastExit !== null);
  expect(JSON.stringify((await machine.cli('doctor', '--json')).json)).toContain('server broken');
});
