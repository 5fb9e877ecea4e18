import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { procExists } from '../harness/processes.ts';
import { keptText } from '../harness/secrets.ts';
import { until } from '../harness/until.ts';

const SECRET = 'tr0ub4dor-and-a-long-enough-3xample';

test('a secret reaches its server, lies encrypted in one file that is private, and is in nothing that mcpd writes or shows', async ({
  machine,
}) => {
  await machine.startDaemon();
  await machine.ok('add', 'bank', '--env', `API_TOKEN=${SECRET}`, '--', ...fake('echo'));
  const host = await machine.connected();
  const { env } = JSON.parse(textOf(await host.call('bank__env')));
  expect(env.API_TOKEN).toBe(SECRET);
  // The server is careless, and says it in its log and as its last words.
  await host.call('bank__log', { text: `using ${SECRET}` });
  await host.call('bank__log', { text: `as base64: ${Buffer.from(SECRET).toString('base64')}` });
  const { pid } = await machine.server('bank');
  const dying = host.call('bank__sleep', { ms: 60_000 });
  await until('the call to arrive', async () => (await machine.server('bank')).openCalls === 1);
  process.kill(pid ?? 0, 'SIGKILL');
  expect(JSON.stringify(await dying)).not.toContain(SECRET);

  const shown = await Promise.all(
    [
      ['list', '--json'],
      ['info', 'bank', '--json'],
      ['info', 'bank'],
      ['logs', 'bank'],
      ['logs', 'bank', '--json'],
      ['export'],
      ['ps', '--tree'],
      ['calls', '--json'],
      ['doctor'],
      ['status'],
    ].map(async (args) => [args.join(' '), await machine.cli(...args)] as const),
  );
  for (const [command, { stdout, stderr }] of shown) expect(stdout + stderr, command).not.toContain(SECRET);
  expect((await machine.ok('info', 'bank', '--json')).secrets).toEqual(['API_TOKEN']);
  expect(JSON.parse(await machine.ok('export')).mcpServers.bank.env.API_TOKEN).toBe(`\${secret:API_TOKEN}`);
  expect(await machine.ok('logs', 'bank')).toContain('using ');

  await machine.ok('down');
  expect(filesWith(machine.home.root, SECRET)).toEqual([]);
  expect(keptText(machine.home.mcpdHome)).toContain(SECRET);
  expect(statSync(join(machine.home.mcpdHome, 'secrets.enc')).mode & 0o777).toBe(0o600);
});

test('every file of the home is private to its owner', async ({ machine }) => {
  await machine.ok('up');
  await machine.ok('install', 'todo');
  await machine.ok('call', 'todo__add_todo_item', 'text=x');
  const open = filesIn(machine.home.mcpdHome).filter((path) => {
    const { mode } = statSync(path);
    return !path.includes('/data/') && (mode & 0o077) !== 0;
  });
  expect(open).toEqual([]);
  expect(statSync(machine.home.mcpdHome).mode & 0o777).toBe(0o700);
});

test('a server gets the variables that were named for it and a short list of usual ones, and none of whoever started mcpd', async ({
  machine,
}) => {
  const starter = {
    AWS_SECRET_ACCESS_KEY: SECRET,
    MY_OWN_SETTING: 'private',
    XDG_CACHE_HOME: '/caches',
    TZ: 'Europe/Rome',
  };
  const host = await machine.connected({ env: starter });
  const add = await machine.cliWith({ env: starter }, 'add', 'echo', '--env', 'GIVEN=to it', '--', ...fake('echo'));
  expect(add.code).toBe(0);
  const { env, cwd } = JSON.parse(textOf(await host.call('echo__env')));
  expect(env).toMatchObject({ GIVEN: 'to it', HOME: machine.home.userHome, XDG_CACHE_HOME: '/caches' });
  expect(env.PATH).toContain('/');
  for (const name of ['AWS_SECRET_ACCESS_KEY', 'MY_OWN_SETTING', 'MCPD_HOME', 'MCPD_PORT', 'PM2_HOME', 'NODE_OPTIONS'])
    expect(Object.keys(env)).not.toContain(name);
  expect(cwd).toBe(machine.home.userHome);

  // The same through pm2, which hands its caller's environment on and keeps it.
  await machine.ok('down');
  expect((await machine.cliWith({ env: starter }, 'up')).code).toBe(0);
  const again = JSON.parse(textOf(await host.call('echo__env'))).env;
  expect(again).toMatchObject({ GIVEN: 'to it' });
  expect(JSON.stringify(again)).not.toContain(SECRET);
  expect(filesWith(machine.home.root, SECRET)).toEqual([]);
  if (procExists()) {
    const { daemon } = await machine.ok('ps', '--json');
    expect(readFileSync(`/proc/${daemon.pid}/environ`, 'latin1')).not.toContain(SECRET);
  }
});

