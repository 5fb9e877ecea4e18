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

  /** `at` is milliseconds since 1970, `clockMs` monotonic. */
  look(at: number, clockMs: number, rows: readonly ProcessRow[]): void {
    const cpuPercent = this.#cpuPercent(clockMs, rows);
    this.#before = { clockMs, members: new Map(rows.map((row) => [row.pid, row])) };
    this.#samples.push({ at, processes: rows.length, rssBytes: familyBytes(rows), cpuPercent });
    if (this.#samples.length > TREE_SAMPLES_KEPT) this.#samples.shift();
  }

  /** It was looked for, and did not run: the next sample is the first of another process. */
  rest(): void {
    this.#before = null;
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

  #cpuPercent(clockMs: number, rows: readonly ProcessRow[]): number | null {
    const before = this.#before;
    if (before === null || clockMs <= before.clockMs) return null;
    let usedMs = 0;
    for (const { pid, startTime, cpuMs } of rows) {
      if (cpuMs === null) return null;
      const earlier = before.members.get(pid);
      // One that was not there before has used all its time since.
      usedMs += cpuMs - (earlier?.startTime === startTime ? (earlier.cpuMs ?? 0) : 0);
    }
    return Math.round((Math.max(0, usedMs) / (clockMs - before.clockMs)) * 1000) / 10;
  }
}
