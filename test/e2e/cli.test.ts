import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import type { Ran } from '../harness/cli.ts';
import { fake } from '../harness/fake.ts';
import { type Machine, test } from '../harness/machine.ts';
import { until } from '../harness/until.ts';

/** What must never reach a terminal; newlines and tabs may. */
const CONTROL = /[^\P{Cc}\n\t]|\p{Cf}|\p{Zl}|\p{Zp}/u;

const echo = fake('echo');

test('status, down, doctor and the names for completion start no daemon', async ({ machine }) => {
  expect(await machine.ok('status', '--json')).toEqual({
    state: 'stopped',
    pid: null,
    version: JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version,
    home: machine.home.mcpdHome,
    port: null,
  });
  expect(await machine.ok('down', '--json')).toEqual({ stopped: false });
  expect(await machine.ok('list', '--names')).toBe('');
  const checks = await machine.ok('doctor', '--json');
  expect(checks.find((check: { topic: string }) => check.topic === 'daemon')).toMatchObject({
    verdict: 'note',
    fix: 'mcpd up',
  });
  expect(machine.home.processes()).toEqual([]);
});

test('an unknown command, option or server gets the nearest one, and the exit code of its kind', async ({
  machine,
}) => {
  const typed = await machine.cli('instal', 'weather');
  expect([typed.code, typed.stdout, typed.stderr]).toEqual([
    2,
    '',
    'mcpd: mcpd has no command instal (USAGE)\n  why  did you mean install or uninstall?\n  try  mcpd --help\n',
  ]);
  const option = await machine.cli('install', 'weather', '--nam', 'x', '--json');
  expect(option).toMatchObject({
    code: 2,
    json: { error: { code: 'USAGE', why: 'did you mean --name?' } },
    stderr: '',
  });
  const catalog = await machine.cli('install', 'wether', '--json');
  expect(catalog).toMatchObject({ code: 3, json: { error: { code: 'PACKAGE_UNKNOWN' } } });
  expect(catalog.stdout).toContain('weather');
  await machine.add('notes', 'echo');
  expect(await machine.cli('info', 'note', '--json')).toMatchObject({
    code: 3,
    json: { error: { code: 'SERVER_UNKNOWN', why: 'did you mean notes?', fix: 'mcpd list' } },
  });
  const search = await machine.cli('search', 'wether');
  expect([search.code, search.stdout, search.stderr]).toEqual([
    0,
    '',
    'Nothing in the catalog matches wether: did you mean weather?\nAny npm package can be installed: mcpd install npm:PACKAGE\n',
  ]);
  expect(await machine.cli('add', 'notes', '--json', '--', ...echo)).toMatchObject({
    code: 4,
    json: { error: { code: 'NAME_TAKEN' } },
  });
});

test('an input that nobody can be asked for is named, and a variable of the caller gives it', async ({ machine }) => {
  const missing = await machine.cli('install', 'gitlab', '--json');
  expect(missing).toMatchObject({
    code: 2,
    json: { error: { code: 'INPUT_MISSING', what: expect.stringContaining('GITLAB_PERSONAL_ACCESS_TOKEN') } },
  });
  const bare = await machine.cli('add', 'notes', '--env', 'NOTES_KEY', '--', ...echo);
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('NOTES_KEY is needed')]);
  const given = await machine.cliWith(
    { env: { NOTES_KEY: 'k-123456' } },
    'add',
    'notes',
    '--env',
    'NOTES_KEY',
    '--json',
    '--',
    ...echo,
  );
  expect(given.code).toBe(0);
  expect(given.stdout + given.stderr).not.toContain('k-123456');
  expect((await machine.ok('info', 'notes', '--json')).secrets).toContain('NOTES_KEY');
});

test('a server goes through its life by commands: added, listed, stopped, disabled, changed, removed', async ({
  machine,
}) => {
  await machine.add('notes', 'echo', [], ['--timeout', '2s']);
  expect(await machine.server('notes')).toMatchObject({
    wanted: 'down',
    state: 'stopped',
    health: 'ok',
    limits: { callTimeoutMs: 2000 },
  });
  expect(await machine.ok('start', 'notes', '--json')).toMatchObject([
    { name: 'notes', wanted: 'up', state: 'running' },
  ]);
  expect(await machine.ok('stop', 'notes')).toMatch(/^notes {2}stopped/);
  expect(await machine.ok('disable', 'notes', '--json')).toMatchObject([{ enabled: false, state: 'stopped' }]);
  expect(await machine.cli('call', 'notes__echo', 'text=x')).toMatchObject({ code: 3 });
  expect(await machine.ok('enable', 'notes', '--json')).toMatchObject([{ enabled: true }]);
  expect(await machine.ok('set', 'notes', '--timeout', 'default', '--start', 'always', '--json')).toMatchObject([
    { start: 'always', limits: { callTimeoutMs: null } },
  ]);
  await machine.reaches('notes', 'running');
  expect(await machine.ok('ps', '--tree')).toContain('notes (running)');
  expect(await machine.ok('logs', 'notes')).toMatch(/^\d{4}-\d\d-\d\d .* {2}lifecycle .*start/m);
  expect(await machine.ok('uninstall', 'notes', '--json')).toEqual({ removed: 'notes', purged: false });
  expect(await machine.ok('list', '--json')).toEqual([]);
});

