import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf, McpdError } from './errors.ts';
import { homeFault } from './home.ts';
import { shellWord } from './shell-word.ts';

/**
 * Secret values, in one 0600 file of the home: server → name → value. Everything else holds `${secret:NAME}`. One writer only: the
 * daemon. A value is never part of an error, and never leaves but through `get` and `mapOf`.
 */
export interface Secrets {
  /** Why the file is refused; null when it is fine. Reading and writing then throw this error, and the file is left as it is. */
  readonly damage: McpdError | null;
  /** @throws McpdError SECRETS_DAMAGED */
  get(server: string, name: string): string | undefined;
  /** All secrets of one server. @throws McpdError SECRETS_DAMAGED */
  mapOf(server: string): ReadonlyMap<string, string>;
  /** Names only, sorted; empty when the file is damaged. */
  names(server: string): string[];
  /** Servers that have secrets, sorted; empty when the file is damaged. */
  servers(): string[];
  /** Adds or replaces; resolves when it is on the disk. @throws McpdError SECRETS_DAMAGED, DISK_FULL, HOME_UNWRITABLE */
  set(server: string, values: ReadonlyMap<string, string>): Promise<void>;
  /** All of `server` are these from now on, in one write: whatever fails, either the old ones are kept or the new ones. @throws as `set` */
  replace(server: string, values: ReadonlyMap<string, string>): Promise<void>;
  /** Removes the named secrets, or all of the server without `names`. Tells whether there was any. @throws as `set` */
  remove(server: string, names?: readonly string[]): Promise<boolean>;
}

/**
 * A file that is not there is empty. One that cannot be understood is not an exception here: servers without secrets must run on.
 * @throws McpdError HOME_UNWRITABLE when it is there and cannot be read
 */
export async function openSecrets(path: string): Promise<Secrets> {
  await removeUnfinished(path);
  const text = await readOwn(path);
  const content = text === null ? new Map() : parse(text);
  return content === null ? refused(damaged(path)) : new SecretsFile(path, content);
}

/** Why the file would be refused; null when it is fine, not there, or cannot be read. For looking only: nothing is repaired or narrowed. */
export async function secretsDamage(path: string): Promise<McpdError | null> {
  const text = await readFile(path, 'utf8').catch(() => null); // who may not read it is told by the check of its rights
  return text !== null && parse(text) === null ? damaged(path) : null;
}

/**
 * Under which name a server's logins (src/auth) are kept in the place of a server's: no server can have it, so no `${secret:…}` can name
 * what is in it.
 */
export function loginSpace(server: string): string {
  return `oauth:${server}`;
}

// — internal —

type Content = Map<string, Map<string, string>>;

const VERSION = 1;
const FILE_MODE = 0o600;

class SecretsFile implements Secrets {
  readonly damage = null;
  readonly #path: string;
  #content: Content;
  /** The last write, so that each begins with what the one before it left. Never rejects. */
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, content: Content) {
    this.#path = path;
    this.#content = content;
  }

  get(server: string, name: string): string | undefined {
    return this.#content.get(server)?.get(name);
  }

  mapOf(server: string): ReadonlyMap<string, string> {
    return this.#content.get(server) ?? new Map();
  }

  names(server: string): string[] {
    return [...this.mapOf(server).keys()].sort();
  }

  servers(): string[] {
    return [...this.#content.keys()].sort();
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

  /** Writes first, then shows: what a reader sees is what the disk has. */
  #change(edit: (content: Content) => boolean): Promise<boolean> {
    const change = this.#last.then(async () => {
      const next = new Map(this.#content);
      const changed = edit(next);
      if (changed) await writeWhole(this.#path, print(next));
      this.#content = next;
      return changed;
    });
    this.#last = change.then(
      () => undefined,
      () => undefined, // whoever asked for that change has the error; the next change starts from the state before it
    );
    return change;
  }
}

function refused(damage: McpdError): Secrets {
  const refuse = (): never => {
    throw damage;
  };
  return {
    damage,
    get: refuse,
    mapOf: refuse,
    names: () => [],
    servers: () => [],
    set: async () => refuse(),
    replace: async () => refuse(),
    remove: async () => refuse(),
  };
}

/** Null when the file is not there. Rights that are too wide are narrowed at once. */
async function readOwn(path: string): Promise<string | null> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw unreachable(path, error);
  }
  try {
    if (process.platform !== 'win32' && ((await file.stat()).mode & 0o077) !== 0) await file.chmod(FILE_MODE);
    return await file.readFile('utf8');
  } catch (error) {
    throw unreachable(path, error);
  } finally {
    await file.close();
  }
}

/** Null when it is not what `print` writes. Parse errors are not passed on: they quote the text, and the text is secret. */
function parse(text: string): Content | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null; // the caller says which file is damaged; the parser's words would show a piece of it
  }
  if (!isRecord(parsed) || parsed['version'] !== VERSION || !isRecord(parsed['secrets'])) return null;
  const content: Content = new Map();
  for (const [server, values] of Object.entries(parsed['secrets'])) {
    if (!isRecord(values)) return null;
    const map = new Map<string, string>();
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'string') return null;
      map.set(name, value);
    }
    content.set(server, map);
  }
  return content;
}

function print(content: Content): string {
  const secrets = Object.fromEntries([...content].map(([server, values]) => [server, Object.fromEntries(values)]));
  return `${JSON.stringify({ version: VERSION, secrets }, null, 2)}\n`;
}

/** Whole or not at all, whenever the power goes: a new file, flushed, takes the name, and the folder is flushed too. */
async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), temporaryPrefix(path) + randomBytes(6).toString('hex'));
  try {
    const file = await open(temporary, 'wx', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw unreachable(path, error);
  }
}

/** A writer that was killed leaves its new file, and with it secrets. */
async function removeUnfinished(path: string): Promise<void> {
  try {
    for (const name of await readdir(dirname(path))) {
      if (name.startsWith(temporaryPrefix(path))) await rm(join(dirname(path), name), { force: true });
    }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw unreachable(path, error);
  }
}

function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there, and renames are journalled
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function damaged(path: string): McpdError {
  return new McpdError('SECRETS_DAMAGED', {
    what: `${path} is damaged`,
    why: 'it is not the JSON that mcpd writes; it was left as it is',
    fix: `repair it, or move it away (mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}), then mcpd restart and give the secrets again`,
  });
}

function unreachable(path: string, error: unknown): McpdError {
  const what = `${path} could not be read or written`;
  const fault = homeFault(error, what);
  // Of the disk and of file descriptors that says it all; what is left is about this very file.
  if (fault.code === 'DISK_FULL' || fault.code === 'OUT_OF_FILES') return fault;
  const errno = errnoOf(error);
  return new McpdError('HOME_UNWRITABLE', {
    what,
    why:
      errno === 'ELOOP' ? 'it is a symbolic link, which mcpd does not follow for secrets' : (errno ?? 'unknown reason'),
    fix: `check its owner and rights: ls -ld ${shellWord(dirname(path))} ${shellWord(path)}`,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
