import { setTimeout as delay } from 'node:timers/promises';
import type { CatalogHit } from '../api/contract.ts';
import type { RegistriesControl } from '../api/registries-control.ts';
import { McpdError } from '../errors.ts';
import type { Installer } from '../install/install.ts';
import { INSTALLS_END_MS, READINGS_MAX } from '../operation-limits.ts';
import type { Installing } from './installing.ts';
import type { Parts } from './parts.ts';
import { Trials } from './trials.ts';

/** Everything that installs or uninstalls: loaded with the first of it, counted while it is under way, and waited for at the end. */
export class InstallWork {
  /** Told by the core how they went. */
  readonly trials = new Trials();
  readonly #parts: Parts;
  #loaded: Promise<Installing> | null = null;
  #underWay = 0;
  #readings = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async installer(): Promise<Installer> {
    return (await this.#load()).installer;
  }

  async catalog(query: string): Promise<CatalogHit[]> {
    return (await this.#load()).catalog(query);
  }

  async registries(): Promise<RegistriesControl> {
    return (await this.#load()).registries;
  }

  /** Tries an installed server once more, for its lists. @throws {McpdError} as a trial fails; TRIES_FULL */
  async readAnew(server: string, signal: AbortSignal): Promise<void> {
    if (this.#readings >= READINGS_MAX)
      throw new McpdError('TRIES_FULL', {
        what: `the lists of ${READINGS_MAX} servers are being read already`,
        fix: 'again in a moment',
      });
    this.#readings += 1;
    try {
      await (await this.#load()).readAnew(server, signal);
    } finally {
      this.#readings -= 1;
    }
  }

  /** Does what brings servers; `isUnderWay` until it has ended. */
  async install<T>(work: (installer: Installer) => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work(await this.installer());
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Secrets may be kept already for servers that are not registered yet. */
  get isUnderWay(): boolean {
    return this.#underWay > 0;
  }

  /** They were aborted when the daemon's end began; what they undo is waited for, since a half install would be left otherwise. */
  async end(): Promise<void> {
    if (this.#loaded === null) return;
    const { installer } = await this.#loaded;
    await Promise.race([installer.idle(), delay(INSTALLS_END_MS, undefined, { ref: false })]);
  }

  #load(): Promise<Installing> {
    this.#loaded ??= import('./installing.ts').then(({ Installing }) => new Installing(this.#parts, this.trials));
    // A load that failed (no free file descriptor) is tried again by the next request.
    this.#loaded.catch(() => (this.#loaded = null));
    return this.#loaded;
  }
}
