import { realpath, stat } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { errnoOf } from './errors.ts';
import { WATCH_POLL_MS, WATCH_RESTARTS_PER_MINUTE_MAX, WATCH_ROOT_CHECK_MS } from './operation-limits.ts';
import { describeChange, dueAt, isWatched } from './watch-rules.ts';

export interface WatchListener {
  /** Gathered changes of a watched path; `what` is for people: `server.js and 2 more files changed`. */
  onChange(path: string, what: string): void;
  /** The path is not watched as it should be, or a change is held back; `text` is a sentence that begins with the path. */
  onTrouble(path: string, text: string): void;
}

/** Watches the folders of development servers and declared files. Changes are told gathered, and not more often than limits.ts says. */
export interface Watch {
  /** `entry`: the absolute file the server is started from; it decides whether build output counts. Resolves once changes are seen. */
  addFolder(path: string, entry: string | null): Promise<void>;
  addFile(path: string): Promise<void>;
  remove(path: string): Promise<void>;
  close(): Promise<void>;
}

export function createWatch(listener: WatchListener): Watch {
  return new PathWatch(listener);
}

// — internal —

class PathWatch implements Watch {
  readonly #listener: WatchListener;
  readonly #roots = new Map<string, Root>();
  #check: NodeJS.Timeout | null = null;

  constructor(listener: WatchListener) {
    this.#listener = listener;
  }

  async addFolder(path: string, entry: string | null): Promise<void> {
    const inside = entry === null ? null : relative(path, entry).split(sep).join('/');
    await this.#add(
      new Root(path, { kind: 'folder', entry: inside?.startsWith('..') === true ? null : inside }, this.#listener),
    );
  }

  async addFile(path: string): Promise<void> {
    await this.#add(new Root(path, { kind: 'file' }, this.#listener));
  }

  async remove(path: string): Promise<void> {
    const root = this.#roots.get(path);
    this.#roots.delete(path);
    if (this.#roots.size === 0) this.#stopChecking();
    await root?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#roots.keys()].map((path) => this.remove(path)));
  }

  async #add(root: Root): Promise<void> {
    const before = this.#roots.get(root.path);
    this.#roots.set(root.path, root);
    await before?.close();
    this.#check ??= setInterval(() => {
      for (const each of this.#roots.values()) void each.check();
    }, WATCH_ROOT_CHECK_MS).unref();
    await root.open();
  }

  #stopChecking(): void {
    if (this.#check !== null) clearInterval(this.#check);
    this.#check = null;
  }
}

type Target = { kind: 'file' } | { kind: 'folder'; entry: string | null };

/** One watched path. No method rejects: what fails is told as trouble. */
class Root {
  readonly path: string;
  readonly #target: Target;
  readonly #listener: WatchListener;
  /** The path with its links followed: chokidar would watch a link, and not the folder behind it. */
  #real: string;
  #watcher: FSWatcher | null = null;
  #release: () => void = () => undefined;
  #closed = false;
  #polling = false;
  /** Which folder is behind the path now; null while there is none. */
  #identity: string | null = null;
  #checking = false;
  #changed = new Set<string>();
  #firstChange = 0;
  #told: number[] = [];
  #timer: NodeJS.Timeout | null = null;
  #heldTold = false;

  constructor(path: string, target: Target, listener: WatchListener) {
    this.path = path;
    this.#real = path;
    this.#target = target;
    this.#listener = listener;
  }

  async open(): Promise<void> {
    this.#identity = await this.#look();
    await this.#watchAnew();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#watcher?.close();
    this.#release(); // a watcher that is closed early is never ready
  }

