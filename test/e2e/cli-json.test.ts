import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { run } from '../harness/cli.ts';
import { fake } from '../harness/fake.ts';
import { test } from '../harness/machine.ts';

/** Every command's JSON has at least the fields that docs/cli-json.md promises; the page itself is read, so that it cannot drift. */
test('what --json prints has the fields that docs/cli-json.md lists', async ({ machine }) => {
  const host = await machine.connected();
  await machine.add('echo', 'echo');
  await host.call('echo__echo', { text: 'hello' });

  const status = await machine.ok('status', '--json');
  expect(status).toMatchObject({ home: machine.home.mcpdHome, port: machine.home.port, engine: 'direct', servers: 1 });
  expectFields(status, 'status');
  const [server] = await machine.ok('list', '--json');
  expect(server).toMatchObject({ name: 'echo', state: 'running', wanted: 'up', health: 'ok', calls: 1, starts: 1 });
  expectFields(server, 'list');
  const info = await machine.ok('info', 'echo', '--json');
  expectFields(info, 'list');
  expectFields(info, 'info NAME');
  expect(info.lists.tools[0]).toEqual({ name: 'echo__echo', raw: 'echo', description: 'Says the same', onlyFor: null });
  expect(info.transitions).toContainEqual(expect.objectContaining({ from: 'starting', to: 'running' }));
  expectFields(await machine.ok('install', 'weather', '--dry-run', '--json'), 'install --dry-run');
  expectFields(await machine.ok('add', 'other', '--json', '--', ...fake('slow')), 'install');
  expect((await machine.ok('tools', 'echo', '--json'))[0]).toMatchObject({
    server: 'echo',
    name: 'echo__echo',
    raw: 'echo',
    description: 'Says the same',
    inputSchema: { type: 'object' },
  });
  expect((await machine.ok('ps', '--json')).servers[0]).toMatchObject({
    server: 'echo',
    instance: 'echo',
    state: 'running',
    root: { pid: server.pid, rssBytes: expect.any(Number), children: [] },
    strays: [],
  });
  expect((await machine.ok('sessions', '--json'))[0]).toMatchObject({
    host: expect.stringContaining('scripted-host'),
    era: 'legacy',
    protocolVersion: '2025-11-25',
    openCalls: 0,
    calls: 1,
  });
  const [hit] = await machine.ok('search', 'filesystem', '--json');
  expectFieldsNamed(hit, ['name', 'title', 'description', 'origin', 'inputs', 'installed']);
  for (const check of (await machine.cli('doctor', '--json')).json)
    expectFieldsNamed(check, ['topic', 'verdict', 'text', 'fix', 'exit']);
  expectFieldsNamed(await machine.ok('dashboard', '--no-open', '--json'), ['url', 'expiresInMs']);
});

test('past calls are listed with who, what, how long and how it ended', async ({ machine }) => {
  await machine.add('echo', 'echo');
  await machine.cli('call', 'echo__fail');
  await machine.ok('call', 'echo__echo', 'text=hello');
  const calls = await machine.ok('calls', '--json');
  expect(calls).toMatchObject([
    { server: 'echo', method: 'tools/call', target: 'echo', outcome: 'ok', errorCode: null },
    { server: 'echo', method: 'tools/call', target: 'fail', outcome: 'tool-error' },
  ]);
  for (const call of calls)
    expectFieldsNamed(call, ['at', 'host', 'queuedMs', 'totalMs', 'requestBytes', 'responseBytes']);
  expect(JSON.stringify(calls)).not.toContain('hello');
});

test('call prints the text of a result; as JSON the result itself, with all digits; a tool that fails is exit code 5', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.add('big', 'big');
  expect(await machine.ok('call', 'echo__echo', 'text=hello world')).toBe('hello world\n');
  expect(await machine.ok('call', 'echo__add', 'a=1', 'b=2', '--json')).toMatchObject({
    structuredContent: { sum: 3 },
  });
  expect(await machine.ok('call', 'echo__echo', '--json', '{"text":"{}"}')).toMatchObject({
    content: [{ text: '{}' }],
  });
  const digits = await machine.cli('call', 'big__blob', '--json', '{"bytes":10,"kind":"numbers"}');
  expect(digits.stdout).toContain('9007199254740993');
  const failed = await machine.cli('call', 'echo__fail');
  expect([failed.code, failed.stdout]).toEqual([5, 'it did not work\n']);
});

test('logs show what a server wrote to stderr and what happened to it, and follow it on demand', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.ok('call', 'echo__log', 'text=from the server\u001b[2Jand more');
  const lines = (await machine.cli('logs', 'echo', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of lines) expectFieldsNamed(line, ['at', 'source', 'level', 'text']);
  expect(lines).toContainEqual(expect.objectContaining({ source: 'stderr', text: 'from the server\u001b[2Jand more' }));
  expect(lines).toContainEqual(expect.objectContaining({ source: 'lifecycle', text: 'running' }));
  const shown = await machine.ok('logs', 'echo');
  expect(shown).toContain('from the server');
  expect(shown).not.toContain('\u001b');
});

