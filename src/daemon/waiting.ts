import type { Gateway } from '../core/gateway.ts';
import type { ServerStatus } from '../core/model.ts';
import { instancesOf } from '../core/places.ts';
import { McpdError } from '../errors.ts';
import { COMMAND_WAIT_MS } from '../operation-limits.ts';

/** Lets an API request wait until a server is where a person wants it. Fed by the core's `publish` effects. */
export class ServerWaits {
  readonly #gateway: Gateway;
  readonly #waits = new Set<{ server: string; look: () => void }>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  changed(server: string): void {
    for (const wait of [...this.#waits]) if (wait.server === server) wait.look();
  }

  /**
   * Resolves with the status for which `settled` is true, at once if it is so already; with null when the server is gone.
   * @throws {McpdError} SERVER_BUSY after COMMAND_WAIT_MS
   */
  until(server: string, settled: (status: ServerStatus) => boolean): Promise<ServerStatus | null> {
    return this.#wait(server, () => {
      const status = this.#gateway.status(server);
      return status === null ? { value: null } : settled(status) ? { value: status } : null;
    });
  }

  /** Resolves when an uninstalled server has no process any more. @throws {McpdError} SERVER_BUSY after COMMAND_WAIT_MS */
  async gone(server: string): Promise<void> {
    await this.#wait(server, () => (instancesOf(this.#gateway.view, server).length > 0 ? null : { value: null }));
  }

  #wait<T>(server: string, condition: () => { value: T } | null): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (finish: () => void) => {
        clearTimeout(timer);
        this.#waits.delete(wait);
        finish();
      };
      const look = () => {
        const met = condition();
        if (met !== null) end(() => resolve(met.value));
      };
      const timer = setTimeout(() => end(() => reject(this.#late(server))), COMMAND_WAIT_MS);
      const wait = { server, look };
      this.#waits.add(wait);
      look();
    });
  }

  #late(server: string): McpdError {
    return new McpdError('SERVER_BUSY', {
      what: `${server} is still ${this.#gateway.status(server)?.state ?? 'stopping'} after ${COMMAND_WAIT_MS / 1000} s`,
      fix: `mcpd info ${server}`,
    });
  }
}
