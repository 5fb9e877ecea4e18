import type { ShellStarted } from '../login-shell.ts';
import type { Guardian } from './guardian.ts';
import { signalGroup } from './signals.ts';

/** The login shells that are being asked: a profile that hangs must not outlive the daemon, however that ends. */
export class LoginShells {
  readonly #guardian: Pick<Guardian, 'add' | 'remove'>;
  /** By the pid of the shell, which leads a group of its own: settled when it has ended. */
  readonly #ends = new Map<number, Promise<void>>();

  constructor(guardian: Pick<Guardian, 'add' | 'remove'>) {
    this.#guardian = guardian;
  }

  readonly watch: ShellStarted = (shell) => {
    const { pid } = shell;
    if (pid === undefined) return;
    this.#guardian.add(pid);
    const end = new Promise<void>((resolve) => {
      shell.once('exit', () => {
        this.#guardian.remove(pid);
        this.#ends.delete(pid);
        resolve();
      });
    });
    this.#ends.set(pid, end);
  };

  /** Ends those that are still there, and waits for it. */
  async end(): Promise<void> {
    for (const pid of this.#ends.keys()) signalGroup(pid, 'kill');
    await Promise.all(this.#ends.values());
  }
}