test('errors are JSON too, and their exit codes are those of the page', async ({ machine }) => {
  const ran = await machine.cli('info', 'nothing', '--json');
  expect(ran.code).toBe(3);
  expect(ran.json.error).toMatchObject({ code: 'SERVER_UNKNOWN', what: expect.any(String) });
  expectFieldsNamed(ran.json.error, ['code', 'what', 'why', 'fix']);
});

test('what is exported can be applied on another machine, and applying it again changes nothing', async ({
  machine,
}) => {
  await machine.ok('install', 'todo');
  await machine.add('echo', 'echo', ['--more', '2'], ['--timeout', '30s', '--start', 'manual']);
  const exported = await machine.ok('export');
  const set = JSON.parse(exported);
  expect(set.mcpServers.todo).toMatchObject({ install: 'todo' });
  expect(set.mcpServers.echo).toMatchObject({
    command: process.execPath,
    start: 'manual',
    limits: { callTimeoutMs: 30_000 },
  });
  await machine.ok('uninstall', 'todo', '--yes');
  await machine.ok('uninstall', 'echo', '--yes');

  const file = join(machine.home.root, 'mcpd.json');
  writeFileSync(file, exported);
  expect(await machine.ok('apply', '-f', file, '--dry-run', '--json')).toMatchObject({ added: ['echo', 'todo'] });
  expect(await machine.ok('list', '--json')).toEqual([]);
  const applied = await machine.ok('apply', '-f', file, '--json');
  expect(applied).toEqual({
    added: ['echo', 'todo'],
    changed: [],
    removed: [],
    unchanged: [],
    failed: [],
    warnings: [],
    secrets: [],
  });
  expect(await machine.ok('apply', '-f', file, '--json')).toMatchObject({ added: [], unchanged: ['echo', 'todo'] });
  await machine.listed('todo');
  expect(await machine.ok('call', 'todo__add_todo_item', 'text=x')).toContain('x');
  writeFileSync(file, JSON.stringify({ mcpServers: { todo: set.mcpServers.todo } }));
  // The daemon follows the file: either it has applied what was saved already, or this does.
  const again = await machine.ok('apply', '-f', file, '--json');
  expect(again).toMatchObject({ added: [], changed: [], unchanged: ['todo'], failed: [] });
  expect([[], ['echo']]).toContainEqual(again.removed);
  expect(await machine.ok('list', '--json')).toMatchObject([{ name: 'todo' }]);
  const told = await machine.cli('apply', '-f', file);
  expect(told.stderr).toContain(`mcpd follows ${file}: what is saved there is applied by itself`);
});

test('the completion script of bash completes commands, options and the names of servers', async ({ machine }) => {
  await machine.add('weather', 'echo');
  const script = join(machine.home.root, 'completion.bash');
  writeFileSync(script, await machine.ok('completion', 'bash'));
  const binary = join(machine.home.folder('bin'), 'mcpd');
  writeFileSync(binary, `#!/bin/sh\nexec ${process.execPath} ${join(machine.package, 'dist/mcpd.js')} "$@"\n`, {
    mode: 0o755,
  });
  const complete = async (...words: string[]) => {
    const array = words.map((word) => `'${word}'`).join(' ');
    const lines = `. ${script}; COMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; $(complete -p mcpd | sed 's/.*-F \\([^ ]*\\).*/\\1/'); echo "\${COMPREPLY[@]}"`;
    const env = { ...machine.home.env, PATH: `${join(machine.home.root, 'bin')}:${machine.home.env['PATH']}` };
    return (await run(['bash', '-c', lines], { env, cwd: machine.home.userHome })).stdout.trim().split(/\s+/);
  };
  expect(await complete('mcpd', 'ins')).toEqual(['install']);
  expect(await complete('mcpd', 'info', 'we')).toEqual(['weather']);
  expect(await complete('mcpd', 'add', '--no')).toEqual(['--no-trial']);
});

// — internal —

function expectFields(value: object, heading: string): void {
  const fields = fieldsUnder(heading);
  expect(fields.length, `fields of ${heading} in docs/cli-json.md`).toBeGreaterThan(2);
  expectFieldsNamed(value, fields);
}

function expectFieldsNamed(value: object, fields: readonly string[]): void {
  expect(Object.keys(value)).toEqual(expect.arrayContaining([...fields]));
}

/** The names in the first column of the table under a heading of the page that has these words. */
function fieldsUnder(heading: string): string[] {
  const page = readFileSync(join(packageRoot(), 'docs', 'cli-json.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`\`${heading}`)) ?? '';
  const rows = section.split('\n').filter((line) => /^\| `/.test(line));
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ''));
}
