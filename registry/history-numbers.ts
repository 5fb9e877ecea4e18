import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { HISTORY_NUMBER_WAIT_MS } from '../src/operation-limits.ts';

/** The highest number that a call in history.db has, 0 without one. Looked up once, at the daemon's start, in about a millisecond. */
export function highestCallNumber(path: string): number {
  if (!existsSync(path)) return 0;
  try {
    const db = new Database(path, { readonly: true, timeout: HISTORY_NUMBER_WAIT_MS });
    try {
      return db.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM calls').get()?.id ?? 0;
    } finally {
      db.close();
    }
  } catch {
    // The history's own thread meets the same fault, tells it, and begins a new file where this one is damaged.
    return 0;
  }
}
