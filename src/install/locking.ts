import type { LockFile, LockLook, LockReport, LockState } from '../api/contract/lock.ts';
import type { ServerDefinition } from '../core/model.ts';
import { errnoOf } from '../errors.ts';
import { removeUnfinished, writePrivate } from '../private-file.ts';
import { unknownServer } from '../unknown-server.ts';
import { agreedTo, differencesOf, nextLock, type Present } from './lock.ts';
import { readLockFile } from './lock-file.ts';
import { filesDigest, versionFolderOf } from './package-files.ts';
import type { InstallPorts } from './ports.ts';

/**
 * mcpd.lock in the home: written whole with each install, update and removal. The registry is the truth of what is installed; this is the
 * record of what was agreed to. One writer: the daemon.
 */
export class Locking {
  readonly #ports: InstallPorts;
  /** The last write, so that each begins with what the one before it left. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: InstallPorts) {
    this.#ports = ports;
  }

  /** Writes what changed, also what a killed daemon left unwritten. @throws McpdError HOME_UNWRITABLE, DISK_FULL */
  sync(): Promise<void> {
    return this.#inTurn(async () => {
      const before = await this.#read();
      const present = this.#present();
      const fresh = present.filter(
        ({ definition }) => before.servers[definition.name]?.fingerprint !== definition.fingerprint,
      );
      const files = new Map<string, string>();
      for (const { definition } of fresh) {
        const digest = await this.#filesOf(definition);
        if (digest !== null) files.set(definition.name, digest);
      }
      const next = nextLock(before, present, files);
      if (JSON.stringify(next) !== JSON.stringify(before)) await this.#write(next);
    });
  }

  /** @throws McpdError SERVER_UNKNOWN */
  report({ deep, server: wanted }: LockLook): Promise<LockReport> {
    return this.#inTurn(async () => {
      const lock = await this.#read();
      const servers: LockState[] = [];
      for (const present of wanted === null ? this.#present() : [this.#presentOf(wanted)]) {
        const { name } = present.definition;
        const locked = lock.servers[name] ?? null;
        const files =
          deep && locked !== null && locked.files !== null ? await this.#filesOf(present.definition) : undefined;
        servers.push({
          server: name,
          locked,
          differences: locked === null ? [] : differencesOf(locked, present, files),
        });
      }
      return { file: this.#ports.paths.lock, servers };
    });
  }

  /** What it lists and its files are, as they are now, become what was agreed to. @throws McpdError SERVER_UNKNOWN */
  agree(name: string): Promise<LockState> {
    return this.#inTurn(async () => {
      const present = this.#presentOf(name);
      const next = agreedTo(await this.#read(), present, await this.#filesOf(present.definition));
      await this.#write(next);
      return { server: name, locked: next.servers[name] ?? null, differences: [] };
    });
  }

  // — internal —

  #presentOf(name: string): Present {
    const all = this.#present();
    const present = all.find(({ definition }) => definition.name === name);
    if (present !== undefined) return present;
    throw unknownServer(
      name,
      all.map(({ definition }) => definition.name),
    );
  }

  #present(): Present[] {
    const { registry } = this.#ports;
    return registry
      .allServers()
      .map((definition) => ({ definition, memory: registry.memoryOf(definition.name, definition.fingerprint) }));
  }

  /** Null where there are none to look at: a folder that is gone is told by the server's start. */
  async #filesOf(definition: ServerDefinition): Promise<string | null> {
    const folder = versionFolderOf(definition, this.#ports.paths.packageOf(definition.name));
    if (folder === null) return null;
    try {
      return await filesDigest(folder);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return null; // as above
    }
  }

  async #read(): Promise<LockFile> {
    await removeUnfinished(this.#ports.paths.lock);
    return readLockFile(this.#ports.paths.lock);
  }

  async #write(lock: LockFile): Promise<void> {
    await writePrivate(this.#ports.paths.lock, `${JSON.stringify(lock, null, 2)}\n`);
    await this.#ports.lockWritten();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined); // told to whoever asked; the next one begins anew
    return turn;
  }
}
