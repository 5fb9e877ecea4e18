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
 * The last looks at the processes of one server, in 2 kB. Pure. CPU is what its members used since the look before; what began and ended
 * between two looks is not seen.
 */
export class TreeHistory {
  /** `COLUMNS` numbers a sample, by look modulo TREE_SAMPLES_KEPT; NaN stands for null. */
  readonly #numbers = new Float64Array(TREE_SAMPLES_KEPT * COLUMNS);
  #looks = 0;
  #before: { clockMs: number; members: Map<number, Member> } | null = null;
  #cpuMs: number | null = 0;

  /** `at` is milliseconds since 1970, `clockMs` monotonic. */
  look(at: number, clockMs: number, rows: readonly ProcessRow[]): void {
    const usedMs = this.#usedMs(rows);
    const cpuPercent = this.#cpuPercent(clockMs, usedMs) ?? Number.NaN;
    this.#cpuMs = usedMs === null || this.#cpuMs === null ? null : this.#cpuMs + usedMs;
    const members = new Map(rows.map(({ pid, startTime, cpuMs }) => [pid, { startTime, cpuMs }]));
    this.#before = { clockMs, members };
    this.#numbers.set([at, rows.length, familyBytes(rows), cpuPercent], placeOf(this.#looks));
    this.#looks += 1;
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
    return this.#looks === 0 ? null : this.#sample(this.#looks - 1);
  }

  samples(): TreeSamples {
    const samples: TreeSamples = { at: [], rssBytes: [], cpuPercent: [] };
    for (let look = Math.max(0, this.#looks - TREE_SAMPLES_KEPT); look < this.#looks; look++) {
      const { at, rssBytes, cpuPercent } = this.#sample(look);
      samples.at.push(at);
      samples.rssBytes.push(rssBytes);
      samples.cpuPercent.push(cpuPercent);
    }
    return samples;
  }

  #sample(look: number): TreeSample {
    const place = placeOf(look);
    const [at = 0, processes = 0, rssBytes = 0, cpu = Number.NaN] = this.#numbers.subarray(place, place + COLUMNS);
    return { at, processes, rssBytes, cpuPercent: Number.isNaN(cpu) ? null : cpu };
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

// — internal —

type Member = Pick<ProcessRow, 'startTime' | 'cpuMs'>;

const COLUMNS = 4;

function placeOf(look: number): number {
  return (look % TREE_SAMPLES_KEPT) * COLUMNS;
}
