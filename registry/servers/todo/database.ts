import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { ToolFailure } from '../tool-failure.ts';

/** How long a statement waits for another process that writes. Its transactions take milliseconds; longer means that it hangs. */
const BUSY_TIMEOUT_MS = 5000;
const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    priority TEXT NOT NULL,
    due TEXT,
    created_at TEXT NOT NULL,
    completed_at TEXT
  ) STRICT;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens the file, and makes it when it is not there. Several processes may have it open.
 * @throws {ToolFailure} it cannot be opened, is no todo list, or was written by a later version.
 */
export function openDatabase(file: string): Database.Database {
  return explaining(file, () => {
    if (!existsSync(dirname(file))) {
      throw new ToolFailure({
        what: `The todo list ${file} cannot be used`,
        why: 'its folder does not exist',
        fix: REMEDIES.SQLITE_CANTOPEN,
      });
    }
    const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      database.pragma('journal_mode = WAL');
      // In WAL mode this loses at most the last changes when the machine loses power, and never the file.
      database.pragma('synchronous = NORMAL');
      database.transaction(() => prepare(database, file)).immediate();
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Runs `work` on the database of `file`. @throws {ToolFailure} in place of an error of SQLite. */
export function explaining<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (!(error instanceof Error) || typeof code !== 'string') throw error;
    // Extended codes say more than a person needs: SQLITE_IOERR_WRITE, SQLITE_READONLY_DIRECTORY.
    const fix = Object.entries(REMEDIES).find(([prefix]) => code.startsWith(prefix))?.[1];
    throw new ToolFailure(
      { what: `The todo list ${file} cannot be used`, why: `${error.message} (${code})`, ...(fix && { fix }) },
      { cause: error },
    );
  }
}

// — internal —

const REMEDIES = {
  SQLITE_NOTADB: 'move the file away, or name another one in TODO_DB',
  SQLITE_CORRUPT: 'move the file away and start anew, or bring back a copy',
  SQLITE_CANTOPEN: 'name a file in a folder that exists and is yours in TODO_DB',
  SQLITE_READONLY: 'name a file that you may write in TODO_DB',
  SQLITE_FULL: 'make room on the disk',
  SQLITE_IOERR: 'see whether the disk is full or failing',
  SQLITE_BUSY: 'again in a moment; another program holds the file',
} as const;

function prepare(database: Database.Database, file: string): void {
  const version = database.pragma('user_version', { simple: true });
  if (version === SCHEMA_VERSION) return;
  const tables = database.prepare<[], { name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  if (version === 0 && tables.length === 0) {
    database.exec(SCHEMA);
    return;
  }
  throw new ToolFailure({
    what: `${file} is not a todo list of this version`,
    why:
      version === 0
        ? 'it holds other tables'
        : `its version is ${String(version)}, and this program knows ${SCHEMA_VERSION}`,
    fix: version === 0 ? 'name another file in TODO_DB' : 'a newer mcpd',
  });
}
