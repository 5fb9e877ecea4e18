import { join } from 'node:path';
import { folderIdentity, isStill } from '../home.ts';
import { HOME_CHECK_MS } from '../operation-limits.ts';
import type { Paths } from '../paths.ts';

/**
 * Notices when the daemon's home is moved or removed, or in it one of the files by which commands find this daemon (`rm -rf` that ended
 * halfway, a cleaner of old files). Such a daemon must end: no command reaches it any more, what it writes by path would land in whatever
 * lies there now, and another daemon may have begun there.
 */
export class HomeWatch {
  readonly #home: Watched;
  #timer: NodeJS.Timeout | undefined;

  constructor(home: string) {
    this.#home = watched(home);
  }

  /** `gone` is called with the first path that is not what it was. For a daemon that listens: its sockets are there. */
  begin({ home, daemonLock, hostSocket, apiSocket }: Paths, gone: (path: string) => void): void {
    const sockets = process.platform === 'win32' ? [] : [hostSocket, apiSocket].map((name) => join(home, name));
    const all = [this.#home, ...[daemonLock, ...sockets].map(watched)];
    this.#timer = setInterval(() => {
      const lost = all.find((one) => !isStill(one.path, one.identity));
      if (lost !== undefined) gone(lost.path);
    }, HOME_CHECK_MS).unref();
  }

  /** Is the folder still there, whatever is in it? */
  isThere(): boolean {
    return isStill(this.#home.path, this.#home.identity);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

// — internal —

interface Watched {
  path: string;
  identity: string | null;
}

function watched(path: string): Watched {
  return { path, identity: folderIdentity(path) };
}
