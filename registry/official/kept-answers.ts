import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../src/errors.ts';
import { REGISTRY_KEPT_BYTES_MAX, REGISTRY_KEPT_MAX, REGISTRY_KEPT_MS } from '../../src/registry-limits.ts';

/** An answer of a registry: JSON, and when it was given (milliseconds since 1970). */
export interface KeptAnswer {
  at: number;
  body: unknown;
}

/**
 * Answers of registries in a folder of the home, a file for each address: `{address, at, body}`. Files are named by a digest, so nothing
 * of an address becomes a path. A file that cannot be understood counts as none.
 */
export class KeptAnswers {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Null when there is none that may still serve. `now` in milliseconds since 1970. */
  async read(address: string, now: number): Promise<KeptAnswer | null> {
    const text = await textAt(this.#fileOf(address));
    const kept = text === null ? null : answerIn(text, address);
    // One from the future was written under another clock: nobody knows its age.
    return kept === null || kept.at > now || now - kept.at > REGISTRY_KEPT_MS ? null : kept;
  }

  /** Whole or not at all. @throws what the system says, such as ENOSPC */
  async keep(address: string, answer: KeptAnswer): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#fileOf(address);
    const temporary = `${file}.${randomUUID()}${UNFINISHED}`;
    try {
      await writeFile(temporary, JSON.stringify({ address, ...answer }), { mode: 0o600, flag: 'wx' });
      await rename(temporary, file);
    } catch (thrown) {
      await rm(temporary, { force: true });
      throw thrown;
    }
    await this.#makeRoom(answer.at);
  }

  async forget(address: string): Promise<void> {
    await rm(this.#fileOf(address), { force: true });
  }

  #fileOf(address: string): string {
    return join(this.#folder, `${createHash('sha256').update(address).digest('hex')}.json`);
  }

  /** The oldest go until the rest fits; what a killed daemon left unfinished goes too. */
  async #makeRoom(now: number): Promise<void> {
    const names = await readdir(this.#folder);
    const files = (await Promise.all(names.map((name) => fileAt(join(this.#folder, name))))).filter(
      (file) => file !== null,
    );
    files.sort((one, other) => other.at - one.at);
    let bytes = 0;
    for (const [index, { path, at, size }] of files.entries()) {
      const isOld = now - at > (path.endsWith(UNFINISHED) ? UNFINISHED_MS : REGISTRY_KEPT_MS);
      bytes += size;
      if (isOld || index >= REGISTRY_KEPT_MAX || bytes > REGISTRY_KEPT_BYTES_MAX) await rm(path, { force: true });
    }
  }
}

// — internal —

const UNFINISHED = '.part';
/** Whoever writes one is done long before. */
const UNFINISHED_MS = 60_000;

/** Null when it is not there, or cannot be read: it is only a copy. */
async function textAt(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return null; // the registry is asked in its place
  }
}

function answerIn(text: string, address: string): KeptAnswer | null {
  try {
    const { address: of, at, body } = JSON.parse(text) as Record<string, unknown>;
    return of === address && typeof at === 'number' && Number.isFinite(at) ? { at, body } : null;
  } catch {
    return null; // damaged: the registry is asked in its place
  }
}

async function fileAt(path: string): Promise<{ path: string; at: number; size: number } | null> {
  try {
    const { mtimeMs, size } = await stat(path);
    return { path, at: mtimeMs, size };
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return null; // another question removed it
    throw thrown;
  }
}
