import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { Host } from '../harness/host.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { type NpmRegistry, startNpmRegistry } from '../harness/npm-registry.ts';
import { openMeteoStandIn } from '../harness/open-meteo.ts';

const SERVER = `#!/usr/bin/env node
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize')
    answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer({ tools: [{ name: 'argv', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') answer({ content: [{ type: 'text', text: JSON.stringify(process.argv.slice(2)) }] });
});
`;

test('in an empty home, installing weather ends with the names of its tools and the entry that shows them to a host', async ({
  machine,
}) => {
  const said = await machine.ok('install', 'weather');
  expect(said).toContain('  weather__get_current_weather\n  weather__get_weather_forecast\n');

  const { mcpServers } = JSON.parse(/^\{\n.*?^\}$/ms.exec(said)?.[0] ?? '');
  const { command, args, env } = mcpServers.mcpd;
  const host = new Host([command, ...args], { env: { PATH: machine.home.env['PATH'], ...env } });
  await host.init();
  expect(await host.toolNames()).toEqual(['weather__get_current_weather', 'weather__get_weather_forecast']);
  await host.close();
});

test('a server that was just installed is called from the terminal and from a host', async ({ machine }) => {
  const meteo = await openMeteoStandIn();
  const addresses = Object.entries(meteo.env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  expect(await machine.ok('install', 'weather', ...addresses, '--json')).toMatchObject({
    server: { name: 'weather', state: 'stopped', health: 'ok', counts: { tools: 2 } },
    tools: [{ name: 'weather__get_current_weather', raw: 'get_current_weather', server: 'weather' }, {}],
    hosts: [],
    hostEntry: { command: process.execPath },
  });
  expect(await machine.ok('call', 'weather__get_current_weather', 'city=Turin')).toContain('Turin');
  const host = await machine.connected();
  expect(textOf(await host.call('weather__get_current_weather', { city: 'Turin' }))).toContain('Turin');
  await meteo.close();
});

test('installing while a host is connected names the host, and has no entry to paste', async ({ machine }) => {
  const host = await machine.connected();
  const said = await machine.ok('install', 'todo');
  expect(said).toContain('todo__add_todo_item');
  expect(said).toContain('scripted-host');
  expect(said).not.toContain('mcpServers');
  expect(await host.toolNames()).toHaveLength(6);
});

test('a package of npm is installed at an exact version and started with node itself; a failed install leaves nothing', async ({
  machine,
}) => {
  await withRegistry(machine, async () => {
    const failures = [
      ['npm:@acme/mcp@9.9.9', 3, 'VERSION_UNKNOWN', 'fetch'],
      ['npm:@acme/nothing', 3, 'PACKAGE_UNKNOWN', 'fetch'],
      ['npm:@acme/library', 5, 'PACKAGE_NOT_RUNNABLE', 'fetch'],
      ['npm:@acme/broken', 5, 'SERVER_START_FAILED', 'trial start'],
      ['./nowhere', 3, 'FOLDER_UNKNOWN', undefined],
    ] as const;
    for (const [spec, code, error, step] of failures) {
      const ran = await machine.cli('install', spec, '--json');
      expect([spec, ran.code, ran.json.error.code, ran.json.error.step]).toEqual([spec, code, error, step]);
      expect(ran.json.error.fix, spec).toEqual(expect.any(String));
      if (error === 'SERVER_START_FAILED') expect(ran.json.error.stderrTail).toEqual(['no key given']);
    }
    expect(await machine.ok('list', '--json')).toEqual([]);
    for (const folder of ['packages', 'data', 'logs']) expect([folder, left(machine, folder)]).toEqual([folder, []]);

    const installed = await machine.ok('install', 'npm:@acme/mcp', '--name', 'acme', '--json', '--', '--loud', 'a b');
    expect(installed.server.source).toMatchObject({
      kind: 'npm',
      package: { identifier: '@acme/mcp', version: '1.4.2', integrity: expect.stringMatching(/^sha512-/) },
    });
    expect(await machine.ok('call', 'acme__argv')).toContain('["--loud","a b"]');
    const [{ root }] = (await machine.ok('ps', '--json')).servers;
    expect(root.command).toContain(`${process.execPath} ${join(machine.home.mcpdHome, 'packages', 'acme')}`);
  });
});

test('a name that is taken is refused, and the server that has it stays', async ({ machine }) => {
  await machine.add('notes', 'echo');
  const again = await machine.cli('add', 'notes', '--', ...fake('slow'));
  expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('NAME_TAKEN')]);
  expect(again.stderr).toContain('try');
  expect(await machine.ok('tools', 'notes')).toContain('notes__echo');
  const respelt = await machine.ok('add', 'Our Notes', '--json', '--', ...fake('slow'));
  expect(respelt.server.name).toBe('our-notes');
  expect((await machine.cli('add', 'mcpd', '--', ...fake('slow'))).stderr).toContain('NAME_INVALID');
});

