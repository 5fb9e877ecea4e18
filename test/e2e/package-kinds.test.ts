import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { type FakeTools, fakeTools } from '../harness/fake-tools.ts';
import { type Machine, test } from '../harness/machine.ts';
import { until } from '../harness/until.ts';

const SECRET = 'kq7Vd02mZx81LpWc55';
/** In the daemon's own environment: no server's business. */
const PERSONS = 'ghp_9fA3bC71xYw0';

/** What a home has whatever was installed. The history is of names and times. */
const KEPT = /^(mcpd\.lock|secrets\.(enc|key)|history\.db(-shm|-wal)?)$/;

/** Each with the programs that mcpd runs for it, and the one that is its server. */
const KINDS = [
  { name: 'py', spec: 'pypi:acme-mcp', tools: ['uv'], server: 'acme-mcp' },
  { name: 'net', spec: 'nuget:Acme.Mcp', tools: ['dotnet'], server: 'dnx' },
  { name: 'boxed', spec: 'oci:ghcr.io/acme/mcp:1.2.3', tools: ['docker'], server: 'docker' },
];

test('packages of Python, NuGet and images are installed, listed, called and removed without a trace; secrets reach the server alone', async ({
  machine,
}) => {
  const tools = withTools(machine);
  await machine.startDaemon();
  const before = filesOf(machine);
  await Promise.all(
    KINDS.map(({ name, spec }) =>
      machine.ok('install', spec, '--name', name, '--env', `API_TOKEN=${SECRET}`, '--yes', '--json'),
    ),
  );
  const listed = (await machine.servers()).map(({ name, counts }) => [name, counts.tools]);
  expect(listed.sort()).toEqual(KINDS.map(({ name }) => [name, 1]).sort());
  for (const { name } of KINDS) expect(await machine.ok('call', `${name}__look`), name).toBe('seen\n');
  await machine.ok('stop', ...KINDS.map(({ name }) => name));

  const calls = tools.calls();
  expect(new Set(calls.map(({ program }) => program))).toEqual(
    new Set(KINDS.flatMap(({ tools: used, server }) => [...used, server])),
  );
  for (const { program, argv, env } of calls) {
    expect(argv.join(' '), program).not.toMatch(new RegExp(`${SECRET}|${PERSONS}`));
    const isServer = KINDS.some(({ server }) => server === program) && (program !== 'docker' || argv[0] === 'run');
    const words = `${program} ${argv.join(' ')}`;
    // What fetches has the person's own environment, by which npm, uv and docker reach their registries, and no server's values.
    expect([env['API_TOKEN'], env['PERSONS_TOKEN']], words).toEqual(
      isServer ? [SECRET, undefined] : [undefined, PERSONS],
    );
    if (isServer) expect(JSON.stringify(env).split(SECRET), words).toHaveLength(2);
  }

  await Promise.all(KINDS.map(({ name }) => machine.ok('uninstall', name, '--purge', '--yes')));
  await until('all containers to be ended', () => runningOf(tools).length === 0);
  await until('the ids to be forgotten', () => cidFilesOf(machine).length === 0);
  expect(filesOf(machine).filter((file) => !before.includes(file) && !KEPT.test(file))).toEqual([]);
  for (const folder of ['packages', 'data'])
    expect(readdirSync(join(machine.home.mcpdHome, folder)), folder).toEqual([]);
  for (const file of ['mcpd.lock', 'secrets.enc'])
    expect(readFileSync(join(machine.home.mcpdHome, file), 'utf8'), file).not.toMatch(/acme|boxed/i);
});

test('a container ends with its server: when that stops, when the daemon is killed, and when it is uninstalled', async ({
  machine,
}) => {
  const tools = withTools(machine);
  await machine.startDaemon();
  await machine.ok('install', 'oci:ghcr.io/acme/mcp:1.2.3', '--name', 'boxed', '--yes');
  await until('the container of the trial to be ended', () => runningOf(tools).length === 0);
  await machine.ok('start', 'boxed');
  expect(runningOf(tools)).toHaveLength(1);
  await machine.ok('stop', 'boxed');
  await until('its container to be ended', () => runningOf(tools).length === 0);
  await until('its id to be forgotten', () => cidFilesOf(machine).length === 0);

  await machine.ok('start', 'boxed');
  const [left] = runningOf(tools);
  await machine.killDaemon();
  expect(runningOf(tools)).toEqual([left]);
  await machine.startDaemon();
  await until('the container of the killed daemon to be ended', () => !runningOf(tools).includes(left ?? ''));
  // What somebody started is up again after a crash, in a container of its own.
  await machine.reaches('boxed', 'running');
  const [next, ...more] = runningOf(tools);
  expect([next === left, more]).toEqual([false, []]);
  await until('the id of the old one to be forgotten', () => `${idsIn(machine)}` === next);

  await machine.ok('uninstall', 'boxed', '--purge', '--yes');
  await until('the last container to be ended', () => runningOf(tools).length === 0);
  await until('its id to be forgotten', () => cidFilesOf(machine).length === 0);
  const removed = tools.calls().filter(({ argv }) => argv[0] === 'rm');
  expect(new Set(removed.map(({ argv }) => argv.join(' ')))).toEqual(
    new Set(tools.containers().map(({ id }) => `rm --force ${id}`)),
  );
});

// — internal —

/** Stand-ins for what fetches and runs packages, found before any that this machine has. */
function withTools({ home }: Machine): FakeTools {
  const tools = fakeTools(home.folder('programs'), ['uv', 'docker', 'dnx', 'dotnet']);
  writeFileSync(join(home.userHome, '.profile'), `PATH='${tools.folder}':$PATH\n`);
  home.env['PERSONS_TOKEN'] = PERSONS;
  return tools;
}

function runningOf(tools: FakeTools): string[] {
  return tools
    .containers()
    .filter(({ isRunning }) => isRunning)
    .map(({ id }) => id);
}

function cidFilesOf({ home }: Machine): string[] {
  const folder = join(home.mcpdHome, 'containers');
  return existsSync(folder) ? readdirSync(folder) : [];
}

function idsIn(machine: Machine): string[] {
  return cidFilesOf(machine)
    .filter((name) => !name.endsWith('.engine'))
    .map((name) => readFileSync(join(machine.home.mcpdHome, 'containers', name), 'utf8'));
}

/** Files of the home, and of the folder for temporary ones. */
function filesOf({ home }: Machine): string[] {
  return [home.mcpdHome, home.folder('tmp'), home.userHome].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(home.mcpdHome, join(entry.parentPath, entry.name))),
  );
}
