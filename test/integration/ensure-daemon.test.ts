import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureDaemon, findDaemon, stopDaemon } from '../../src/control/ensure-daemon.ts';
import { daemonEngine } from '../../src/engine/engine.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { type PlainDaemon, plainDaemon } from '../harness/plain-daemon.ts';
import { alive, killPid } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

let temporary: TemporaryHome;
let daemon: PlainDaemon;
let said: string[];
beforeEach(async () => {
  temporary = await temporaryHome();
  daemon = plainDaemon(temporary);
  said = [];
});
afterEach(async () => {
  for (const { pid } of daemon.starts()) killPid(pid, 'SIGTERM');
  await until('every process to be gone', () => temporary.processes().length === 0);
  await temporary.cleanup();
});

/** Starts directly: what pm2 adds has tests of its own. */
const direct = async () => daemonEngine(daemon.program, 'win32');
const underPm2 = async () => daemonEngine(daemon.program, 'linux');

function ensure(version = '1.0.0', engine = direct) {
  return ensureDaemon({ paths: daemon.program.paths, version, engine, say: (text) => said.push(text) });
}

function stop(engine = direct) {
  return stopDaemon({ paths: daemon.program.paths, engine, now: false, successor: false });
}

test('a daemon that is not there is started, one that is there is used', async () => {
  expect(await findDaemon(daemon.program.paths)).toBeNull();
  const first = await (await ensure()).status();
  const second = await (await ensure()).status();
  expect([first.pid, second.pid]).toEqual([daemon.starts()[0]?.pid, daemon.starts()[0]?.pid]);
  expect(await findDaemon(daemon.program.paths)).not.toBeNull();
});

test('many that need a daemon at once start one', async () => {
  const clients = await Promise.all(Array.from({ length: 12 }, () => ensure()));
  expect(clients).toHaveLength(12);
  expect(daemon.starts()).toHaveLength(1);
});

test('an older daemon is told, drained and replaced, a newer one is used', async () => {
  await ensure();
  daemon.set({ version: '1.1.0' });
  expect((await (await ensure('1.1.0')).status()).version).toBe('1.1.0');
  expect(said).toEqual(['mcpd 1.0.0 runs and this is 1.1.0: it ends its calls and is replaced']);
  const [first, second] = daemon.starts();
  expect([alive(first?.pid ?? 0), alive(second?.pid ?? 0)]).toEqual([false, true]);
  await ensure('1.0.0');
  expect(daemon.starts()).toHaveLength(2);
});

test('hosts are told to wait for the daemon that replaces theirs, and not when nobody follows', async () => {
  await ensure();
  daemon.set({ version: '1.1.0' });
  await ensure('1.1.0');
  await stop();
  const asked = readFileSync(join(temporary.mcpdHome, 'asked.jsonl'), 'utf8').trim().split('\n');
  expect(asked.map((line) => JSON.parse(line).successor)).toEqual([true, false]);
});

test('an old daemon that comes back each time is reported, not fought over', async () => {
  await ensure();
  await expect(ensure('2.0.0')).rejects.toMatchObject({
    code: 'DAEMON_OLDER',
    message: expect.stringContaining('1.0.0'),
  });
});

test('a daemon that is stopping is waited for and a new one started', async () => {
  const client = await ensure();
  await client.shutdown({});
  await ensure();
  expect(said).toEqual(['the daemon is stopping; waiting for its end']);
  expect(daemon.starts()).toHaveLength(2);
});

test('a daemon that says why it cannot start is quoted at once', async () => {
  daemon.set({ mode: 'fatal' });
  const error = await ensure().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'REGISTRY_DAMAGED',
    parts: { what: 'registry.db is damaged', fix: 'mcpd doctor' },
  });
});

test('a daemon that dies without a word of its own is shown with the end of its log', async () => {
  daemon.set({ mode: 'crash' });
  const error = await ensure().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'DAEMON_START_FAILED',
    parts: { why: expect.stringContaining('something went wrong at once') },
  });
});

test('a daemon that has no room for one more connection is asked again, and neither ended nor replaced', async () => {
  const first = await (await ensure('1.0.0', underPm2)).status();
  const crowd = join(temporary.mcpdHome, 'crowded');
  writeFileSync(crowd, '');
  const asking = ensure('1.0.0', underPm2);
  setTimeout(() => rmSync(crowd), 300);
  await asking;
  writeFileSync(crowd, '');
  await expect(ensure('1.0.0', underPm2)).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE' });
  expect(daemon.starts()).toHaveLength(1);
  expect(alive(first.pid)).toBe(true);
  rmSync(crowd);
  expect(await stop(underPm2)).toBe(true);
});

test('down names the process of a daemon that hangs and that nobody keeps', async () => {
  daemon.set({ mode: 'hung' });
  await (await direct()).start();
  await until('the daemon to listen', () => existsSync(daemon.program.paths.daemonInfo));
  const [hung] = daemon.starts();
  await expect(stop()).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE', parts: { fix: `kill -9 ${hung?.pid}` } });
});

test('down ends a daemon, and is content when there is none', async () => {
  expect(await stop()).toBe(false);
  await ensure();
  expect(await stop()).toBe(true);
  expect(temporary.processes()).toEqual([]);
  expect(await stop()).toBe(false);
});

test('down ends a daemon under pm2 and pm2 with it, and nothing comes back', async () => {
  const status = await (await ensure('1.0.0', underPm2)).status();
  expect(status.engine).toBe('pm2');
  expect(await stop(underPm2)).toBe(true);
  expect(temporary.processes()).toEqual([]);
  expect(daemon.starts()).toHaveLength(1);
});

test('down ends a daemon that was started directly although pm2 keeps another ready', async () => {
  daemon.set({ mode: 'standby' });
  await (await underPm2()).start();
  const [kept] = daemon.starts();
  daemon.set({});
  expect((await (await ensure()).status()).engine).toBe('direct');
  expect(await stop(underPm2)).toBe(true);
  expect(alive(kept?.pid ?? 0)).toBe(false);
  expect(temporary.processes()).toEqual([]);
});
