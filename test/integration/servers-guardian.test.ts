import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LedgerRow } from '../../src/core/model.ts';
import { Guardian } from '../../src/servers/guardian.ts';
import { markerOf } from '../../src/servers/marker.ts';
import { bundled } from '../harness/bundled-source.ts';
import { fake, recordsIn } from '../harness/fake.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { alive, gone, ignoresSignals, killPid, startOf } from '../harness/processes.ts';
import { processBench } from '../harness/server-processes.ts';
import { until } from '../harness/until.ts';

/** After the daemon's death its groups are gone in this time (settled design); the rest is patience with a busy machine. */
const GONE_MS = 5000;
let shared: TemporaryHome;
let program: string;
let home: TemporaryHome;

interface Line {
  spawned?: string;
  pid?: number;
  exited?: string;
  cause?: string;
  answered?: string;
  disposed?: boolean;
}

beforeAll(async () => {
  shared = await temporaryHome();
  program = await bundled('test/integration/programs/hold-servers.ts', shared.root);
});
afterAll(async () => {
  await shared.cleanup();
});
beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(async () => {
  expect(await home.cleanup()).toEqual([]);
});

/** Runs the program with these servers; `more` goes round its own start. */
function daemon(commands: readonly (readonly string[])[], more: { limit?: number; descriptor?: number } = {}) {
  const recordFile = join(home.root, 'records');
  const args = [program, home.mcpdHome, JSON.stringify(commands)];
  const [command, all] =
    more.limit === undefined
      ? [process.execPath, args]
      : ['/bin/sh', ['-c', `ulimit -n ${more.limit}; exec "$@"`, 'sh', process.execPath, ...args]];
  const child: ChildProcess = spawn(command, all, {
    stdio: ['pipe', 'pipe', 'inherit', ...(more.descriptor === undefined ? [] : [more.descriptor])],
    env: { ...home.env, RECORD_FILE: recordFile },
  });
  home.track(child.pid);
  const lines: Line[] = [];
  let rest = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((part) => JSON.parse(part) as Line));
  });
  const pids = () => lines.flatMap(({ spawned, pid }) => (spawned === undefined || pid === undefined ? [] : [pid]));
  return { child, lines, pids, recordFile };
}

const sleeper = (name: string) => [name, '/bin/sleep', '1000'];
const stubborn = (name: string) => [name, '/bin/sh', '-c', "trap '' TERM HUP; while :; do sleep 1; done"];

test('after kill -9 of the daemon all its groups are gone, fifty of them, the stubborn ones too', async () => {
  const commands = Array.from({ length: 50 }, (_, index) => (index % 5 === 0 ? stubborn : sleeper)(`s${index}`));
  const { child, pids } = daemon(commands);
  await until('all servers', () => pids().length === 50);
  for (const pid of pids()) home.track(pid);
  killPid(child.pid ?? 0);
  const begin = performance.now();
  await until('all groups to be gone', () => !pids().some(alive));
  expect(performance.now() - begin).toBeLessThan(GONE_MS);
  await until('the guardian to be gone', () => home.processes().length === 0);
});

test('a login shell whose profile hangs does not outlive the daemon, killed or ended in order', async () => {
  const pidFile = join(home.root, 'pid');
  writeFileSync(join(home.userHome, '.profile'), `sleep 1000 & echo $! > ${pidFile}; wait\n`);
  const hanging = () => until('the profile', () => Number(readFileSync(pidFile, 'utf8')));
  const { child } = daemon([sleeper('s')]);
  const killed = await hanging();
  killPid(child.pid ?? 0);
  await gone(killed);
  await until('the guardian to be gone', () => home.processes().length === 0);

  rmSync(pidFile);
  const { processes } = processBench(home, { inherited: home.env });
  processes.prepare();
  const ended = await hanging();
  await processes.dispose();
  expect(alive(ended)).toBe(false);
});

