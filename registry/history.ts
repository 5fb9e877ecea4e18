import type { CallDetail, CallPage, CallQuery } from '../src/api/contract/calls.ts';
import type { CallRecord } from '../src/core/call-record.ts';
import type { Transition } from '../src/core/model.ts';
import {
  HISTORY_BATCH_MS,
  HISTORY_BATCH_ROWS_MAX,
  HISTORY_IDLE_MS,
  HISTORY_QUEUE_ROWS_MAX,
} from '../src/operation-limits.ts';
import type { Begun } from './history-daemons.ts';
import { HistoryLink } from './history-link.ts';
import { type Answer, nothing, type Question, type Timeline } from './history-messages.ts';
import { highestCallNumber } from './history-numbers.ts';
import { createSampler } from './history-sampling.ts';

const IDS_PER_MS = 1000;

interface Options {
  path: string;
  worker: URL | string;
  begun: Begun;
  /** A file whose time says when the daemon before was seen to die; it need not be there. */
  lostMark: string;
  idleMs?: number;
  /** Called each time that the thread has begun to run. */
  threadBegan?(): void;
  /** Takes a server's secrets out of the text of an error. */
  mask(server: string, text: string): string;
}

interface HistoryTotals {
  calls: number;
  /** Calls whose outcome is neither `ok` nor `cancelled`. */
  errors: number;
  /** Rows that are not in the file: above the highest rate, or while it could not be written. */
  sampledOut: number;
}

/** Calls and transitions, for people. It never disturbs the service: what cannot be written is counted, and said in `findings`. */
export interface History {
  /**
   * Under a microsecond. The record is not copied and must not change afterwards.
   * Answers the number that the call has from now on, null when it is only counted.
   */
  recordCall(record: CallRecord): number | null;
  recordTransition(transition: Transition): void;
  /**
   * With everything recorded before. Empty while the history is switched off.
   * @throws {McpdError} INTERNAL when there is no answer in time, or what ails the file
   */
  calls(query: CallQuery): Promise<CallPage>;
  /** By its number; null when there is none (any more). Fails as `calls`. */
  call(id: number): Promise<CallDetail | null>;
  /** As `calls`; `limit` is of each kind. */
  timeline(server: string, limit: number): Promise<Timeline>;
  /** Exact, since this was created. */
  totals(): HistoryTotals;
  findings(): string[];
  /** Writes what is left and why the daemon ends, within HISTORY_CLOSE_TIMEOUT_MS. Later records are only counted. */
  close(reason: string): Promise<void>;
}

/**
 * `path` is history.db, `worker` the built file of history-worker.ts. The thread starts with the first batch, not with the first
 * call, which has better use for the second core; until then no file is touched. It ends when it has had
 * nothing to do for `idleMs`.
 */
export function createHistory(options: Options): History {
  const totals: HistoryTotals = { calls: 0, errors: 0, sampledOut: 0 };
  const sampler = createSampler();
  const lost = (rows: number): void => {
    totals.sampledOut += rows;
  };
  const { idleMs = HISTORY_IDLE_MS, threadBegan = () => {} } = options;
  const link = new HistoryLink({ ...options, idleMs, threadBegan, lost });
  let calls: CallRecord[] = [];
  let transitions: Transition[] = [];
  // Known before the thread has the row, and above all that earlier daemons gave: nobody records a thousand in a millisecond, so those
  // that are not in the file (any more) are below the clock, and those that are count where the clock was set back.
  let nextId = Math.max(Date.now() * IDS_PER_MS, highestCallNumber(options.path) + 1);
  let timer: NodeJS.Timeout | null = null;
  let flushedAt = performance.now();
  let closing: Promise<void> | null = null;

  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const now = performance.now();
    sampler.passed(now - flushedAt);
    flushedAt = now;
    if (calls.length + transitions.length > 0) link.write(calls, nextId - calls.length, transitions);
    calls = [];
    transitions = [];
  };
  /** After each record, kept or not: the sampler must see time pass. */
  const recorded = (): void => {
    if (calls.length + transitions.length >= HISTORY_BATCH_ROWS_MAX) flush();
    else timer ??= setTimeout(flush, HISTORY_BATCH_MS).unref();
  };
  const hasRoom = (): boolean =>
    closing === null && link.queuedRows + calls.length + transitions.length < HISTORY_QUEUE_ROWS_MAX;
  const ask = async (question: Question): Promise<Answer> => {
    if (closing !== null) return nothing(question);
    flush();
    return (await link.ask(question)) ?? nothing(question);
  };

  return {
    recordCall: (record) => {
      totals.calls++;
      const failed = record.outcome !== 'ok' && record.outcome !== 'cancelled';
      if (failed) totals.errors++;
      const id = hasRoom() && sampler.admits(failed) ? nextId++ : null;
      if (id === null) totals.sampledOut++;
      else calls.push(record);
      if (closing === null) recorded();
      return id;
    },
    recordTransition: (transition) => {
      if (hasRoom()) transitions.push(transition);
      else totals.sampledOut++;
      if (closing === null) recorded();
    },
    calls: async (query) => {
      const answer = await ask({ about: 'calls', query });
      return answer.about === 'calls' ? answer.page : mismatch();
    },
    call: async (id) => {
      const answer = await ask({ about: 'call', id });
      return answer.about === 'call' ? answer.call : mismatch();
    },
    timeline: async (server, limit) => {
      const answer = await ask({ about: 'timeline', limit, server });
      return answer.about === 'timeline' ? answer.timeline : mismatch();
    },
    totals: () => ({ ...totals }),
    findings: () => link.findings(),
    close: (reason) => {
      if (closing === null) {
        flush();
        closing = link.close(reason);
      }
      return closing;
    },
  };
}

// — internal —

function mismatch(): never {
  throw new RangeError('the history answered another question');
}
