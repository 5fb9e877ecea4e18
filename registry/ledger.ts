import type { LedgerRow, ProcessLedger } from '../src/core/model.ts';
import type { Db } from './db.ts';

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
