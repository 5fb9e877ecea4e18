import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { McpdError } from '../src/errors.ts';
import { sqliteCodeOf, sqliteFault } from './sqlite-fault.ts';

/**
 * A lock between processes, held by the operating system: `BEGIN EXCLUSIVE` on a SQLite file of its own, with the handle kept open.
 * The end of the process frees it, SIGKILL too. The file is always empty and stays where it is.
 */
export interface Lock {
  readonly path: string;
  /** Frees the lock; a second call does nothing. */
  release(): void;
}

/**
 * The lock, or null when somebody holds it (also this process).
 * @throws {McpdError} HOME_UNWRITABLE, DISK_FULL or OUT_OF_FILES when the file cannot be opened, REGISTRY_DAMAGED when it is no lock file
 */
export function acquireLock(path: string): Lock | null {
  const candidate = openCandidate(path);
  if (candidate === null) return null;
  const lock = candidate.attempt();
  if (lock === null) candidate.giveUp();
  return lock;
}

/**
 * As `acquireLock`, again every `everyMs` until it is ours, or `timeoutMs` is over or `signal` aborted: then null. A standby waits
 * with a timeout of Infinity.
 */
export async function waitForLock(
  path: string,
  timeoutMs: number,
  everyMs: number,
  signal?: AbortSignal,
): Promise<Lock | null> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const lock = acquireLock(path);
    if (lock !== null) return lock;
    const leftMs = until - performance.now();
    if (leftMs <= 0 || signal?.aborted === true) return null;
    await pause(Math.min(everyMs, leftMs), signal);
  }
}

// — internal —

/**
 * Locks of this process. They must not be collected (that closes the handle), and their files must not be opened a second time:
 * closing any handle on a file drops all POSIX locks that the process has on it.
 */
const HELD = new Map<string, Database.Database>();

function openCandidate(path: string): { attempt(): Lock | null; giveUp(): void } | null {
  if (HELD.has(path)) return null;
  try {
    closeSync(openSync(path, 'a', 0o600));
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    const db = new Database(path, { timeout: 0 });
    return { attempt: () => begin(path, db), giveUp: () => db.close() };
  } catch (thrown) {
    throw sqliteFault(thrown, path);
  }
}

function begin(path: string, db: Database.Database): Lock | null {
  try {
    // Taking the lock begins a journal. As a file it could not be had on a full disk, where a person must be able to stop mcpd all the same.
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    const code = sqliteCodeOf(thrown);
    if (code?.startsWith('SQLITE_BUSY') === true) return null;
    db.close();
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') throw sqliteFault(thrown, path);
    throw new McpdError('REGISTRY_DAMAGED', {
      what: `${path} is not a lock file of mcpd`,
      why: 'something else was written into it; it must be empty',
      fix: `stop every mcpd of this home, then: rm '${path}'`,
    });
  }
  HELD.set(path, db);
  return {
    path,
    release: () => {
      if (HELD.get(path) !== db) return;
      HELD.delete(path);
      db.close();
    },
  };
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (thrown) {
    // An aborted wait is an answer (the caller looks at the signal), anything else is a fault.
    if (signal?.aborted !== true) throw thrown;
  }
}