  /** A folder that was deleted and made again, or swapped, keeps its name but not its watch. */
  async check(): Promise<void> {
    if (this.#checking || this.#closed) return;
    this.#checking = true;
    try {
      const identity = await this.#look();
      if (identity === this.#identity || this.#closed) return;
      this.#identity = identity;
      if (identity === null) {
        this.#complain('is gone; its server stays as it is until the folder is back');
        return;
      }
      await this.#watchAnew();
      this.#note(`the ${this.#target.kind}`);
    } finally {
      this.#checking = false;
    }
  }

  /** What is behind the path; null when nothing can be watched there. */
  async #look(): Promise<string | null> {
    if (this.#target.kind === 'folder') return identityOf(this.path);
    const folder = await identityOf(dirname(this.path));
    // A deleted file is told by its own event, and is awaited where it was.
    return folder === null ? null : `${folder} ${await realpath(this.path).catch(() => this.#real)}`;
  }

  async #watchAnew(): Promise<void> {
    await this.#watcher?.close();
    this.#watcher = null;
    if (this.#identity === null || this.#closed) return;
    const { watch } = await import('chokidar');
    const real = await realpath(this.path).catch(() => this.path); // a file that is not there yet is watched by its name
    if (this.#closed) return;
    this.#real = real;
    const watcher = watch(real, {
      ignoreInitial: true,
      followSymlinks: false,
      usePolling: this.#polling,
      interval: WATCH_POLL_MS,
      binaryInterval: WATCH_POLL_MS,
      ignored: (path) => !this.#isWatched(path),
    });
    this.#watcher = watcher;
    await new Promise<void>((ready) => {
      watcher.on('ready', ready);
      this.#release = ready;
      watcher.on('error', (error) => {
        ready();
        this.#onError(watcher, error);
      });
      watcher.on('all', (event, path) => this.#onEvent(event, path));
    });
  }

  #isWatched(path: string): boolean {
    if (this.#target.kind === 'file') return true;
    return isWatched(relative(this.#real, path).split(sep).join('/'), this.#target.entry);
  }

  #onEvent(event: string, path: string): void {
    if (this.#closed) return;
    if (event === 'unlinkDir' && path === this.#real) {
      this.#identity = 'gone'; // whatever the next check finds is another folder
      return;
    }
    if (event === 'unlink' && this.#target.kind === 'file') {
      this.#complain('was deleted; what it declared stays as it is until the file is back');
      return;
    }
    if (event === 'addDir') return; // an empty folder changes nothing, its files are told
    this.#note(relative(this.#real, path).split(sep).join('/'));
  }

  #onError(watcher: FSWatcher, error: unknown): void {
    if (this.#closed || watcher !== this.#watcher) return;
    const errno = errnoOf(error);
    if ((errno === 'ENOSPC' || errno === 'EMFILE') && !this.#polling) {
      this.#polling = true;
      this.#complain('the system gives no more file watches; its files are looked at every second instead');
      void this.#watchAnew();
      return;
    }
    this.#complain(`cannot be watched as a whole: ${error instanceof Error ? error.message : String(error)}`);
  }

  #complain(text: string): void {
    this.#listener.onTrouble(this.path, `${this.path} ${text}`);
  }

  #note(file: string): void {
    const now = performance.now();
    if (this.#changed.size === 0) this.#firstChange = now;
    this.#changed.add(file === '' ? `the ${this.#target.kind}` : file);
    const { at, held } = dueAt(now, this.#firstChange, this.#told);
    if (held && !this.#heldTold) {
      this.#heldTold = true;
      const text = `changed more than ${WATCH_RESTARTS_PER_MINUTE_MAX} times within a minute; further changes take effect in ${Math.ceil((at - now) / 1000)} s`;
      this.#complain(text);
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tell(), Math.max(0, at - now));
    this.#timer.unref();
  }

  #tell(): void {
    this.#timer = null;
    this.#heldTold = false;
    this.#told = [...this.#told, performance.now()].slice(-WATCH_RESTARTS_PER_MINUTE_MAX);
    const files = [...this.#changed];
    this.#changed = new Set();
    this.#listener.onChange(this.path, describeChange(files));
  }
}

/** Number and age: a number alone is given to the next folder as soon as this one is deleted. */
async function identityOf(folder: string): Promise<string | null> {
  try {
    const { dev, ino, birthtimeMs } = await stat(folder);
    return `${dev}:${ino}:${birthtimeMs}`;
  } catch {
    return null; // not there, or not for us: both mean that nothing can be watched until it changes
  }
}
