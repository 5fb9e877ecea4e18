import type { LiveEvent } from '../api/contract.ts';
import type { Parts } from './parts.ts';
import { shown } from './views.ts';

/** Tells whoever watches what has changed, in the words of the API. Fed by the core's `publish` effects. */
export class LiveEvents {
  readonly #parts: Pick<Parts, 'gateway' | 'figures' | 'masks'>;
  readonly #watchers = new Set<(event: LiveEvent) => void>();

  constructor(parts: Pick<Parts, 'gateway' | 'figures' | 'masks'>) {
    this.#parts = parts;
  }

  /** Returns the way to stop. */
  watch(listener: (event: LiveEvent) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  published(topic: 'server' | 'sessions', name: string): void {
    const { gateway, figures } = this.#parts;
    if (topic === 'server' && !gateway.view.servers.has(name)) figures.forget(name);
    if (this.#watchers.size === 0) return;
    const status = topic === 'server' ? gateway.status(name) : null;
    if (topic === 'sessions') this.#tell({ type: 'sessions', sessions: gateway.sessions() });
    else
      this.#tell(
        status === null
          ? { type: 'server-removed', name }
          : { type: 'server', server: shown(status, this.#parts.masks) },
      );
  }

  /** The daemon begins to end, whatever the reason. */
  stopping(): void {
    this.#tell({ type: 'stopping' });
  }

  #tell(event: LiveEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }
}
