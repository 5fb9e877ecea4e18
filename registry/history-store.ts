import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Transition } from '../src/core/model.ts';
import { HISTORY_ROWS_KEPT, HISTORY_TEXT_CHARS_MAX, HISTORY_TRANSITIONS_KEPT } from '../src/operation-limits.ts';
import { type Db, openDatabase } from './db.ts';
import { type CallColumns, type PackedCalls, unpackCalls } from './history-batch.ts';
import { readingCalls } from './history-calls.ts';
import { type Begun, type DaemonMarks, daemonMarksOf, type LostAt } from './history-daemons.ts';
import type { Answer, Question } from './history-messages.ts';
import { HISTORY_INIT } from './migrations/history-0001-init.ts';
import { HISTORY_MARKS } from './migrations/history-0002-marks.ts';

/** history.db, as its one thread sees it. */
export interface HistoryStore {
  /** One transaction. */
  write(calls: PackedCalls, transitions: readonly Transition[]): void;
  /** Newest first. */
  answer(question: Question): Answer;
  /** The daemon ends, in order. */
  end(at: number, reason: string): void;
  close(): void;
}

/** @throws {McpdError} REGISTRY_DAMAGED, REGISTRY_NEWER, DISK_FULL, HOME_UNWRITABLE, OUT_OF_FILES */
export function openHistoryStore(path: string, begun: Begun, lostAt: LostAt): HistoryStore {
  const db = openDatabase(path, { migrations: [HISTORY_INIT, HISTORY_MARKS], cacheBytes: CACHE_BYTES });
  const marks = daemonMarksOf(db, begun, lostAt);
  const write = writing(db, marks);
  const answer = reading(db, marks);
  return { write, answer, end: marks.end, close: () => db.close() };
}

/** Moves a damaged file to `history.db.damaged`, in the place of an older one: one is kept, so that they never add up. */
export function putAside(path: string): void {
  const aside = `${path}.damaged`;
  for (const file of [`${aside}-wal`, `${aside}-shm`]) rmSync(file, { force: true });
  if (existsSync(path)) renameSync(path, aside);
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
}

// — internal —

const CACHE_BYTES = 512 * 1024;
/** Rows over the limit are deleted this many at a time: often enough to stay small, seldom enough to cost nothing. */
const PRUNE_EVERY_ROWS = 1000;

function writing(db: Db, marks: DaemonMarks): HistoryStore['write'] {
  const addCall = db.prepare<CallColumns>(`
    INSERT OR REPLACE INTO calls (id, at, session, host, server, instance, method, target, queued_ms, total_ms, outcome, error_code, error,
      request_bytes, response_bytes, marks)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const addTransition = db.prepare<Transition>(`
    INSERT INTO transitions (at, server, instance, from_state, to_state, reason) VALUES (@at, @server, @instance, @from, @to, @reason)`);
  const pruneCalls = db.prepare<[number]>(
    'DELETE FROM calls WHERE id <= (SELECT id FROM calls ORDER BY id DESC LIMIT 1 OFFSET ?)',
  );
  const pruneTransitions = db.prepare<[number]>(
    'DELETE FROM transitions WHERE id <= (SELECT max(id) FROM transitions) - ?',
  );
  let unpruned = PRUNE_EVERY_ROWS;
  return db.transaction((calls: PackedCalls, transitions: readonly Transition[]) => {
    marks.begin();
    for (const row of unpackCalls(calls)) {
      addCall.run(...row);
      unpruned++;
    }
    for (const transition of transitions) {
      addTransition.run({ ...transition, reason: transition.reason.slice(0, HISTORY_TEXT_CHARS_MAX) });
      unpruned++;
    }
    if (unpruned < PRUNE_EVERY_ROWS) return;
    pruneCalls.run(HISTORY_ROWS_KEPT);
    pruneTransitions.run(HISTORY_TRANSITIONS_KEPT);
    unpruned = 0;
  });
}

function reading(db: Db, marks: DaemonMarks): HistoryStore['answer'] {
  const calls = readingCalls(db);
  const transitionsOf = db.prepare<[string, number], Transition & { id: number }>(`
    SELECT id, at, server, instance, from_state AS "from", to_state AS "to", reason FROM transitions WHERE server = ? ORDER BY id DESC LIMIT ?`);
  return (question) => {
    switch (question.about) {
      case 'calls':
        return { about: 'calls', page: calls.page(question.query) };
      case 'call':
        return { about: 'call', call: calls.one(question.id) };
      case 'timeline': {
        const limit = Math.max(0, Math.min(HISTORY_TRANSITIONS_KEPT, Math.trunc(question.limit)));
        const rows = transitionsOf.all(question.server, limit);
        const oldest = rows.at(-1)?.id;
        const transitions = rows.map(({ id: _, ...transition }) => transition);
        const daemons = oldest === undefined ? [] : marks.since(oldest, limit);
        return { about: 'timeline', timeline: { transitions, daemons } };
      }
    }
  };
}
