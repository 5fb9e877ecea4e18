import type { CallDetail, CallPage, CallQuery, CallRow } from '../src/api/contract/calls.ts';
import { CALL_ANSWER_ROWS, CALLS_COUNTED_MAX } from '../src/operation-limits.ts';
import type { Db } from './db.ts';
import { detailOf, type StoredCall } from './history-stages.ts';

/** The history of calls, as people ask for it. */
export interface CallReader {
  page(query: CallQuery): CallPage;
  one(id: number): CallDetail | null;
}

export function readingCalls(db: Db): CallReader {
  const one = db.prepare<[number], StoredCall>(
    `SELECT ${COLUMNS}, session, instance, error, marks FROM calls WHERE id = ?`,
  );
  return {
    page: (query) => pageOf(db, query),
    one: (id) => {
      const row = one.get(id);
      return row === undefined ? null : detailOf(row);
    },
  };
}

// — internal —

const COLUMNS = `id, at, host, server, method, target, queued_ms AS queuedMs, total_ms AS totalMs, outcome, error_code AS errorCode,
  request_bytes AS requestBytes, response_bytes AS responseBytes`;

/** As in the index `calls_failed`. */
const HAS_FAILED = `outcome NOT IN ('ok', 'cancelled')`;

type Values = (string | number)[];
interface Condition {
  sql: string;
  values: Values;
}

/** What each filter means. */
const FILTERS: { [K in keyof CallQuery]?: (value: NonNullable<CallQuery[K]>) => Condition } = {
  host: (host) => ({ sql: 'host = ?', values: [host] }),
  server: (server) => ({ sql: 'server = ?', values: [server] }),
  target: (part) => ({ sql: `target LIKE ? ESCAPE '\\'`, values: [`%${part.replace(/[\\%_]/g, '\\$&')}%`] }),
  method: (method) => ({ sql: 'method = ?', values: [method] }),
  session: (session) => ({ sql: 'session = ?', values: [session] }),
  outcome: (outcome) => {
    if (outcome === 'failed') return { sql: HAS_FAILED, values: [] };
    if (outcome === 'ok' || outcome === 'cancelled') return { sql: 'outcome = ?', values: [outcome] };
    // So that SQLite sees that the index of failed calls holds it.
    return { sql: `outcome = ? AND ${HAS_FAILED}`, values: [outcome] };
  },
  since: (since) => ({ sql: 'at >= ?', values: [since] }),
  until: (until) => ({ sql: 'at < ?', values: [until] }),
  minMs: (ms) => ({ sql: 'total_ms >= ?', values: [ms] }),
};

function pageOf(db: Db, query: CallQuery): CallPage {
  const fits = conditionsOf(query);
  const bySlowness = query.order === 'slowest';
  const limit = query.limit ?? CALL_ANSWER_ROWS;
  const from = query.before === undefined ? [] : [behind(query.before, bySlowness)];
  // One more than asked for tells whether there is a next page.
  const rows = db
    .prepare<Values, CallRow>(
      `SELECT ${COLUMNS} FROM calls ${where([...fits, ...from])} ORDER BY ${bySlowness ? 'total_ms DESC, id DESC' : 'id DESC'} LIMIT ?`,
    )
    .all(...valuesOf([...fits, ...from]), limit + 1);
  const calls = rows.slice(0, limit);
  const last = calls.at(-1);
  const isAll = query.before === undefined && rows.length <= limit;
  const counted = isAll ? rows.length : countOf(db, fits);
  return {
    calls,
    next: rows.length > limit && last !== undefined ? cursorOf(last, bySlowness) : null,
    total: Math.min(counted, CALLS_COUNTED_MAX),
    totalIsLeast: counted > CALLS_COUNTED_MAX,
  };
}

function countOf(db: Db, fits: readonly Condition[]): number {
  const counting = db.prepare<Values, { n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM calls ${where(fits)} LIMIT ?)`,
  );
  return counting.get(...valuesOf(fits), CALLS_COUNTED_MAX + 1)?.n ?? 0;
}

function conditionsOf(query: CallQuery): Condition[] {
  return Object.entries(FILTERS).flatMap(([name, condition]) => {
    const value = query[name as keyof CallQuery];
    return value === undefined ? [] : [(condition as (value: unknown) => Condition)(value)];
  });
}

function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
}

function valuesOf(conditions: readonly Condition[]): Values {
  return conditions.flatMap(({ values }) => values);
}

/** `ID`, or `MS:ID` among the slowest. */
function cursorOf({ id, totalMs }: CallRow, bySlowness: boolean): string {
  return bySlowness ? `${totalMs}:${id}` : String(id);
}

function behind(cursor: string, bySlowness: boolean): Condition {
  const [id = 0, ms = 0] = cursor.split(':').map(Number).reverse();
  return bySlowness ? { sql: '(total_ms, id) < (?, ?)', values: [ms, id] } : { sql: 'id < ?', values: [id] };
}