test('a secret that is changed by a new add is used from the next start on; uninstalling removes it', async ({
  machine,
}) => {
  await machine.startDaemon();
  await machine.ok('add', 'bank', '--env', `API_TOKEN=${SECRET}`, '--', ...fake('echo'));
  await machine.ok('uninstall', 'bank', '--yes');
  expect(filesWith(machine.home.root, SECRET)).toEqual([]);
  await machine.ok('add', 'bank', '--env', 'API_TOKEN=another value', '--', ...fake('echo'));
  const host = await machine.connected();
  expect(JSON.parse(textOf(await host.call('bank__env'))).env.API_TOKEN).toBe('another value');
});

test('a secret is set from standard input, restarts what runs, is listed by name, and can be removed', async ({
  machine,
}) => {
  await machine.startDaemon();
  await machine.ok('add', 'bank', '--env', 'API_TOKEN=the first value', '--', ...fake('echo'));
  const host = await machine.connected();
  const token = async () => JSON.parse(textOf(await host.call('bank__env'))).env.API_TOKEN;
  const set = (input: string, ...more: string[]) =>
    machine.cliWith({ input }, 'secret', 'set', 'bank', 'API_TOKEN', ...more);
  expect((await set('the second value\n')).stdout).toBe('API_TOKEN of bank is set; its next start will use it.\n');
  expect(await token()).toBe('the second value');
  const { pid } = await machine.server('bank');
  expect((await set(`${SECRET}\n`)).stdout).toBe('API_TOKEN of bank is set, and it was restarted: running.\n');
  expect(await token()).toBe(SECRET);
  expect((await machine.server('bank')).pid).not.toBe(pid);

  expect((await set('')).stderr).toContain('API_TOKEN was given no value (INPUT_MISSING)');
  expect(await machine.cliWith({ input: 'x' }, 'secret', 'set', 'bank', 'API_TOKE', '--json')).toMatchObject({
    code: 3,
    json: { error: { code: 'SECRET_UNKNOWN', why: 'did you mean API_TOKEN?' } },
  });
  expect(await machine.cliWith({ input: 'x' }, 'secret', 'set', 'bnk', 'API_TOKEN', '--json')).toMatchObject({
    code: 3,
    json: { error: { code: 'SERVER_UNKNOWN', why: 'did you mean bank?', fix: 'mcpd list' } },
  });
  expect(await machine.ok('secret', 'list')).toContain('API_TOKEN');
  expect(await machine.ok('secret', 'where')).toMatch(
    /^Secrets are kept encrypted in .*secrets\.enc; their key is in .*secrets\.key/,
  );
  expect(await machine.ok('secret', 'list', 'bank', '--json')).toEqual([
    { server: 'bank', name: 'API_TOKEN', state: 'used' },
  ]);

  const removed = await machine.cli('secret', 'rm', 'bank', 'API_TOKEN');
  expect([removed.code, removed.stdout]).toEqual([0, 'API_TOKEN of bank is removed.\n']);
  expect(removed.stderr).toContain('mcpd secret set bank API_TOKEN');
  expect(await machine.cli('restart', 'bank', '--json')).toMatchObject({
    code: 5,
    json: { error: { why: expect.stringContaining('mcpd secret set bank API_TOKEN') } },
  });
  expect((await set('the third value')).code).toBe(0);
  expect(await token()).toBe('the third value');
});

