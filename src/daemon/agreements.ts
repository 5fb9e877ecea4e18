import { driftOf } from '../install/lock.ts';
import { readLockFile } from '../install/lock-file.ts';
import { AGREEMENTS_LOOK_MS } from '../operation-limits.ts';
import type { Parts } from './parts.ts';
import type { Edges } from './runtime.ts';

/** Whether servers still tell what a person agreed to (mcpd.lock): looked at when one has read its lists anew, and when the lock is written. */
export class Agreements {
  readonly #parts: Pick<Parts, 'paths' | 'gateway' | 'runtime' | 'now' | 'ending'>;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: Pick<Parts, 'paths' | 'gateway' | 'runtime' | 'now' | 'ending'>) {
    this.#parts = parts;
  }

  /** The same registry; what a server is remembered by is looked at. */
  watching({ saveMemory, saveNames, saveWish }: Edges['registry']): Edges['registry'] {
    return {
      ...{ saveNames, saveWish },
      saveMemory: (server, memory) => {
        this.lookSoon();
        return saveMemory(server, memory);
      },
    };
  }

  /** In a moment: what changes together is looked at once. */
  lookSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.look();
    }, AGREEMENTS_LOOK_MS).unref();
  }

  /** Never rejects. */
  async look(): Promise<void> {
    const { paths, gateway, runtime, now, ending } = this.#parts;
    try {
      const { servers } = await readLockFile(paths.lock);
      if (ending.aborted) return;
      for (const [server, { definition, memory }] of gateway.view.servers) {
        const locked = servers[server];
        // What a person is writing changes with each save.
        if (definition.source.kind === 'folder') continue;
        const drift = locked === undefined ? [] : driftOf(locked, { definition, memory });
        runtime.post({ type: 'server-drifted', at: now(), server, drift });
      }
    } catch {
      // The doctor tells of a lock that cannot be read.
    }
  }
}
