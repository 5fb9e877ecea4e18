import type { Transition } from './model.ts';

/** Starts of a server's processes, and how many of them were restarts: after an end that nobody wanted, and by a person who restarts. */
export class StartCount {
  starts = 0;
  restarts = 0;
  /** It ended by itself while nobody needed it, and was not started since. */
  #hasCrashed = false;

  moved({ from, to }: Pick<Transition, 'from' | 'to'>): void {
    if (to === 'starting') {
      this.starts += 1;
      // From rest it starts because it is needed; from anything else because it ended, or was told to begin anew.
      if (from !== 'stopped' || this.#hasCrashed) this.restarts += 1;
    }
    this.#hasCrashed = from === 'running' && to === 'stopped';
  }
}