test('secrets that a killed install left are named by the doctor and removed by one command', async ({ machine }) => {
  mkdirSync(machine.home.mcpdHome, { recursive: true, mode: 0o700 });
  const left = { version: 1, secrets: { ghost: { A: SECRET, B: 'b' }, bank: { OLD: 'o' } } };
  writeFileSync(join(machine.home.mcpdHome, 'secrets.json'), JSON.stringify(left), { mode: 0o600 });
  await machine.startDaemon();
  const checks = await machine.ok('doctor', '--json');
  expect(checks.filter(({ topic }: { topic: string }) => topic === 'secrets')).toMatchObject([
    { verdict: 'warning', fix: 'mcpd secret rm bank' },
    { verdict: 'warning', text: 'there is no server ghost, and A, B is kept for it', fix: 'mcpd secret rm ghost' },
  ]);
  expect(await machine.ok('secret', 'remove', 'ghost', '--json')).toEqual({ removed: ['A', 'B'] });
  expect(await machine.ok('secret', 'remove', 'bank', 'OLD', '--json')).toEqual({ removed: ['OLD'] });
  expect(await machine.ok('secret', 'list', '--json')).toEqual([]);
  expect(filesWith(machine.home.root, SECRET)).toEqual([]);
});

test('a server gets what it names of the environment that a login shell has, masked where it prints it; what is set nowhere is told', async ({
  machine,
}) => {
  const profile = join(machine.home.userHome, '.profile');
  writeFileSync(profile, `export BANK_TOKEN='${SECRET}' OTHER_TOKEN='not asked for'\n`);
  await machine.startDaemon();
  await machine.ok(
    'add',
    'bank',
    '--no-trial',
    '--env',
    `API_TOKEN=\${env:BANK_TOKEN}`,
    '--',
    ...fake('echo'),
    `--as=\${env:BANK_USER}`,
  );
  const missing = await machine.cli('start', 'bank', '--json');
  expect(missing).toMatchObject({
    code: 5,
    json: {
      error: {
        why: expect.stringMatching(
          /bank needs the variable BANK_USER, which is not set.*export BANK_USER.*mcpd restart bank/s,
        ),
      },
    },
  });
  // The profile is read at each start.
  writeFileSync(profile, `export BANK_TOKEN='${SECRET}' OTHER_TOKEN='not asked for' BANK_USER=ada\n`);
  const host = await machine.connected();
  await machine.ok('restart', 'bank');
  const { env } = JSON.parse(textOf(await host.call('bank__env')));
  expect(env.API_TOKEN).toBe(SECRET);
  expect(env).not.toHaveProperty('BANK_TOKEN');
  expect(env).not.toHaveProperty('OTHER_TOKEN');
  await host.call('bank__log', { text: `using ${SECRET}` });
  expect(await machine.ok('logs', 'bank')).toContain('using ***');
  const exported = await machine.ok('export');
  expect(JSON.parse(exported).mcpServers.bank).toMatchObject({ env: { API_TOKEN: `\${env:BANK_TOKEN}` } });
  await machine.ok('down');
  expect(filesWith(machine.home.root, SECRET)).toEqual([profile]);

  // The same from a file, as another machine would take it.
  const file = join(machine.home.root, 'set.json');
  writeFileSync(file, exported);
  await machine.ok('uninstall', 'bank', '--yes');
  await machine.ok('apply', '-f', file);
  expect(JSON.parse(textOf(await host.call('bank__env'))).env.API_TOKEN).toBe(SECRET);
});

// — internal —

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function filesWith(folder: string, text: string): string[] {
  return filesIn(folder).filter((path) => readFileSync(path, 'latin1').includes(text));
}
