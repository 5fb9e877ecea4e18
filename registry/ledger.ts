import type { InstanceKey, ServerName } from '../src/core/model.ts';
import type { Db } from './db.ts';

/** A process that was started. Kept until it was seen to end, so that the next daemon finds what this one left. */
interface LedgerRow {
  instance: InstanceKey;
  generation: number;
  server: ServerName;
  pid: number;
  pgid: number;
  /** As the system tells it; with the pid it names one process for good. */
  startTime: string;
  /** What its environment holds to know it by. */
  marker: string;
  /** Of the daemon that started it: generations begin anew with each daemon. */
  nonce: string;
  at: number;
}

export interface ProcessLedger {
  add(row: LedgerRow): void;
  /** Without `nonce`: the rows of all daemons for this instance and generation. */
  remove(instance: InstanceKey, generation: number, nonce?: string): void;
  /** Oldest first. */
  rows(): LedgerRow[];
}

/** Commits reach the kernel and no disk (about 20 µs): a power cut that loses a row has ended its process as well. */
export function ledgerOf(db: Db): ProcessLedger {
  const add = db.prepare(`
    INSERT OR REPLACE INTO processes (instance, generation, nonce, server, pid, pgid, start_time, marker, at)
    VALUES (@instance, @generation, @nonce, @server, @pid, @pgid, @startTime, @marker, @at)`);
  const remove = db.prepare<[string, number]>('DELETE FROM processes WHERE instance = ? AND generation = ?');
  const removeOne = db.prepare<[string, number, string]>(
    'DELETE FROM processes WHERE instance = ? AND generation = ? AND nonce = ?',
  );
  const rows = db.prepare<[], LedgerRow>(`
    SELECT instance, generation, server, pid, pgid, start_time AS startTime, marker, nonce, at FROM processes ORDER BY at, pid`);
  return {
    add: (row) => add.run(row),
    remove: (instance, generation, nonce) => {
      if (nonce === undefined) remove.run(instance, generation);
      else removeOne.run(instance, generation, nonce);
    },
    rows: () => rows.all(),
  };
}
