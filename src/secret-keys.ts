import { createHash, randomBytes } from 'node:crypto';
import { McpdError } from './errors.ts';
import type { Keyring } from './keyring.ts';
import { KeyringFault } from './keyring.ts';
import { readPrivate, removePrivate, writePrivate } from './private-file.ts';
import { KEY_BYTES, type Key, type KeyPlace, keyOfText, type Sealed } from './sealed-file.ts';
import { shellWord } from './shell-word.ts';

/** Where the key of the secrets is kept, made and found again. */

/** Why a setting is passed over, or null. */
export function storeFinding(env: NodeJS.ProcessEnv): string | null {
  const given = env['MCPD_SECRET_STORE'] ?? '';
  if (['', 'auto', 'keyring', 'file'].includes(given)) return null;
  return `MCPD_SECRET_STORE is passed over: "${given}" is none of auto, keyring and file`;
}

export interface SecretSurroundings {
  env: NodeJS.ProcessEnv;
  keyring: Keyring;
}

export interface KeyPaths {
  secrets: string;
  secretKey: string;
}

export class SecretKeys {
  readonly #paths: KeyPaths;
  readonly #surroundings: SecretSurroundings;

  constructor(paths: KeyPaths, surroundings: SecretSurroundings) {
    this.#paths = paths;
    this.#surroundings = surroundings;
  }

  /** The key of a file that is there. @throws McpdError SECRETS_LOCKED, HOME_UNWRITABLE */
  async find({ place, keyId }: Pick<Sealed, 'place' | 'keyId'>): Promise<Key> {
    const bytes = await this.#bytesIn(place, keyId);
    if (bytes === null || idOf(bytes) !== keyId) throw this.#locked(FAULTS[place](this.#paths, bytes !== null));
    return { place, id: keyId, bytes };
  }

  /** Whether the key should be elsewhere than it is. */
  isMisplaced(now: KeyPlace): boolean {
    return this.#wanted(now) !== now;
  }

  /** The key to write with from now on: `now` if it is where it should be, else a new one that was read back. @throws McpdError SECRETS_LOCKED, HOME_UNWRITABLE, DISK_FULL, INPUT_INVALID */
  async forWriting(now: Key | null): Promise<Key> {
    const wanted = this.#wanted(now?.place ?? null);
    if (now !== null && now.place === wanted) return now;
    if (wanted === 'variable') return this.#variableKey();
    if (wanted === 'file') return this.#fileKey();
    try {
      return await this.#keyringKey();
    } catch (thrown) {
      if (!(thrown instanceof KeyringFault)) throw thrown;
      if (wanted === 'keyring-or-file') return this.#fileKey();
      throw this.#locked({
        why: `MCPD_SECRET_STORE=keyring, and no keyring answers: ${thrown.message}`,
        fix: 'run mcpd restart in a desktop session whose keyring is unlocked, or set MCPD_SECRET_STORE=file',
      });
    }
  }

  /** Of a key that no file needs any more. @throws KeyringFault, McpdError HOME_UNWRITABLE */
  async forget({ place, id }: Key): Promise<void> {
    if (place === 'keyring') await this.#surroundings.keyring.remove(accountOf(id));
    if (place === 'file') await removePrivate(this.#paths.secretKey);
  }

  #wanted(now: KeyPlace | null): KeyPlace | 'keyring-or-file' {
    const { env } = this.#surroundings;
    return wantedPlace(storeSetting(env), this.#variable() !== '', now);
  }

  async #bytesIn(place: KeyPlace, keyId: string): Promise<Buffer | null> {
    if (place === 'variable') return keyOfText(this.#variable());
    if (place === 'file') return keyOfText((await readPrivate(this.#paths.secretKey)) ?? '');
    try {
      return keyOfText((await this.#surroundings.keyring.get(accountOf(keyId))) ?? '');
    } catch (thrown) {
      if (!(thrown instanceof KeyringFault)) throw thrown;
      throw this.#locked({
        why: `their key is in the keyring of this system, which cannot be asked: ${thrown.message}`,
        fix: 'unlock the keyring, or run mcpd restart in a terminal of the desktop session; servers without secrets run on',
      });
    }
  }

  #variable(): string {
    return this.#surroundings.env['MCPD_SECRET_KEY'] ?? '';
  }

  #variableKey(): Key {
    const bytes = keyOfText(this.#variable());
    if (bytes !== null) return { place: 'variable', id: idOf(bytes), bytes };
    throw new McpdError('INPUT_INVALID', {
      what: 'MCPD_SECRET_KEY is no key',
      why: 'it must be 32 random bytes, in base64 or as 64 hexadecimal digits',
      fix: 'make one with: openssl rand -base64 32',
    });
  }

  /** One that lies there is taken: a daemon that was killed had just made it, or the file it belonged to was moved away. */
  async #fileKey(): Promise<Key> {
    const path = this.#paths.secretKey;
    const there = await readPrivate(path);
    const bytes = there === null ? randomBytes(KEY_BYTES) : keyOfText(there);
    if (bytes === null) {
      throw new McpdError('SECRETS_DAMAGED', {
        what: `${path} is damaged`,
        why: 'it is not the key that mcpd writes; it was left as it is',
        fix: `move it away (mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}), then mcpd restart`,
      });
    }
    if (there === null) await writePrivate(path, `${bytes.toString('base64')}\n`);
    return { place: 'file', id: idOf(bytes), bytes };
  }

  /** Each question is a process, so the answer is what the next daemon will get. @throws KeyringFault */
  async #keyringKey(): Promise<Key> {
    const { keyring } = this.#surroundings;
    const bytes = randomBytes(KEY_BYTES);
    const id = idOf(bytes);
    await keyring.set(accountOf(id), bytes.toString('base64'));
    const kept = keyOfText((await keyring.get(accountOf(id))) ?? '');
    if (kept === null || !kept.equals(bytes)) throw new KeyringFault('it does not keep what it is given');
    return { place: 'keyring', id, bytes };
  }

  #locked({ why, fix }: { why: string; fix: string }): McpdError {
    return new McpdError('SECRETS_LOCKED', { what: 'the secrets cannot be read or changed', why, fix });
  }
}

