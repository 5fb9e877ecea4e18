import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { until } from '../harness/until.ts';

test('a damaged registry is refused, kept and explained, to commands and to hosts; another one in its place works', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.ok('down');
  const file = join(machine.home.mcpdHome, 'registry.db');
  const good = readFileSync(file);
  for (const beside of ['-wal', '-shm']) rmSync(file + beside, { force: true });
  const damaged = Buffer.concat([Buffer.from('this was a registry once'), good.subarray(24)]);
  writeFileSync(file, damaged);

  const ran = await machine.cli('list');
  expect([ran.code, ran.stdout]).toEqual([7, '']);
  expect(ran.stderr).toContain('REGISTRY_DAMAGED');
  expect(ran.stderr).toContain(file);
  expect(ran.stderr).toMatch(/^ {2}try /m);
  const host = machine.host();
  const refused = await host.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'scripted-host', version: '1' },
  });
  expect(refused.error?.message).toContain(file);
  expect(host.exit).toBeUndefined();
  expect(readFileSync(file).equals(damaged)).toBe(true);

  writeFileSync(file, good);
  const later = await machine.connected();
  await until('the tools', async () => (await later.toolNames()).includes('echo__echo'));
});

test('a registry of a later mcpd is refused and left as it is', async ({ machine }) => {
  await machine.startDaemon();
  await machine.ok('down');
  const file = join(machine.home.mcpdHome, 'registry.db');
  const db = new Database(file);
  db.pragma('user_version = 9999');
  db.close();
  const ran = await machine.cli('list', '--json');
  expect([ran.code, ran.json.error.code]).toEqual([7, 'REGISTRY_NEWER']);
  expect(existsSync(file)).toBe(true);
});

test('a home that others may write to is refused, with the command that mends it', async ({ machine }) => {
  const { mcpdHome } = machine.home;
  chmodSync(mcpdHome, 0o777);
  const ran = await machine.cli('list', '--json');
  expect([ran.code, ran.json.error.code]).toEqual([7, 'HOME_UNSAFE']);
  expect(ran.json.error.fix).toMatch(/^chmod 700 /);
  expect(ran.json.error.fix).toContain(mcpdHome);
  const host = machine.host();
  expect((await host.ask('ping')).error?.message).toContain('chmod 700');
  expect((await machine.cli('doctor', '--json')).code).toBe(7);
  chmodSync(mcpdHome, 0o700);
  expect(await host.init()).toMatchObject({ serverInfo: { name: 'mcpd' } });
});

test('a file in the place of the home is explained', async ({ machine }) => {
  const { mcpdHome } = machine.home;
  renameSync(mcpdHome, `${mcpdHome}-away`);
  writeFileSync(mcpdHome, '');
  const ran = await machine.cli('list', '--json');
  expect([ran.code, ran.json.error.code]).toEqual([7, 'HOME_UNSAFE']);
  expect(ran.json.error.why).toContain('not a folder');
  rmSync(mcpdHome);
  renameSync(`${mcpdHome}-away`, mcpdHome);
});

test('a set of servers that is cut in the middle, or wrong in one entry, is refused with the place, and nothing changes', async ({
  machine,
}) => {
  await machine.declare({ one: { command: fake('echo') } });
  const file = join(machine.home.root, 'declared.json');
  const whole = readFileSync(file, 'utf8');
  for (const text of [whole.slice(0, whole.length / 2), '', '[]', '{"mcpServers": 7}', '{"servers": {}}']) {
    writeFileSync(file, text);
    const ran = await machine.cli('apply', '-f', file, '--json');
    expect([text, ran.code, ran.json.error.code]).toEqual([text, 2, 'CONFIG_INVALID']);
    expect(JSON.stringify(ran.json.error)).toContain('declared.json');
  }
  expect((await machine.cli('apply', '-f', '/nowhere.json', '--json')).json.error.code).toMatch(/CONFIG_INVALID|USAGE/);
  writeFileSync(file, JSON.stringify({ mcpServers: { two: { command: 'node' }, three: { comand: 'node' } } }));
  const partly = await machine.cli('apply', '-f', file, '--json');
  expect(partly.code).not.toBe(0);
  expect(JSON.stringify(partly.json)).toContain('three');
});

