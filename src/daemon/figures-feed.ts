import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallRow } from '../api/contract/calls.ts';
import type { FiguresEvent, ServerFigures } from '../api/contract/figures.ts';
import type { CallRecord } from '../core/model.ts';
import {
  FIGURES_EVERY_MS,
  FIGURES_PER_TURN,
  LIVE_CALLS_GATHER_MS,
  LIVE_CALLS_PER_SECOND_MAX,
} from '../figures-limits.ts';
import { HISTORY_TEXT_CHARS_MAX } from '../operation-limits.ts';

interface FeedSource {
  /** Of one server after the other, each as it is when it is asked for. */
  figures(): Iterable<ServerFigures>;
  /** Memory and CPU are looked at more often, until the returned function is called. */
  beginLooking(): () => void;
}

/** Calls in one event: so many that there are never more than LIVE_CALLS_PER_SECOND_MAX. */
const CALLS_MAX = Math.floor((LIVE_CALLS_PER_SECOND_MAX * LIVE_CALLS_GATHER_MS) / 1000);

/** Tells watchers what changed of the figures, and the calls that end. Without a watcher it does nothing. */
export class FiguresFeed {
  readonly #source: FeedSource;
  readonly #watchers = new Set<(event: FiguresEvent) => void>();
  #watched: { timer: NodeJS.Timeout; endLooking: () => void } | null = null;
  /** JSON of what was told last, by server. */
  #told = new Map<string, string>();
  #calls: CallRow[] = [];
  #leftOut = 0;
  #gathering: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;

  constructor(source: FeedSource) {
    this.#source = source;
  }

  /** It is told of changes from now on. Returns the way to stop. */
  watch(listener: (event: FiguresEvent) => void): () => void {
    this.#watchers.add(listener);
    this.#watched ??= {
      timer: setInterval(() => this.#begin(), FIGURES_EVERY_MS).unref(),
      endLooking: this.#source.beginLooking(),
    };
    return () => {
      this.#watchers.delete(listener);
      if (this.#watchers.size === 0) this.#rest();
    };
  }

  /** `id` is null for a call that is only counted. */
  callEnded(record: CallRecord, id: number | null): void {
    if (this.#watched === null) return;
    if (id !== null && this.#calls.length < CALLS_MAX) this.#calls.push(rowOf(record, id));
    else this.#leftOut += 1;
    this.#gathering ??= setTimeout(() => this.#tellCalls(), LIVE_CALLS_GATHER_MS).unref();
  }

  /** A round that is not over when the next one is due takes its place. */
  #begin(): void {
    this.#round ??= this.#tellFigures().finally(() => {
      this.#round = null;
    });
  }

  /** Some servers at a time: no call waits for the figures of a hundred. */
  async #tellFigures(): Promise<void> {
    const watched = this.#watched;
    const told = new Map<string, string>();
    let asked = 0;
    let changed: ServerFigures[] = [];
    const tell = () => {
      if (changed.length > 0) this.#tell({ type: 'figures', figures: changed });
      changed = [];
    };
    for (const one of this.#source.figures()) {
      const text = JSON.stringify(one);
      told.set(one.name, text);
      if (this.#told.get(one.name) !== text) changed.push(one);
      asked += 1;
      if (asked % FIGURES_PER_TURN !== 0) continue;
      tell();
      await nextTurn();
      if (this.#watched !== watched) return;
    }
    tell();
    this.#told = told;
  }

  #tellCalls(): void {
    const [calls, leftOut] = [this.#calls, this.#leftOut];
    this.#gathering = null;
    this.#calls = [];
    this.#leftOut = 0;
    this.#tell({ type: 'calls', calls, leftOut });
  }

  #tell(event: FiguresEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }

  #rest(): void {
    if (this.#watched !== null) {
      clearInterval(this.#watched.timer);
      this.#watched.endLooking();
    }
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#watched = null;
    this.#gathering = null;
    this.#told = new Map();
    this.#calls = [];
    this.#leftOut = 0;
  }
}

// — internal —

function rowOf(record: CallRecord, id: number): CallRow {
  const { at, server, method, queuedMs, totalMs, outcome, errorCode, requestBytes, responseBytes } = record;
  const texts = { host: cut(record.host), target: cut(record.target) };
  return { id, at, server, method, ...texts, queuedMs, totalMs, outcome, errorCode, requestBytes, responseBytes };
}

/** As the history keeps it. */
function cut(text: string): string {
  return text.length > HISTORY_TEXT_CHARS_MAX ? `${text.slice(0, HISTORY_TEXT_CHARS_MAX - 1)}…` : text;
}
