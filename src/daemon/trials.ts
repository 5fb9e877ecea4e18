import { randomUUID } from 'node:crypto';
import type { TrialOutcome } from '../core/events.ts';
import type { ServerDefinition } from '../core/model.ts';
import type { Parts } from './parts.ts';

/** Trials that are under way, until the core tells how they went. */
export class Trials {
  readonly #waiting = new Map<string, (outcome: TrialOutcome) => void>();

  run(parts: Parts, definition: ServerDefinition, signal: AbortSignal): Promise<TrialOutcome> {
    const trial = randomUUID().slice(0, 8);
    return new Promise((resolve) => {
      const cancel = () => parts.runtime.post({ type: 'trial-cancelled', at: parts.now(), trial });
      signal.addEventListener('abort', cancel, { once: true });
      this.#waiting.set(trial, (outcome) => {
        signal.removeEventListener('abort', cancel);
        resolve(outcome);
      });
      parts.runtime.post({ type: 'trial', at: parts.now(), trial, definition });
      if (signal.aborted) cancel();
    });
  }

  finished(trial: string, outcome: TrialOutcome): void {
    const resolve = this.#waiting.get(trial);
    this.#waiting.delete(trial);
    resolve?.(outcome);
  }
}