test('unknown names of servers, tools, catalog entries and commands are answered with the closest ones', async ({
  machine,
}) => {
  await machine.add('weather', 'echo');
  const questions = [
    [['info', 'wether'], 3, 'weather'],
    [['start', 'weathr'], 3, 'weather'],
    [['logs', 'waether'], 3, 'weather'],
    [['call', 'weather__ecko', 'text=x'], 3, 'weather__echo'],
    [['install', 'filesytem'], 3, 'filesystem'],
    [['instal', 'weather'], 2, 'install'],
    [['list', '--jsn'], 2, '--json'],
  ] as const;
  for (const [args, code, close] of questions) {
    const ran = await machine.cli(...args);
    expect([args.join(' '), ran.code, ran.stdout]).toEqual([args.join(' '), code, '']);
    expect(ran.stderr).toMatch(new RegExp(`did you mean .*${close}`));
  }
});

test('a command that is missing, or may not be executed, or is a folder is refused as such', async ({ machine }) => {
  const { userHome } = machine.home;
  writeFileSync(join(userHome, 'plain.txt'), 'not a program', { mode: 0o644 });
  mkdirSync(join(userHome, 'folder'));
  const commands = [
    ['no-such-program-anywhere', 'COMMAND_NOT_FOUND'],
    ['./missing', 'COMMAND_NOT_FOUND'],
    ['./plain.txt', 'COMMAND_NOT_EXECUTABLE'],
    ['./folder', 'COMMAND_NOT_EXECUTABLE'],
  ] as const;
  for (const [command, code] of commands) {
    const ran = await machine.cli('add', 'bad', '--json', '--', command);
    expect([command, ran.code, ran.json.error.code]).toEqual([command, 5, code]);
  }
  expect(await machine.ok('list', '--json')).toEqual([]);
});

test('uninstall keeps the data of a server, and --purge removes it', async ({ machine }) => {
  await machine.ok('install', 'todo');
  await machine.ok('call', 'todo__add_todo_item', 'text=water the plants');
  expect(await machine.ok('uninstall', 'todo', '--yes', '--json')).toEqual({ removed: 'todo', purged: false });
  await machine.ok('install', 'todo');
  expect(await machine.ok('call', 'todo__list_todo_items')).toContain('water the plants');
  expect(await machine.ok('uninstall', 'todo', '--yes', '--purge', '--json')).toEqual({
    removed: 'todo',
    purged: true,
  });
  expect(left(machine, 'data')).toEqual([]);
});

// — internal —

function left(machine: Machine, folder: string): string[] {
  const path = join(machine.home.mcpdHome, folder);
  return existsSync(path) ? readdirSync(path) : [];
}

/** Lends the machine a registry of npm with a few packages. */
async function withRegistry(machine: Machine, work: () => Promise<void>): Promise<void> {
  const npm: NpmRegistry = await startNpmRegistry(machine.home.folder('published'), [
    { manifest: { name: '@acme/mcp', version: '1.4.2', bin: 'cli.js' }, files: { 'cli.js': SERVER } },
    { manifest: { name: '@acme/library', version: '1.0.0', main: 'index.js' }, files: { 'index.js': '' } },
    {
      manifest: { name: '@acme/broken', version: '1.0.0', bin: 'cli.js' },
      files: { 'cli.js': '#!/usr/bin/env node\nconsole.error("no key given");process.exit(3)' },
    },
  ]);
  writeFileSync(join(machine.home.userHome, '.npmrc'), `registry=${npm.url}\n`);
  try {
    await work();
  } finally {
    await npm.close();
  }
}
