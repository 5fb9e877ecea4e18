import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { errnoOf, McpdError } from '../src/errors.ts';
import { REGISTRY_BUSY_MS, REGISTRY_CHECK_BYTES_MAX } from '../src/limits.ts';
import { damagedFile, sqliteFault } from './sqlite-fault.ts';

export type Db = Database.Database;

export interface Schema {
  /** Migration n (counted from 1) leads to `user_version` n. */
  migrations: readonly string[];
  /** Bytes of page cache. */
  cacheBytes: number;
}

/**
 * A database of the home in WAL mode, migrated, mode 0600, foreign keys on.
 *
 * `synchronous` is NORMAL: a commit is in the kernel, so SIGKILL loses nothing; a power cut may lose the last commits, never the
 * file. What a person did must survive that too: `durably` commits it with an fsync.
 *
 * Damage is looked for before anything can write: the header always, all pages while the file is small. Beyond that size SQLite's own
 * checks while reading must do, since a start counts in milliseconds.
 * @throws {McpdError} REGISTRY_DAMAGED, REGISTRY_NEWER, DISK_FULL, HOME_UNWRITABLE, OUT_OF_FILES
 */
export function openDatabase(path: string, schema: Schema): Db {
  try {
    if (existsSync(path)) inspect(path);
    else create(path, schema);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) restrict(file);
    return configure(new Database(path, { timeout: REGISTRY_BUSY_MS, fileMustExist: true }), path, schema);
  } catch (thrown) {
    throw sqliteFault(thrown, path);
  }
}

/** Runs `change` as one transaction that is on the disk when this returns. */
export function durably<T>(db: Db, change: () => T): T {
  db.pragma('synchronous = FULL');
  try {
    return db.transaction(change).immediate();
  } finally {
    db.pragma('synchronous = NORMAL');
  }
}

// — internal —

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;

/**
 * A new file is built beside and renamed when it is whole. So an empty or half registry is never a start that was interrupted: it is
 * damage, and is not taken for a new home.
 */
function create(path: string, schema: Schema): void {
  keepOrphans(path);
  const draft = `${path}.new`;
  for (const file of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`]) rmSync(file, { force: true });
  closeSync(openSync(draft, 'wx', 0o600));
  configure(new Database(draft, { timeout: REGISTRY_BUSY_MS }), draft, schema).close();
  renameSync(draft, path);
  syncFolder(dirname(path));
}

function syncFolder(folder: string): void {
  // Windows cannot open a folder, and needs no such thing.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A log without its database (which was moved away) would be played into the new one. It goes where the database may have gone. */
function keepOrphans(path: string): void {
  const wal = `${path}-wal`;
  if (existsSync(wal)) renameSync(wal, existsSync(`${path}.damaged`) ? `${path}.damaged-wal` : `${wal}.orphan`);
  rmSync(`${path}-shm`, { force: true });
}

function configure(db: Db, path: string, schema: Schema): Db {
  try {
    if (db.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
      throw new McpdError('HOME_UNWRITABLE', {
        what: `${path} cannot be used safely`,
        why: 'its file system has no shared memory (a network drive?)',
        fix: 'keep the home on a local disk: set MCPD_HOME',
      });
    }
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    db.pragma(`cache_size = ${-Math.ceil(schema.cacheBytes / 1024)}`);
    db.pragma('journal_size_limit = 4194304');
    migrate(db, path, schema.migrations);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

function migrate(db: Db, path: string, migrations: readonly string[]): void {
  const found = Number(db.pragma('user_version', { simple: true }));
  if (found > migrations.length) {
    throw new McpdError('REGISTRY_NEWER', {
      what: `${path} was written by a newer mcpd`,
      why: `its schema is ${found}, this mcpd knows ${migrations.length}`,
      fix: 'update mcpd: npm install -g mcpd@latest',
    });
  }
  if (found === migrations.length) return;
  durably(db, () => {
    for (const [index, sql] of migrations.entries()) {
      if (index >= found) db.exec(sql);
    }
    db.pragma(`user_version = ${migrations.length}`);
  });
}

/** Looks at a file by a handle that can change nothing, so that a damaged one stays byte for byte what it was. */
function inspect(path: string): void {
  const size = statSync(path).size;
  if (size < HEADER_BYTES || readHeader(path) !== MAGIC) {
    throw damagedFile(path, size === 0 ? 'the file is empty' : 'it is not a SQLite database');
  }
  if (size > REGISTRY_CHECK_BYTES_MAX) return;
  const db = new Database(path, { readonly: true, timeout: REGISTRY_BUSY_MS });
  try {
    const verdict = String(db.pragma('quick_check(1)', { simple: true }));
    if (verdict !== 'ok') throw damagedFile(path, verdict);
  } finally {
    db.close();
  }
}

function readHeader(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(MAGIC.length);
    readSync(file, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1');
  } finally {
    // Before SQLite opens the file: a handle closed later would drop its locks.
    closeSync(file);
  }
}

function restrict(file: string): void {
  try {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  } catch (thrown) {
    // The log and its index exist only while somebody has the database open or died with it.
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
  }
}
