import type { LockFile } from '../api/contract/lock.ts';
import { McpdError } from '../errors.ts';
import { driftOf, type Present } from '../install/lock.ts';
import { readLockFile } from '../install/lock-file.ts';
import { AGREEMENTS_LOOK_MS } from '../operation-limits.ts';
import type { Paths } from '../paths.ts';
import type { Parts } from './parts.ts';
import type { Edges, Runtime } from './runtime.ts';

/** What is looked at, and who is told. */
interface Looked extends Pick<Parts, 'now' | 'ending'> {
  paths: Pick<Paths, 'lock'>;
  gateway: { view: { servers: ReadonlyMap<string, Present> } };
  runtime: Pick<Runtime, 'post'>;
}

/** Whether servers still tell what a person agreed to (mcpd.lock): looked at when one has read its lists anew, and when the lock is written. */
export class Agreements {
  readonly #parts: Looked;
  #timer: NodeJS.Timeout | null = null;
  /** The last look. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Looked) {
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

  /** One after the other: what is looked at last is told last. Rejects only where mcpd itself is at fault. */
  look(): Promise<void> {
    const turn = this.#last.then(() => this.#look());
    this.#last = turn.catch(() => undefined); // told to whoever looked; the next one begins anew
    return turn;
  }

  // — internal —

  async #look(): Promise<void> {
    const { gateway, runtime, now, ending } = this.#parts;
    const servers = await this.#locked();
    if (servers === null || ending.aborted) return;
    for (const [server, { definition, memory }] of gateway.view.servers) {
      const locked = servers[server];
      // What a person is writing changes with each save.
      if (definition.source.kind === 'folder') continue;
      const drift = locked === undefined ? [] : driftOf(locked, { definition, memory });
      runtime.post({ type: 'server-drifted', at: now(), server, drift });
    }
  }

  /** Null for a lock that cannot be read: the doctor tells of it. */
  async #locked(): Promise<LockFile['servers'] | null> {
    try {
      return (await readLockFile(this.#parts.paths.lock)).servers;
    } catch (error) {
      if (!(error instanceof McpdError)) throw error;
      return null;
    }
  }
}
