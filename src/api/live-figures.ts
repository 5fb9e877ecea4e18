import { LIVE_FIGURES_QUEUE_BYTES_MAX } from '../figures-limits.ts';
import type { FiguresEvent, ServerFigures } from './contract/figures.ts';

/**
 * What is held back from a reader that is behind: the latest figures of each server, and how many calls it missed. So a slow page gets
 * fewer figures instead of a queue. Pure.
 */
export class HeldFigures {
  readonly #figures = new Map<string, ServerFigures>();
  #leftOut = 0;

  /** The event as it may be written now, or null: then it is held. `waitingBytes` were given to the reader and are not taken. */
  take(event: FiguresEvent, waitingBytes: number): FiguresEvent | null {
    if (waitingBytes > LIVE_FIGURES_QUEUE_BYTES_MAX) {
      this.#hold(event);
      return null;
    }
    if (event.type === 'calls') {
      const leftOut = event.leftOut + this.#leftOut;
      this.#leftOut = 0;
      return { ...event, leftOut };
    }
    for (const { name } of event.figures) this.#figures.delete(name);
    const figures = [...this.#figures.values(), ...event.figures];
    this.#figures.clear();
    return { type: 'figures', figures };
  }

  /** What is owed to a reader that has caught up. */
  owed(waitingBytes: number): FiguresEvent[] {
    if (waitingBytes > LIVE_FIGURES_QUEUE_BYTES_MAX) return [];
    const owed: FiguresEvent[] = [];
    if (this.#figures.size > 0) owed.push({ type: 'figures', figures: [...this.#figures.values()] });
    if (this.#leftOut > 0) owed.push({ type: 'calls', calls: [], leftOut: this.#leftOut });
    this.#figures.clear();
    this.#leftOut = 0;
    return owed;
  }

  removed(name: string): void {
    this.#figures.delete(name);
  }

  #hold(event: FiguresEvent): void {
    if (event.type === 'calls') this.#leftOut += event.leftOut + event.calls.length;
    else for (const one of event.figures) this.#figures.set(one.name, one);
  }
}
