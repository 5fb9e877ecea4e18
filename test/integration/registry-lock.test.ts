import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLock, waitForLock } from '../../registry/lock.ts';
import { bundled } from '../harness/bundled-source.ts';
import { killPid } from '../harness/processes.ts';

let folder: string;
let path: string;
let children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpd-lock-'));
  path = join(folder, 'lock.db');
});
afterEach(async () => {
  for (const child of children) {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      killPid(child.pid);
      await ended;
    }
  }
  children = [];
  rmSync(folder, { recursive: true, force: true });
});

async function contender(program: string): Promise<{ child: ChildProcess; word: string }> {
  const child = spawn(process.execPath, [program, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [word] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, word: String(word).trim() };
}

async function race(program: string, count: number): Promise<ChildProcess[]> {
  const results = await Promise.all(Array.from({ length: count }, () => contender(program)));
  expect(results).toHaveLength(count);
  return results.filter(({ word }) => word === 'held').map(({ child }) => child);
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('of 50 processes at once exactly one holds the lock, and its SIGKILL frees it for one of the next 20', async () => {
  const program = await bundled('test/integration/programs/hold-lock.ts', folder);
  const [holder, ...others] = await race(program, 50);
  expect(others).toEqual([]);
  expect(acquireLock(path)).toBeNull();
  if (holder === undefined) throw new RangeError('nobody holds it');
  await killed(holder);
  expect(await race(program, 20)).toHaveLength(1);
});

test('a held lock leaves nothing but its empty file', () => {
  const lock = acquireLock(path);
  expect(readdirSync(folder)).toEqual(['lock.db']);
  expect(statSync(path).size).toBe(0);
  lock?.release();
});

test('a lock that is released is free for another process, and one that is held in this process is refused here too', async () => {
  const program = await bundled('test/integration/programs/hold-lock.ts', folder);
  const lock = acquireLock(path);
  expect(lock?.path).toBe(path);
  expect(acquireLock(path)).toBeNull();
  expect((await contender(program)).word).toBe('refused');
  lock?.release();
  lock?.release();
  expect((await contender(program)).word).toBe('held');
});

test('who waits gets the lock when its holder is killed', async () => {
  const program = await bundled('test/integration/programs/hold-lock.ts', folder);
  const { child } = await contender(program);
  const waiting = waitForLock(path, 30_000, 10);
  await killed(child);
  const lock = await waiting;
  expect(lock).not.toBeNull();
  lock?.release();
});

test('a wait ends without the lock when its time is over or it is called off', async () => {
  const lock = acquireLock(path);
  expect(await waitForLock(path, 30, 10)).toBeNull();
  const called = new AbortController();
  const waiting = waitForLock(path, Number.POSITIVE_INFINITY, 60_000, called.signal);
  called.abort();
  expect(await waiting).toBeNull();
  lock?.release();
});

test('the lock file is empty, for its owner alone, and stays', () => {
  acquireLock(path)?.release();
  expect(existsSync(path)).toBe(true);
  expect(statSync(path).size).toBe(0);
  if (process.platform !== 'win32') expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
});

test('a lock file that something was written into is refused with the way out', () => {
  writeFileSync(path, 'not a database at all\n'.repeat(100));
  expect(() => acquireLock(path)).toThrow(expect.objectContaining({ code: 'REGISTRY_DAMAGED' }));
  rmSync(path);
  acquireLock(path)?.release();
});

test('a lock in a folder that is not there is an unwritable home', () => {
  path = join(folder, 'missing', 'lock.db');
  expect(() => acquireLock(path)).toThrow(expect.objectContaining({ code: 'HOME_UNWRITABLE' }));
});