test('a server that cannot be tried is refused with its step and last words, and leaves nothing behind', async ({
  machine,
}) => {
  const refused = await machine.cli('add', 'broken', '--json', '--', ...fake('exits-at-once'));
  expect(refused).toMatchObject({ code: 5, json: { error: { step: 'trial start' } } });
  expect(refused.json.error.stderrTail.length).toBeGreaterThan(0);
  const nowhere = await machine.cli('add', 'broken', '--', 'no-such-command-anywhere');
  expect([nowhere.code, nowhere.stderr]).toEqual([5, expect.stringContaining('COMMAND_NOT_FOUND')]);
  expect(await machine.ok('list', '--json')).toEqual([]);
});

test('nothing of a server reaches the terminal with control characters in it, by whatever command', async ({
  machine,
}) => {
  await machine.add('hostile', 'hostile-text');
  const seen: Ran[] = [
    await machine.cli('call', 'hostile__speak'),
    await machine.cli('call', 'hostile__speak', 'fail=true'),
  ];
  const commands = [
    'list',
    'tools',
    'calls',
    'sessions',
    'ps --tree',
    'info hostile',
    'logs hostile',
    'doctor',
    'restart hostile',
    'export',
  ];
  for (const command of commands)
    seen.push(await machine.cli(...command.split(' ')), await machine.cli(...command.split(' '), '--json'));
  for (const { stdout, stderr } of seen) expect(stdout + stderr).not.toMatch(CONTROL);
  expect(seen[0]?.stdout).toContain('\\x1b[2J');
  expect(seen[1]?.code).toBe(5);
  expect((await machine.ok('call', 'hostile__speak', '--json')).content[0].text).toContain('\u001b[2J');
});

test('arguments are typed by the schema of the tool', async ({ machine }) => {
  await machine.add('notes', 'echo');
  await machine.ok('call', 'notes__echo', 'text=007', 'flag:=true', 'list:=[1,2]');
  expect(machine.records('call').at(-1)?.['args']).toEqual({ text: '007', flag: true, list: [1, 2] });
  expect(await machine.ok('call', 'notes__add', 'a=1.5', 'b=2')).toBe('3.5\n');
  expect(await machine.ok('call', 'notes__echo', '--json', '{"text":"x"}', '--json')).toMatchObject({
    content: [{ text: 'x' }],
  });
  expect(await machine.cli('call', 'notes__add', 'a=one', 'b=2')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a=3'),
  });
  expect(await machine.cli('call', 'notes__ecko', 'text=x')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('notes__echo'),
  });
});

test('a result as JSON is what the server wrote, with all digits of its numbers', async ({ machine }) => {
  await machine.add('big', 'big');
  const said = await machine.cli('call', 'big__blob', 'bytes=40', 'kind=numbers', '--json');
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toContain('9007199254740993,');
});

test('a declared set is applied, exported, and found unchanged when it is applied again', async ({ machine }) => {
  const file = join(machine.home.root, 'mcpd.json');
  const [command, ...args] = echo;
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { one: { command, args }, two: { command, args, enabled: false } } }),
  );
  expect(await machine.ok('apply', '-f', file, '--dry-run', '--json')).toMatchObject({
    added: ['one', 'two'],
    failed: [],
  });
  expect(await machine.ok('list', '--json')).toEqual([]);
  expect(await machine.ok('apply', '-f', file)).toBe('+ one\n+ two\n');
  expect(await machine.ok('apply', '-f', file, '--json')).toMatchObject({
    added: [],
    changed: [],
    unchanged: ['one', 'two'],
  });
  expect(Object.keys((await machine.ok('export', '--json')).mcpServers)).toEqual(['one', 'two']);
  writeFileSync(file, '{"mcpServers": {"one": ');
  expect(await machine.cli('apply', '-f', file, '--json')).toMatchObject({
    code: 2,
    json: { error: { code: 'CONFIG_INVALID' } },
  });
  expect(await machine.ok('list', '--names')).toBe('one\ntwo\n');
});

