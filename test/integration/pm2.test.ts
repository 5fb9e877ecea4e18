import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DaemonClient } from '../../src/control/client.ts';
import { lookForDaemon } from '../../src/control/sighting.ts';
import { daemonEngine } from '../../src/engine/engine.ts';
import { PM2_LOG_BYTES_MAX } from '../../src/operation-limits.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { PLAIN_DAEMON, type PlainDaemon, plainDaemon } from '../harness/plain-daemon.ts';
import { alive, gone, killPid } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

let temporary: TemporaryHome;
let daemon: PlainDaemon;
beforeEach(async () => {
  temporary = await temporaryHome({ SECRET_OF_A_TERMINAL: 'x', LC_ALL: 'C' });
  daemon = plainDaemon(temporary);
});
afterEach(async () => {
  expect(await temporary.cleanup()).toEqual([]);
});

const engine = () => daemonEngine(daemon.program);
const pm2Log = () => readFileSync(join(daemon.program.paths.pm2Home, 'pm2.log'), 'utf8');
const answers = async () => (await lookForDaemon(daemon.program.paths)).kind === 'answers';

test('the daemon runs under a private pm2, gets only named variables, and both end together', async () => {
  await engine().start();
  expect(await answers()).toBe(true);
  const [start] = daemon.starts();
  expect(start?.args).toEqual(['--plain']);
  expect(start?.cwd).toBe(temporary.mcpdHome);
  expect(start?.env).toMatchObject({ MCPD_HOME: temporary.mcpdHome, MCPD_ENGINE: 'pm2', LC_ALL: 'C' });
  expect(start?.env).not.toHaveProperty('SECRET_OF_A_TERMINAL');
  expect(existsSync(join(temporary.userHome, '.pm2'))).toBe(false);
  expect(statSync(daemon.program.paths.pm2Home).mode & 0o777).toBe(0o700);

  await engine().stop();
  expect(temporary.processes()).toEqual([]);
  const text = readdirSync(daemon.program.paths.pm2Home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  expect(text.join('')).not.toContain('SECRET_OF_A_TERMINAL');
});

test('a daemon that is killed comes back', async () => {
  await engine().start();
  const first = daemon.starts()[0]?.pid ?? 0;
  killPid(first);
  await until('a second daemon', async () => daemon.starts().length === 2 && (await answers()));
  expect(alive(first)).toBe(false);
  await engine().stop();
});

test('a daemon that ends on purpose, or says that it cannot start, does not come back', async () => {
  await engine().start();
  await new DaemonClient(daemon.program.paths).shutdown({ now: false });
  await gone(daemon.starts()[0]?.pid ?? 0);
  await until('pm2 to see its end', () => pm2Log().includes('exited with code [79]'));
  daemon.set({ mode: 'fatal' });
  await engine().start();
  await until('the reason in the start log', () =>
    readFileSync(daemon.program.paths.startLog, 'utf8').includes('"fatal"'),
  );
  // Longer than pm2's first delays.
  await delay(500);
  expect(daemon.starts()).toHaveLength(2);
  await engine().stop();
});

test('what an older pm2 left is replaced by a start, also when it was killed', async () => {
  await engine().start();
  const first = daemon.starts()[0]?.pid ?? 0;
  await engine().start();
  expect(alive(first)).toBe(false);
  expect(daemon.starts()).toHaveLength(2);

  const pm2 = Number(readFileSync(join(daemon.program.paths.pm2Home, 'pm2.pid'), 'utf8'));
  killPid(pm2);
  await gone(pm2);
  killPid(daemon.starts()[1]?.pid ?? 0);
  await engine().start();
  expect(await answers()).toBe(true);
  await engine().stop();
});

test('where no pm2 runs there is nothing to stop, and none is started for it', async () => {
  await engine().stop();
  writeFileSync(join(temporary.mcpdHome, 'other'), '');
  expect(existsSync(daemon.program.paths.pm2Home)).toBe(false);
});

test('in a home with a path longer than a socket may have, pm2 works too', async () => {
  daemon = plainDaemon(temporary, join(temporary.root, 'deep'.repeat(40)));
  await engine().start();
  expect(await answers()).toBe(true);
  await engine().stop();
  expect(temporary.processes()).toEqual([]);
});

test('where mcpd and its home lie in folders with odd names, pm2 works too', async () => {
  const folder = temporary.folder(`my "odd" folder's é`);
  const script = join(folder, 'daemon.mjs');
  copyFileSync(PLAIN_DAEMON, script);
  daemon = plainDaemon(temporary, join(folder, 'a home'), script);
  await engine().start();
  expect(await answers()).toBe(true);
  await engine().stop();
  expect(temporary.processes()).toEqual([]);
});

test('a large log of an earlier time is emptied by a start', async () => {
  writeFileSync(daemon.program.paths.startLog, Buffer.alloc(PM2_LOG_BYTES_MAX + 1));
  await engine().start();
  expect(statSync(daemon.program.paths.startLog).size).toBeLessThan(PM2_LOG_BYTES_MAX);
  await engine().stop();
});

test('without pm2 the daemon starts by itself, with the same environment', async () => {
  const direct = daemonEngine(daemon.program, 'win32');
  await direct.start();
  await until('the daemon', answers);
  expect(daemon.starts()[0]?.env).toMatchObject({ MCPD_ENGINE: 'direct', MCPD_HOME: temporary.mcpdHome });
  expect(daemon.starts()[0]?.env).not.toHaveProperty('SECRET_OF_A_TERMINAL');
  const pid = daemon.starts()[0]?.pid ?? 0;
  killPid(pid, 'SIGTERM');
  await gone(pid);
});
