import type { DaemonMark } from '../src/api/contract/timeline.ts';
import type { Db } from './db.ts';

/**
 * Where daemons of this home began and ended, among the changes of servers: rows of the same table under a name that no server has, so that
 * their order is that of the writing, whatever the clock did.
 */
export interface DaemonMarks {
  /** Before the first row of this daemon. */
  begin(): void;
  end(at: number, reason: string): void;
  /** Newest first, from the row with this id on; with those of this daemon's begin, written or not. */
  since(id: number, limit: number): DaemonMark[];
}

/** The daemon that writes now. */
export interface Begun {
  /** Milliseconds since 1970; with the pid it tells it from others. */
  at: number;
  pid: number;
  version: string;
}

/** When the daemon before was seen to die by what watches over its servers, in milliseconds since 1970; null when nothing saw it. */
export type LostAt = () => number | null;

export function daemonMarksOf(db: Db, begun: Begun, lostAt: LostAt): DaemonMarks {
  const last = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM transitions WHERE server = '' ORDER BY id DESC LIMIT 1`);
  const since = db.prepare<[number, number], Row>(
    `SELECT ${COLUMNS} FROM transitions WHERE server = '' AND id >= ? ORDER BY id DESC LIMIT ?`,
  );
  const lastRecord = db.prepare<[], { at: number | null }>(`
    SELECT max(at) AS at FROM (SELECT at FROM (SELECT at FROM transitions ORDER BY id DESC LIMIT 1)
      UNION ALL SELECT at FROM (SELECT at FROM calls ORDER BY id DESC LIMIT 1))`);
  const add = db.prepare<Row>(
    `INSERT INTO transitions (at, server, instance, from_state, to_state, reason) VALUES (@at, '', @instance, '', @mark, @reason)`,
  );
  const instance = `${begun.at}-${begun.pid}`;
  let isWritten = false;

  /** Oldest first. */
  const unwritten = (): Row[] => {
    if (isWritten) return [];
    const before = last.get();
    if (before?.instance === instance) {
      isWritten = true;
      return [];
    }
    const began: Row = { at: begun.at, instance, mark: 'began', reason: `mcpd ${begun.version}, process ${begun.pid}` };
    if (before?.mark !== 'began') return [began];
    return [lostRow(before, begun.at, lostAt(), lastRecord.get()?.at ?? before.at), began];
  };
  return {
    begin: () => {
      for (const row of unwritten()) add.run(row);
      isWritten = true;
    },
    end: (at, reason) => {
      add.run({ at, instance, mark: 'ended', reason });
    },
    since: (id, limit) =>
      [...unwritten().reverse(), ...since.all(id, limit)]
        .slice(0, limit)
        .map(({ at, mark, reason }) => ({ at, mark, reason })),
  };
}

// — internal —

interface Row extends DaemonMark {
  instance: string;
}

const COLUMNS = 'at, instance, to_state AS mark, reason';

/** Nobody wrote down the end of the one before. What watched over its servers saw it, or its last record must do. */
function lostRow({ instance, at: beganAt }: Row, at: number, lostAt: number | null, lastRecordAt: number): Row {
  const wasSeen = lostAt !== null && lostAt >= beganAt && lostAt <= at;
  const reason = wasSeen
    ? 'it was killed, or crashed'
    : 'it was killed or crashed, or the machine went down: this is its last record';
  return { at: wasSeen ? lostAt : Math.max(beganAt, Math.min(lastRecordAt, at)), instance, mark: 'lost', reason };
}
