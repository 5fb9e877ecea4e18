import type { Registry } from '../../registry/registry.ts';
import type { CallRecord } from '../core/call-record.ts';

/** Whether new versions have proved themselves: by the first call that arrived after the update and was answered well. */
export class Proofs {
  readonly #kept: Registry['kept'];
  /** By server: when the version that is to prove itself came, in milliseconds since 1970. */
  readonly #awaited: Map<string, number>;

  constructor({ kept }: Pick<Registry, 'kept'>) {
    this.#kept = kept;
    this.#awaited = new Map();
    for (const [server, { provedAt, replacedAt }] of kept.all())
      if (provedAt === null) this.#awaited.set(server, replacedAt);
  }

  /** Another version of it has just come. */
  await(server: string, since: number): void {
    this.#awaited.set(server, since);
  }

  recordCall({ server, outcome, at }: CallRecord): void {
    if (this.#awaited.size === 0 || outcome !== 'ok') return;
    const since = this.#awaited.get(server);
    if (since === undefined || at < since) return;
    try {
      this.#kept.prove(server, at);
      this.#awaited.delete(server);
    } catch {
      // A full disk, which other writes tell of: the old version is kept until a later call proves the new one.
    }
  }

  recordTransition(): void {
    // That it starts proves nothing.
  }
}
