import { Worker } from 'node:worker_threads';
import type { CallRecord } from '../src/core/call-record.ts';
import type { Transition } from '../src/core/model.ts';
import { fromReport, McpdError } from '../src/errors.ts';
import {
  HISTORY_CLOSE_TIMEOUT_MS,
  HISTORY_QUERY_TIMEOUT_MS,
  HISTORY_RETRY_MS,
  HISTORY_WORKER_HEAP_MIB,
} from '../src/operation-limits.ts';
import { packCalls } from './history-batch.ts';
import type { Begun } from './history-daemons.ts';
import type { Answer, FromWorker, Question, ToWorker, WorkerSettings } from './history-messages.ts';

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: McpdError): void;
}

export interface LinkOptions {
  /** history.db */
  path: string;
  /** The built file of history-worker.ts. */
  worker: URL | string;
  begun: Begun;
  /** As in `WorkerSettings`. */
  lostMark: string;
  /** With nothing to do for so long, the thread ends until the next batch. */
  idleMs: number;
  /** Called each time that the thread has begun to run. */
  threadBegan(): void;
  mask(server: string, text: string): string;
  /** Hears of rows that will not be in the file. */
  lost(rows: number): void;
}

/** The daemon's end of the history thread: starts it when it is needed, and outlives it. */
export class HistoryLink {
  /** Rows that the thread has and has not written yet. */
  queuedRows = 0;
  readonly #options: LinkOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  /** A dead thread is not started again before this moment. */
  #dueAt = 0;
  #questions = 0;
  #idle: NodeJS.Timeout | null = null;
  /** Why nothing is written now. */
  #off: string | null = null;
  #damaged: string | null = null;
  #hasWritten = false;
  #closing = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** The numbers of the records begin with `firstId`. */
  write(records: readonly CallRecord[], firstId: number, transitions: Transition[]): void {
    const rows = records.length + transitions.length;
    const worker = this.#running();
    if (worker === null) {
      this.#options.lost(rows);
      return;
    }
    this.#hasWritten = true;
    const calls = packCalls(records, firstId, this.#options.mask);
    this.queuedRows += rows;
    const { mask } = this.#options;
    const masked = transitions.map((one) => ({ ...one, reason: mask(one.server, one.reason) }));
    post(worker, { type: 'write', calls, transitions: masked, rows }, [calls.numbers.buffer, calls.marks.buffer]);
  }

  /** Null while the thread is dead. @throws {McpdError} INTERNAL without an answer in time, or what ails the file */
  async ask(question: Question): Promise<Answer | null> {
    const worker = this.#running();
    if (worker === null) return null;
    const id = this.#questions++;
    const limit = setTimeout(
      () => this.#settle(id, (one) => one.reject(silent('its disk does not answer'))),
      HISTORY_QUERY_TIMEOUT_MS,
    );
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        post(worker, { type: 'ask', id, question });
      });
    } finally {
      clearTimeout(limit);
    }
  }

  findings(): string[] {
    return [this.#off, this.#damaged].filter((finding) => finding !== null);
  }

  /**
   * Ends the thread once it has written everything, or after HISTORY_CLOSE_TIMEOUT_MS. The daemon's end is written where its begin is,
   * whether the thread rests or not.
   */
  async close(reason: string): Promise<void> {
    const worker = this.#worker ?? (this.#hasWritten ? this.#running() : null);
    this.#closing = true;
    if (this.#idle !== null) clearTimeout(this.#idle);
    if (worker === null) return;
    const ended = this.#hasWritten ? { at: Date.now(), reason } : null;
    const exited = new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
    });
    worker.ref();
    post(worker, { type: 'close', ended });
    const limit = setTimeout(() => void worker.terminate(), HISTORY_CLOSE_TIMEOUT_MS);
    await exited;
    clearTimeout(limit);
  }

  #running(): Worker | null {
    if (this.#worker !== null) return this.#worker;
    if (this.#closing || performance.now() < this.#dueAt) return null;
    const worker = this.#started();
    if (worker === null) return null;
    // The history keeps no process alive; `close` does, for as long as it takes.
    worker.unref();
    worker.once('online', () => this.#options.threadBegan());
    worker.on('message', (message: FromWorker) => this.#heard(message));
    worker.on('error', (error) => this.#died(worker, error.message));
    worker.on('exit', (code) => this.#died(worker, `it ended with code ${code}`));
    this.#off = null;
    this.#worker = worker;
    this.#idle = setTimeout(() => this.#rest(), this.#options.idleMs).unref();
    return worker;
  }

  #started(): Worker | null {
    const { path, begun, lostMark } = this.#options;
    const settings: WorkerSettings = { path, begun, lostMark };
    try {
      return new Worker(this.#options.worker, {
        workerData: settings,
        resourceLimits: { maxOldGenerationSizeMb: HISTORY_WORKER_HEAP_MIB, maxYoungGenerationSizeMb: 2 },
      });
    } catch (thrown) {
      // The system has no thread left, or the file's name is none: as good as a thread that died at once.
      this.#stopTrying(thrown instanceof Error ? thrown.message : String(thrown));
      return null;
    }
  }

  #stopTrying(why: string): void {
    this.#dueAt = performance.now() + HISTORY_RETRY_MS;
    if (!this.#closing) this.#off = `the call history is switched off: its thread died (${why})`;
  }

  /** Ends a thread that has nothing to do; the next batch starts another. */
  #rest(): void {
    if (this.#worker === null || this.#closing) return;
    if (this.queuedRows > 0 || this.#waiting.size > 0) {
      this.#idle?.refresh();
      return;
    }
    post(this.#worker, { type: 'close', ended: null });
    this.#worker = null;
  }

  #heard(message: FromWorker): void {
    this.#idle?.refresh();
    switch (message.type) {
      case 'taken':
        this.queuedRows -= message.rows;
        this.#options.lost(message.lost);
        break;
      case 'off':
        this.#off = message.finding;
        break;
      case 'damaged':
        this.#damaged = message.finding;
        break;
      case 'answer':
        this.#settle(message.id, (one) => one.resolve(message.answer));
        break;
      case 'refused':
        this.#settle(message.id, (one) => one.reject(fromReport(message.error)));
        break;
    }
  }

  /** Called for `error` and again for `exit`: the second time there is nothing left to do. */
  #died(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#stopTrying(why);
    this.#options.lost(this.queuedRows);
    this.queuedRows = 0;
    for (const id of [...this.#waiting.keys()]) this.#settle(id, (one) => one.reject(silent(why)));
  }

  #settle(id: number, how: (one: Waiting) => void): void {
    const one = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (one !== undefined) how(one);
  }
}

// — internal —

function post(worker: Worker, message: ToWorker, moved: readonly ArrayBuffer[] = []): void {
  worker.postMessage(message, moved);
}

function silent(why: string): McpdError {
  return new McpdError('INTERNAL', {
    what: 'the call history did not answer',
    why,
    fix: 'try again, or: mcpd restart',
  });
}