test('with 64 file descriptors and 30 servers mcpd lives, says what it could not start and why, and goes on when there is room', async ({
  machine,
}) => {
  await machine.startDaemon(['/bin/sh', '-c', 'ulimit -n 64; exec "$@"', 'sh']);
  const pid = await machine.daemonPid();
  const names = Array.from({ length: 30 }, (_, n) => `s${n}`);
  await machine.declare(Object.fromEntries(names.map((name) => [name, { command: fake('slow'), start: 'manual' }])));
  const started = await machine.cli('start', ...names);
  const up = (await machine.servers()).filter(({ state }) => state === 'running').map(({ name }) => name);
  expect(up.length).toBeGreaterThan(3);
  expect(up.length).toBeLessThan(30);
  expect(started.code).not.toBe(0);
  const failed = (await machine.servers()).find(({ lastExit }) => lastExit !== null);
  expect(failed?.lastExit?.cause ?? failed?.reason).toMatch(/file descriptors|EMFILE|open files/i);
  expect(await machine.daemonPid()).toBe(pid);

  await machine.ok('stop', ...up);
  await machine.ok('stop', ...names);
  const [last = ''] = names.filter((name) => !up.includes(name));
  await machine.ok('start', last);
  const host = await machine.connected();
  await until('its tools', async () => (await host.toolNames()).includes(`${last}__fast`));
  expect(textOf(await host.call(`${last}__fast`))).toBe('fast');
  expect(await machine.daemonPid()).toBe(pid);
});

test('where no file can grow any more, calls go on, a new server is refused with the reason, and nothing is lost', async ({
  machine,
}) => {
  // Without a record file, which could not grow either.
  await machine.startDaemon();
  await machine.ok('add', 'echo', '--', ...fake('echo'));
  await machine.ok('down');
  await machine.startDaemon(['/bin/sh', '-c', 'ulimit -f 80; exec "$@"', 'sh']);
  const pid = await machine.daemonPid();
  const host = await machine.connected();
  for (let number = 0; number < 50; number++)
    expect(textOf(await host.call('echo__echo', { text: `${number}` }))).toBe(`${number}`);
  for (let number = 0; number < 30; number++) await host.call('echo__log', { text: 'x'.repeat(2000) });
  const refused = [];
  for (let number = 0; number < 8; number++) {
    const ran = await machine.cli('add', `more${number}`, '--json', '--', ...fake('echo', '--more', '40'));
    if (ran.code !== 0) refused.push(ran);
  }
  expect(refused.length).toBeGreaterThan(0);
  // The system says "file too large" here; on a full disk it says "no space left", which is DISK_FULL.
  for (const { code, json } of refused) expect([code, json.error.code]).toEqual([7, 'HOME_UNWRITABLE']);
  expect(textOf(await host.call('echo__echo', { text: 'still' }))).toBe('still');
  expect(await machine.daemonPid()).toBe(pid);
  const kept = (await machine.servers()).map(({ name }) => name);

  await machine.ok('down');
  await machine.startDaemon();
  expect((await machine.servers()).map(({ name }) => name)).toEqual(kept);
});

test('a port that is taken costs the dashboard and nothing else, and is said', async ({ machine }) => {
  const server = await occupied(machine);
  await machine.startDaemon();
  const status = await machine.ok('status', '--json');
  expect(status.port).toBeNull();
  expect(status.warnings.join()).toContain(String(machine.home.port));
  const host = await machine.connected();
  expect(await host.result('ping')).toEqual({});
  server.close();
  await until('the dashboard', async () => (await machine.ok('status', '--json')).port === machine.home.port);
});

// — internal —

async function occupied(machine: Machine): Promise<Server> {
  const server = createServer((_request, response) => response.end('somebody else'));
  await new Promise<void>((resolve) => server.listen(machine.home.port, '127.0.0.1', resolve));
  return server;
}
