import { folderIdentity, isStill } from '../home.ts';
import { HOME_CHECK_MS } from '../operation-limits.ts';

/**
 * Notices when the daemon's home is moved or removed. Such a daemon must end: no command reaches it any more, what it writes by path would
 * land in whatever lies there now, and another daemon may have begun there.
 */
export class HomeWatch {
  readonly #home: string;
  readonly #identity: string | null;
  readonly #timer: NodeJS.Timeout;

  constructor(home: string, gone: () => void) {
    this.#home = home;
    this.#identity = folderIdentity(home);
    this.#timer = setInterval(() => {
      if (!this.isThere()) gone();
    }, HOME_CHECK_MS).unref();
  }

  isThere(): boolean {
    return isStill(this.#home, this.#identity);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