test('what left its group is reaped by the next daemon, and a stranger with the same number is not', async () => {
  const { child, pids, recordFile } = daemon([['leaving', ...fake('grandparent', '--detached', '--stubborn')]]);
  const other = await until('the other process', () => recordsIn(recordFile, 'child')[0]?.['child'] as number);
  home.track(other);
  killPid(child.pid ?? 0);
  await Promise.all(pids().map((pid) => gone(pid)));
  expect(alive(other)).toBe(true);

  const stranger = spawn('/bin/sleep', ['1000'], { stdio: 'ignore', detached: true });
  const pid = stranger.pid ?? 0;
  const marker = markerOf({ home: home.mcpdHome, nonce: 'killed' }, 'leaving', 1);
  const row = { instance: 'leaving', generation: 1, server: 'leaving', pgid: pid, marker, nonce: 'killed', at: 0 };
  const ledger: LedgerRow[] = [
    { ...row, pid, startTime: startOf(pid) ?? '' },
    { ...row, pid, startTime: '1', generation: 2 },
  ];
  const { processes } = processBench(home, { nonce: 'next', ledger });
  const begin = performance.now();
  expect(await processes.reap()).toEqual({ found: 1, left: [], fault: null });
  expect(performance.now() - begin).toBeLessThan(GONE_MS);
  expect(alive(other)).toBe(false);
  expect(alive(pid)).toBe(true);
  killPid(pid);
  await gone(pid);
  await processes.reap();
  expect(ledger).toEqual([]);
  await processes.dispose();
});

test('a spawn waits until what an earlier daemon left is gone', async () => {
  const { child, recordFile } = daemon([['again', ...fake('grandparent', '--detached', '--stubborn')]]);
  const other = await until('the other process', () => recordsIn(recordFile, 'child')[0]?.['child'] as number);
  home.track(other);
  killPid(child.pid ?? 0);
  const bench = processBench(home, { nonce: 'next' });
  const reaping = bench.processes.reap();
  await bench.start('again', fake('process'));
  expect(alive(other)).toBe(false);
  await reaping;
  await bench.processes.dispose();
});

test('an orderly end leaves no guardian, and no server', async () => {
  const { child, lines, pids } = daemon([sleeper('a'), ['b', ...fake('process')]]);
  await until('both servers', () => pids().length === 2);
  child.stdin?.end();
  await until('the end', () => child.exitCode !== null);
  expect(child.exitCode).toBe(0);
  expect(lines.at(-1)).toEqual({ disposed: true });
  expect(home.processes()).toEqual([]);
});

test('a descriptor that the daemon was started with does not reach its servers', async () => {
  const descriptor = openSync(process.execPath, 'r');
  const command = ['held', '/bin/sh', '-c', 'ls -l /proc/self/fd >&2; exec sleep 1000'];
  const { child, pids } = daemon([command], { descriptor });
  await until('the server', () => pids().length === 1);
  const { processes } = processBench(home);
  const told = await until('what it has open', async () => {
    const lines = await processes.log('held').lines({ lines: 20, since: null });
    return lines.length > 3 ? lines.map((line) => line.text).join('\n') : null;
  });
  expect(told).not.toContain(process.execPath);
  child.stdin?.end();
  await until('the end', () => child.exitCode !== null);
});

test('without free descriptors some servers fail with that reason, and the daemon and the others go on', async () => {
  const commands = Array.from({ length: 30 }, (_, index) => [`s${index}`, ...fake('process')]);
  const { child, lines, pids } = daemon(commands, { limit: 64 });
  await until('all to have started or failed', () => pids().length + causes(lines).length === 30);
  expect(pids().length).toBeGreaterThan(3);
  expect(new Set(causes(lines))).toEqual(
    new Set([
      'spawn EMFILE: no file descriptor is free; try: raise the limit (ulimit -n) and restart mcpd, or stop some servers',
    ]),
  );
  const [first] = lines.flatMap(({ spawned }) => spawned ?? []);
  child.stdin?.write(`${first}\n`);
  await until('an answer', () => lines.some(({ answered }) => answered === first));
  child.stdin?.end();
  await until('the end', () => child.exitCode !== null);
  expect(child.exitCode).toBe(0);
});

const causes = (lines: Line[]) => lines.flatMap(({ cause }) => cause ?? []);

/** A group of its own, as a server is; ended by the test or by the guardian. */
function group(): number {
  const child = spawn('/bin/sleep', ['1000'], { stdio: 'ignore', detached: true });
  home.track(child.pid);
  return child.pid ?? 0;
}

test('a guardian hears no signal meant for others, and one that is killed is replaced and knows the groups', async () => {
  const guardian = new Guardian(join(home.root, 'lost'));
  const [kept, released] = [group(), group()];
  guardian.add(kept);
  guardian.add(released);
  guardian.remove(released);
  const first = guardian.pid() ?? 0;
  await until('the guardian to be deaf', () => ignoresSignals(first));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) killPid(first, signal);
  expect(alive(first)).toBe(true);
  killPid(first);
  await gone(first);
  const second = await until('another guardian', () => {
    const pid = guardian.pid();
    return pid === first ? null : pid;
  });
  home.track(second);
  await guardian.close();
  expect(alive(second)).toBe(false);
  await gone(kept);
  expect(alive(released)).toBe(true);
  killPid(released);
  await gone(released);
});
