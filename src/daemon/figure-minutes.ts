import type { MinuteFigures } from '../api/contract/figures.ts';
import { FIGURE_MINUTE_MS, FIGURE_MINUTES } from '../figures-limits.ts';

/** Calls and errors of the last hour by minute, in 480 bytes. Pure; all times are milliseconds since 1970. */
export class MinuteCounters {
  /** By minute modulo FIGURE_MINUTES. */
  readonly #calls = new Uint32Array(FIGURE_MINUTES);
  readonly #errors = new Uint32Array(FIGURE_MINUTES);
  #last = Number.NEGATIVE_INFINITY;

  add(at: number, failed: boolean): void {
    const minute = minuteOf(at);
    this.#advance(minute);
    const place = minute % FIGURE_MINUTES;
    this.#calls[place] = (this.#calls[place] ?? 0) + 1;
    if (failed) this.#errors[place] = (this.#errors[place] ?? 0) + 1;
  }

  figures(at: number): MinuteFigures {
    this.#advance(minuteOf(at));
    const calls: number[] = [];
    const errors: number[] = [];
    for (let minute = this.#last - FIGURE_MINUTES + 1; minute <= this.#last; minute++) {
      calls.push(this.#calls[minute % FIGURE_MINUTES] ?? 0);
      errors.push(this.#errors[minute % FIGURE_MINUTES] ?? 0);
    }
    return { lastAt: this.#last * FIGURE_MINUTE_MS, calls, errors };
  }

  /** A clock that was set back by less than the hour goes on counting where it is; by more, all is forgotten. */
  #advance(minute: number): void {
    if (Math.abs(minute - this.#last) >= FIGURE_MINUTES) {
      this.#calls.fill(0);
      this.#errors.fill(0);
      this.#last = minute;
    }
    while (this.#last < minute) {
      this.#last++;
      this.#calls[this.#last % FIGURE_MINUTES] = 0;
      this.#errors[this.#last % FIGURE_MINUTES] = 0;
    }
  }
}

/** Of a server that was never called. */
export function noMinutes(at: number): MinuteFigures {
  const none = () => new Array<number>(FIGURE_MINUTES).fill(0);
  return { lastAt: minuteOf(at) * FIGURE_MINUTE_MS, calls: none(), errors: none() };
}

// — internal —

function minuteOf(at: number): number {
  return Math.floor(at / FIGURE_MINUTE_MS);
}
