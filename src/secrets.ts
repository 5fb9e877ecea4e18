import { setTimeout as delay } from 'node:timers/promises';
import { asMcpdError, McpdError } from './errors.ts';
import { systemKeyring } from './keyring.ts';
import { KEYRING_ANSWER_MS } from './operation-limits.ts';
import { readPrivate, removePrivate, removeUnfinished, writePrivate } from './private-file.ts';
import { type Key, readSealed, type Sealed, seal, unseal } from './sealed-file.ts';
import { SecretKeys, type SecretSurroundings } from './secret-keys.ts';
import { hashOf, mergedContent, parseSecrets, printSecrets, type SecretsContent } from './secrets-content.ts';
import { damaged, type SecretsPaths } from './secrets-where.ts';

/**
 * Secret values, in one encrypted file of the home: server → name → value. Everything else holds `${secret:NAME}`. One writer only: the
 * daemon. A value is never part of an error, and never leaves but through `get` and `mapOf`.
 */
export interface Secrets {
  /**
   * Why they cannot be read now; null when they can. Reading and writing then throw this error, and the file is left as it is. One that
   * is only locked is tried again by `ready` and by each change.
   */
  readonly damage: McpdError | null;
  /** What is not as it should be though they can be read: the plain file of an earlier version could not be removed. */
  readonly finding: string | null;
  /** Resolves when they can be read, or it is known that they cannot; at most `waitMs` (KEYRING_ANSWER_MS) later. Never rejects. */
  ready(waitMs?: number): Promise<void>;
  /** Resolves when no change is under way. Never rejects. */
  settled(): Promise<void>;
  /** @throws McpdError SECRETS_DAMAGED, SECRETS_LOCKED */
  get(server: string, name: string): string | undefined;
  /** All secrets of one server: the same map until one of them changes. @throws McpdError SECRETS_DAMAGED, SECRETS_LOCKED */
  mapOf(server: string): ReadonlyMap<string, string>;
  /** Names only, sorted; empty when they cannot be read. */
  names(server: string): string[];
  /** Servers that have secrets, sorted; empty when they cannot be read. */
  servers(): string[];
  /** Adds or replaces; resolves when it is on the disk. @throws McpdError SECRETS_DAMAGED, SECRETS_LOCKED, DISK_FULL, HOME_UNWRITABLE */
  set(server: string, values: ReadonlyMap<string, string>): Promise<void>;
  /** All of `server` are these from now on, in one write: whatever fails, either the old ones are kept or the new ones. @throws as `set` */
  replace(server: string, values: ReadonlyMap<string, string>): Promise<void>;
  /** Removes the named secrets, or all of the server without `names`. Tells whether there was any. @throws as `set` */
  remove(server: string, names?: readonly string[]): Promise<boolean>;
}

/**
 * Files that are not there are empty. What cannot be understood or opened is not an exception here: servers without secrets must run on. A
 * plain file of an earlier version is read at once, and becomes the encrypted one behind that; a keyring is asked behind that as well.
 * @throws McpdError HOME_UNWRITABLE when a file is there and cannot be read
 */
export async function openSecrets(
  paths: SecretsPaths,
  surroundings: SecretSurroundings = { env: process.env, keyring: systemKeyring() },
): Promise<Secrets> {
  for (const path of [paths.secrets, paths.secretKey, paths.plainSecrets]) await removeUnfinished(path);
  const [sealedText, plainText] = [await readPrivate(paths.secrets), await readPrivate(paths.plainSecrets)];
  const content = plainText === null ? null : (parseSecrets(plainText)?.content ?? null);
  const plain = plainText === null || content === null ? null : { content, hash: hashOf(plainText) };
  const sealed = sealedText === null ? null : readSealed(sealedText);
  const keys = new SecretKeys(paths, surroundings);
  if (plainText !== null && plain === null)
    return new SecretsStore(paths, keys, damagedState(paths.plainSecrets), null);
  if (sealedText !== null && sealed === null) return new SecretsStore(paths, keys, damagedState(paths.secrets), null);
  const state: State =
    sealed === null
      ? { is: 'open', content: new Map(), taken: null, key: null }
      : { is: 'locked', why: unasked(), sealed };
  const store = new SecretsStore(paths, keys, state, plain);
  // What lies in files is there at once; a keyring may take its time.
  if (sealed?.place === 'keyring') void store.ready();
  else await store.ready();
  return store;
}

/**
 * Under which name a server's logins (src/auth) are kept in the place of a server's: no server can have it, so no `${secret:…}` can name
 * what is in it.
 */
export function loginSpace(server: string): string {
  return `oauth:${server}`;
}

// — internal —

interface Open {
  content: SecretsContent;
  /** Hash of the plain file that is among them already. */
  taken: string | null;
  /** Null when nothing was ever written encrypted. */
  key: Key | null;
}

/** What an earlier version left. */
interface Plain {
  content: SecretsContent;
  hash: string;
}

/** `locked`: the file is whole, and its key is not there now. */
type State =
  | ({ is: 'open' } & Open)
  | { is: 'locked'; why: McpdError; sealed: Sealed }
  | { is: 'damaged'; why: McpdError };

const NONE: ReadonlyMap<string, string> = new Map();

class SecretsStore implements Secrets {
  finding: string | null = null;
  readonly #paths: SecretsPaths;
  readonly #keys: SecretKeys;
  #state: State;
  /** Of an earlier version, until it has been written encrypted. */
  #plain: Plain | null;
  #unlocking: Promise<void> | null = null;
  /** The last write, so that each begins with what the one before it left. Never rejects. */
  #last: Promise<void> = Promise.resolve();

