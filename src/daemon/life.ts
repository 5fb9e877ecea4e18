import type { CheckupEvent } from '../api/contract/checkup.ts';
import type { LifeControl } from '../api/life-control.ts';
import { Checkups } from './checkups.ts';
import type { Parts } from './parts.ts';

/** What becomes of servers after they were installed. Loaded by the first who asks for it. */
export class Life implements LifeControl {
  readonly #checkups: Checkups;

  constructor(parts: Parts) {
    this.#checkups = new Checkups(parts);
  }

  verify(server: string, report: (event: CheckupEvent) => void, signal: AbortSignal): Promise<void> {
    return this.#checkups.run(server, report, signal);
  }
}