test('Ctrl-C in an install ends it with 130 and leaves nothing behind', async ({ machine }) => {
  await machine.ok('up');
  const child = inTerminal(machine, 'add', 'slow', '--', ...fake('never-answers'));
  await until('the trial to start', async () => {
    if (!child.said().includes('trial start')) throw new Error(child.said());
    return true;
  });
  child.process.kill('SIGINT');
  expect(await child.ended).toBe(130);
  expect(child.said()).toContain('Interrupted: what was begun is undone.');
  expect(await machine.ok('list', '--json')).toEqual([]);
  await until('the trial to be gone', async () => {
    const { servers } = await machine.ok('ps', '--json');
    if (servers.length > 0) throw new Error(JSON.stringify(servers));
    return true;
  });
});

test('a followed log shows new lines as they come, and ends with Ctrl-C', async ({ machine }) => {
  await machine.add('notes', 'echo');
  const child = inTerminal(machine, 'logs', 'notes', '-f', '--json');
  const lines = () =>
    child
      .said()
      .split('\n')
      .filter((line) => line.startsWith('{'));
  await until('the past lines', async () => (lines().length > 0 ? true : Promise.reject(new Error(child.said()))));
  const before = lines().length;
  await machine.ok('start', 'notes');
  await until('the new lines', async () => (lines().length > before ? true : Promise.reject(new Error(child.said()))));
  child.process.kill('SIGINT');
  expect(await child.ended).toBe(130);
  expect(JSON.parse(lines().at(-1) ?? '')).toMatchObject({
    at: expect.any(Number),
    source: expect.any(String),
    text: expect.any(String),
  });
});

test('a followed log ends with its server', async ({ machine }) => {
  await machine.add('notes', 'echo');
  await machine.ok('start', 'notes');
  const child = inTerminal(machine, 'logs', 'notes', '-f');
  await until('the past lines', () => child.said().includes('lifecycle'));
  await machine.ok('uninstall', 'notes');
  expect(await child.ended).toBe(0);
  const lines = child.said().trimEnd().split('\n');
  expect(lines.at(-1)).toBe('notes was uninstalled, and its log has ended.');
  expect(lines.at(-2)).toMatch(/lifecycle/);
});

test('a reader that goes away early is no error', async ({ machine }) => {
  await machine.ok('up');
  const child = inTerminal(machine, 'search');
  child.process.stdout?.destroy();
  expect(await child.ended).toBe(0);
});

test("a program of Mozilla's name on PATH is recognised by the doctor", async ({ machine }) => {
  const folder = join(machine.home.root, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'mcpd'), Buffer.from('7f454c4602010100', 'hex'), { mode: 0o755 });
  const path = `${folder}:${machine.home.env['PATH']}`;
  const ran = await machine.cliWith({ env: { PATH: path } }, 'doctor', '--json');
  expect(ran.json).toContainEqual(
    expect.objectContaining({ topic: 'command', verdict: 'warning', text: expect.stringContaining('Mozilla') }),
  );
});

test('docs/cli-json.md has every field that status, list, info, tools and calls print', async ({ machine }) => {
  await machine.add('notes', 'echo');
  await machine.ok('call', 'notes__echo', 'text=x');
  const page = readFileSync(join(packageRoot(), 'docs', 'cli-json.md'), 'utf8');
  const printed = [
    await machine.ok('status', '--json'),
    (await machine.ok('list', '--json'))[0],
    await machine.ok('info', 'notes', '--json'),
    (await machine.ok('tools', '--json'))[0],
    await until(
      'the call in the history',
      async () => (await machine.ok('calls', '--json'))[0] ?? Promise.reject(new Error('none')),
    ),
  ];
  for (const value of printed) for (const field of Object.keys(value)) expect(page, field).toContain(`\`${field}\``);
  expect(existsSync(join(machine.package, 'docs', 'cli-json.md'))).toBe(true);
});

/** A command that is watched while it runs. */
function inTerminal(machine: Machine, ...args: string[]) {
  const program = join(machine.package, 'dist', 'mcpd.js');
  const child = spawn(process.execPath, [program, ...args], {
    env: machine.home.env,
    cwd: machine.home.userHome,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  machine.home.track(child.pid);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { process: child, said: () => said, ended };
}