  constructor(paths: SecretsPaths, keys: SecretKeys, state: State, plain: Plain | null) {
    this.#paths = paths;
    this.#keys = keys;
    this.#state = state;
    this.#plain = plain;
    if (state.is === 'open') this.#opened(state);
  }

  get damage(): McpdError | null {
    return this.#state.is === 'open' ? null : this.#state.why;
  }

  async ready(waitMs = KEYRING_ANSWER_MS): Promise<void> {
    if (this.#state.is !== 'locked') return;
    const { sealed } = this.#state;
    this.#unlocking ??= this.#unlock(sealed).finally(() => {
      this.#unlocking = null;
    });
    const patience = new AbortController();
    await Promise.race([
      this.#unlocking,
      delay(waitMs, undefined, { signal: patience.signal }).catch(() => undefined), // it was unlocked first
    ]);
    patience.abort();
  }

  settled(): Promise<void> {
    return this.#last;
  }

  get(server: string, name: string): string | undefined {
    return this.mapOf(server).get(name);
  }

  mapOf(server: string): ReadonlyMap<string, string> {
    return this.#content().get(server) ?? NONE;
  }

  names(server: string): string[] {
    return this.#state.is === 'open' ? [...this.mapOf(server).keys()].sort() : [];
  }

  servers(): string[] {
    return this.#state.is === 'open' ? [...this.#state.content.keys()].sort() : [];
  }

  async set(server: string, values: ReadonlyMap<string, string>): Promise<void> {
    if (values.size === 0) return;
    await this.#change((content) => {
      content.set(server, new Map([...(content.get(server) ?? []), ...values]));
      return true;
    });
  }

  async replace(server: string, values: ReadonlyMap<string, string>): Promise<void> {
    await this.#change((content) => {
      const hadAny = content.delete(server);
      if (values.size > 0) content.set(server, new Map(values));
      return hadAny || values.size > 0;
    });
  }

  remove(server: string, names?: readonly string[]): Promise<boolean> {
    return this.#change((content) => {
      const before = content.get(server);
      if (before === undefined) return false;
      const kept = new Map(names === undefined ? [] : [...before].filter(([name]) => !names.includes(name)));
      if (kept.size === 0) content.delete(server);
      else content.set(server, kept);
      return kept.size < before.size;
    });
  }

  #content(): SecretsContent {
    if (this.#state.is !== 'open') throw this.#state.why;
    return this.#state.content;
  }

  async #unlock(sealed: Sealed): Promise<void> {
    try {
      const key = await this.#keys.find(sealed);
      const text = unseal(sealed, key.bytes);
      const parsed = text === null ? null : parseSecrets(text);
      if (parsed === null) {
        this.#state = damagedState(this.#paths.secrets);
        return;
      }
      // Left by a daemon that was killed after the key had moved.
      if (key.place !== 'file') await removePrivate(this.#paths.secretKey);
      this.#opened({ ...parsed, key });
    } catch (thrown) {
      this.#state = { is: 'locked', why: asMcpdError(thrown, 'SECRETS_LOCKED', 'the secrets cannot be read'), sealed };
    }
  }

  /** What an earlier version left, or another key, is written behind all who only want to read. */
  #opened({ content, taken, key }: Open): void {
    const plain = this.#plain;
    // One that was taken already, by a daemon that was killed then, has older values than the encrypted file may have by now.
    const merged = plain === null || plain.hash === taken ? content : mergedContent(content, plain.content);
    this.#state = { is: 'open', content: merged, taken: plain?.hash ?? taken, key };
    if (plain === null && (key === null || !this.#keys.isMisplaced(key.place))) return;
    this.#change(() => true).then(
      () => undefined,
      (thrown: unknown) => {
        this.finding = `the secrets could not be written anew, and stay where they were: ${messageOf(thrown)}`;
      },
    );
  }

  /** Writes first, then shows: what a reader sees is what the disk has. */
  #change(edit: (content: Map<string, ReadonlyMap<string, string>>) => boolean): Promise<boolean> {
    const change = this.#last.then(async () => {
      await this.ready();
      const next = new Map(this.#content());
      const changed = edit(next);
      if (changed) await this.#write(next);
      return changed;
    });
    this.#last = change.then(
      () => undefined,
      () => undefined, // whoever asked for that change has the error; the next change starts from the state before it
    );
    return change;
  }

  /** The key first, then what is encrypted with it, and only then goes what it replaces: whenever it ends, one of both is whole. */
  async #write(content: SecretsContent): Promise<void> {
    if (this.#state.is !== 'open') throw this.#state.why;
    const { taken, key: before } = this.#state;
    const key = await this.#keys.forWriting(before);
    await writePrivate(this.#paths.secrets, seal(printSecrets({ content, taken }), key));
    this.#state = { is: 'open', content, taken, key };
    try {
      if (this.#plain !== null) await removePrivate(this.#paths.plainSecrets);
      this.#plain = null;
      if (before !== null && before.id !== key.id) await this.#keys.forget(before);
      this.finding = null;
    } catch (thrown) {
      this.finding = `the secrets are encrypted, and what they were kept with before could not be removed: ${messageOf(thrown)}`;
    }
  }
}

function messageOf(thrown: unknown): string {
  return asMcpdError(thrown, 'INTERNAL', 'unknown reason').message;
}

function damagedState(path: string): State {
  return { is: 'damaged', why: damaged(path) };
}

function unasked(): McpdError {
  return new McpdError('SECRETS_LOCKED', {
    what: 'the secrets cannot be read yet',
    why: 'their key is in the keyring of this system, which has not answered',
    fix: 'unlock the keyring if it asks you to; servers without secrets run on',
  });
}
