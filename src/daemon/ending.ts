import type { DaemonStatus } from '../api/contract.ts';
import { McpdError } from '../errors.ts';
import { SERVERS_END_MS } from '../operation-limits.ts';

/** What ended a daemon: a signal or a fault of its own, a person, or that its home, or what commands find it by, is not there any more. */
export type EndReason = 'signal' | 'person' | 'home-gone';

/** How far a daemon is with its end. */
export class Ending {
  state: DaemonStatus['state'] = 'running';
  reason: EndReason = 'signal';
  /** For people. */
  why = WHY.signal;
  /** Resolves when no server is left, or after SERVERS_END_MS: a core that has lost its way must not keep the daemon. */
  readonly stopped: Promise<void>;
  readonly #abort = new AbortController();
  #allStopped: () => void = () => undefined;

  constructor() {
    this.stopped = new Promise((resolve) => {
      this.#allStopped = resolve;
    });
  }

  /** Aborted when the end begins, with the reason for whoever waits for something. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** False when it has begun already; the first reason stands. `successor`: another daemon is started at once. */
  begin(reason: EndReason, successor = false): boolean {
    if (this.state === 'stopping') return false;
    this.state = 'stopping';
    this.reason = reason;
    this.why = successor ? 'mcpd restart, or another version takes over' : WHY[reason];
    setTimeout(() => this.allStopped(), SERVERS_END_MS).unref();
    const [why, fix] = ['nothing of what was begun is kept', 'try it again'];
    this.#abort.abort(new McpdError('DAEMON_STOPPING', { what: 'mcpd is stopping', why, fix }));
    return true;
  }

  allStopped(): void {
    this.#allStopped();
  }
}

// — internal —

const WHY: Readonly<Record<EndReason, string>> = {
  signal: 'a signal, or a fault of its own',
  person: 'mcpd down',
  'home-gone': 'its home, or a file in it, was moved or removed',
};