// — internal —

/** What MCPD_SECRET_STORE says; `auto` without it: in the keyring if one answers when the first secret is kept, else in a file. */
type StoreSetting = 'auto' | 'keyring' | 'file';

function storeSetting(env: NodeJS.ProcessEnv): StoreSetting {
  const given = env['MCPD_SECRET_STORE'];
  return given === 'keyring' || given === 'file' ? given : 'auto';
}

/** Where the key belongs; `keyring-or-file` is decided by whether a keyring answers. Pure. */
function wantedPlace(setting: StoreSetting, hasVariable: boolean, now: KeyPlace | null): KeyPlace | 'keyring-or-file' {
  if (hasVariable) return 'variable';
  if (setting !== 'auto') return setting;
  return now === null || now === 'variable' ? 'keyring-or-file' : now;
}

function idOf(key: Buffer): string {
  return createHash('sha256').update('mcpd key ').update(key).digest('hex').slice(0, 16);
}

function accountOf(keyId: string): string {
  return `secrets ${keyId}`;
}

/** What is said of a key that is not there, or is another one. */
const FAULTS: Record<KeyPlace, (paths: KeyPaths, isOther: boolean) => { why: string; fix: string }> = {
  keyring: ({ secrets }) => ({
    why: 'the keyring of this system answers, and no longer has their key',
    fix: `log in as the user whose keyring had it; or give up what was kept (mv ${shellWord(secrets)} ${shellWord(`${secrets}.old`)}), then mcpd restart and give the secrets again`,
  }),
  file: ({ secrets, secretKey }, isOther) => ({
    why: isOther ? `${secretKey} is not the key of ${secrets}` : `their key ${secretKey} is not there, or is no key`,
    fix: `put it back from a backup; or give up what was kept (mv ${shellWord(secrets)} ${shellWord(`${secrets}.old`)}), then mcpd restart and give the secrets again`,
  }),
  variable: ({ secrets }, isOther) => ({
    why: isOther
      ? `MCPD_SECRET_KEY is not the key of ${secrets}`
      : 'their key was given by MCPD_SECRET_KEY, which the daemon does not have, or which is no key',
    fix: 'export MCPD_SECRET_KEY as it was, then mcpd restart',
  }),
};
