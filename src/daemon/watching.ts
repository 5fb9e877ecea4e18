import { readFile } from 'node:fs/promises';
import type { ServerDefinition } from '../core/model.ts';
import { asMcpdError } from '../errors.ts';
import type { Watch } from '../watch.ts';
import type { Parts } from './parts.ts';

/**
 * Follows the folders of development servers and the files of declared sets. chokidar is loaded with the first of them: most homes have
 * none.
 */
export class Watching {
  readonly #parts: Parts;
  #watch: Promise<Watch> | null = null;
  readonly #watched = new Map<string, 'folder' | 'file'>();
  /** By path; of a declared file one for each entry that failed. */
  readonly #trouble = new Map<string, readonly string[]>();
  #last: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Brings what is watched in line with what is installed. Never rejects. */
  follow(definitions: readonly ServerDefinition[]): void {
    const wanted = new Map<string, { kind: 'folder' | 'file'; definition: ServerDefinition }>();
    for (const definition of definitions) {
      const { kind, ref } = definition.source;
      // A disabled server needs no restarts; the file that disables it may enable it again.
      if (kind === 'file' || (kind === 'folder' && definition.enabled)) wanted.set(ref, { kind, definition });
    }
    if (wanted.size === 0 && this.#watched.size === 0) return;
    this.#last = this.#last
      .then(() => this.#follow(wanted))
      .catch((thrown: unknown) => {
        this.#watch = null;
        this.#trouble.set('', [asMcpdError(thrown, 'INTERNAL', 'files cannot be watched').message]);
      });
  }

  findings(): string[] {
    return [...this.#trouble.values()].flat();
  }

  async close(): Promise<void> {
    await this.#last;
    await (await this.#watch)?.close();
  }

  async #follow(wanted: ReadonlyMap<string, { kind: 'folder' | 'file'; definition: ServerDefinition }>): Promise<void> {
    this.#watch ??= import('../watch.ts').then(({ createWatch }) =>
      createWatch({
        onChange: (path, what) => this.#changed(path, what),
        onTrouble: (path, text) => this.#trouble.set(path, [text]),
      }),
    );
    const watch = await this.#watch;
    this.#trouble.delete('');
    for (const path of [...this.#watched.keys()].filter((one) => !wanted.has(one))) {
      this.#watched.delete(path);
      this.#trouble.delete(path);
      await watch.remove(path);
    }
    for (const [path, { kind, definition }] of wanted) {
      if (this.#watched.has(path)) continue;
      this.#watched.set(path, kind);
      if (kind === 'file') await watch.addFile(path);
      else await watch.addFolder(path, await entryIn(path, definition));
    }
  }

  #changed(path: string, what: string): void {
    this.#trouble.delete(path);
    const { registry, runtime, processes, now } = this.#parts;
    if (this.#watched.get(path) === 'file') {
      void this.#apply(path);
      return;
    }
    for (const { name, source } of registry.allServers()) {
      if (source.kind !== 'folder' || source.ref !== path) continue;
      processes.log(name).lifecycle('info', `${what}: restarting`);
      runtime.post({ type: 'command', at: now(), server: name, command: 'restart' });
    }
  }

  async #apply(path: string): Promise<void> {
    try {
      const installer = await this.#parts.installs.installer();
      const { failed } = await installer.apply({ path, text: await readFile(path, 'utf8') });
      const told = failed.map(({ name, error }) => `${path}: ${name}: ${error.what}`);
      if (told.length > 0) this.#trouble.set(path, told);
    } catch (thrown) {
      // The old set stays as it is; a file cut in the middle of saving is whole a moment later.
      this.#trouble.set(path, [asMcpdError(thrown, 'CONFIG_INVALID', `${path} could not be applied`).message]);
    }
  }
}

// — internal —

/** Null for a server that is reached elsewhere: then nothing of the folder is its program. */
async function entryIn(folder: string, { launch }: ServerDefinition): Promise<string | null> {
  return launch.kind === 'http' ? null : (await import('../install/folder.ts')).entryOf(folder, launch);
}
