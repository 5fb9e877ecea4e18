import { TREE_SAMPLES_KEPT } from '../figures-limits.ts';
import { familyBytes, type ProcessRow } from './process-table.ts';

/** What all processes of one server used together at one look. */
export interface TreeSample {
  /** Milliseconds since 1970. */
  at: number;
  processes: number;
  rssBytes: number;
  /** 100 is one core; null in the first sample and where the system does not tell. */
  cpuPercent: number | null;
}

/** The same as columns of one length, oldest first. */
export interface TreeSamples {
  at: number[];
  rssBytes: number[];
  cpuPercent: (number | null)[];
}

/**
 * The last looks at the processes of one server. Pure. CPU is what its members used since the look before; what began and ended between
 * two looks is not seen.
 */
export class TreeHistory {
  #samples: TreeSample[] = [];
  #before: { clockMs: number; members: Map<number, ProcessRow> } | null = null;
  #cpuMs: number | null = 0;

  /** `at` is milliseconds since 1970, `clockMs` monotonic. */
  look(at: number, clockMs: number, rows: readonly ProcessRow[]): void {
    const usedMs = this.#usedMs(rows);
    const cpuPercent = this.#cpuPercent(clockMs, usedMs);
    this.#cpuMs = usedMs === null || this.#cpuMs === null ? null : this.#cpuMs + usedMs;
    this.#before = { clockMs, members: new Map(rows.map((row) => [row.pid, row])) };
    this.#samples.push({ at, processes: rows.length, rssBytes: familyBytes(rows), cpuPercent });
    if (this.#samples.length > TREE_SAMPLES_KEPT) this.#samples.shift();
  }

  /** It was looked for, and did not run: the next sample is the first of another process. */
  rest(): void {
    this.#before = null;
  }

  /** CPU time of all processes that it was seen to have, those that ended included: it never falls. Null where the system does not tell. */
  get cpuMs(): number | null {
    return this.#cpuMs;
  }

  /** Null while it rests. */
  now(): TreeSample | null {
    return this.#before === null ? null : this.last();
  }

  last(): TreeSample | null {
    return this.#samples.at(-1) ?? null;
  }

  samples(): TreeSamples {
    return {
      at: this.#samples.map(({ at }) => at),
      rssBytes: this.#samples.map(({ rssBytes }) => rssBytes),
      cpuPercent: this.#samples.map(({ cpuPercent }) => cpuPercent),
    };
  }

  /** CPU time of its processes since the look before; null where the system does not tell. */
  #usedMs(rows: readonly ProcessRow[]): number | null {
    let usedMs = 0;
    for (const { pid, startTime, cpuMs } of rows) {
      if (cpuMs === null) return null;
      const earlier = this.#before?.members.get(pid);
      // One that was not there before has used all its time since.
      usedMs += cpuMs - (earlier?.startTime === startTime ? (earlier.cpuMs ?? 0) : 0);
    }
    return Math.max(0, usedMs);
  }

  #cpuPercent(clockMs: number, usedMs: number | null): number | null {
    const before = this.#before;
    if (before === null || clockMs <= before.clockMs || usedMs === null) return null;
    return Math.round((usedMs / (clockMs - before.clockMs)) * 1000) / 10;
  }
}
