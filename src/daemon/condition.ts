import type { DaemonStatus } from '../api/contract.ts';
import { asMcpdError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { Parts } from './parts.ts';

/** What the daemon was started with. */
interface Origin {
  engine: DaemonStatus['engine'];
  warnings: readonly string[];
  /** Epoch milliseconds. */
  startedAt: number;
}

/** What changes by itself and belongs to no part that could tell it. */
interface Now {
  state: DaemonStatus['state'];
  port: number | null;
  /** Of the control API. */
  apiWarnings: readonly string[];
}

/** How the daemon itself is: what `mcpd status` shows, with what each of its parts has to remark. */
export class Condition {
  readonly #parts: Parts;
  readonly #origin: Origin;
  #abandoned = false;
  #storageWarning: string | null = null;

  constructor(parts: Parts, origin: Origin) {
    this.#parts = parts;
    this.#origin = origin;
  }

  /** Whoever kept it running has ended. */
  abandon(): void {
    this.#abandoned = true;
  }

  /** A write to the registry went well (null), or not. */
  stored(fault: { thrown: unknown } | null): void {
    const told = (thrown: unknown) => asMcpdError(thrown, 'REGISTRY_DAMAGED', 'the registry could not be written');
    this.#storageWarning = fault === null ? null : told(fault.thrown).message;
  }

  /** What cannot be written down is told, and stops nothing. */
  storing(write: () => void): void {
    try {
      write();
      this.stored(null);
    } catch (thrown) {
      this.stored({ thrown });
    }
  }

  status({ state, port, apiWarnings }: Now): DaemonStatus {
    const { gateway, paths, registry, history, processes, watching, telemetry, secrets } = this.#parts;
    const { servers, sessions, totals } = gateway.view;
    return {
      pid: process.pid,
      version: VERSION,
      home: paths.home,
      port,
      startedAt: this.#origin.startedAt,
      state,
      engine: this.#origin.engine,
      node: process.version,
      servers: servers.size,
      sessions: sessions.size,
      calls: totals.calls,
      warnings: [
        ...this.#origin.warnings,
        ...(this.#abandoned ? [ABANDONED] : []),
        ...registry.findings(),
        ...history.findings(),
        ...processes.findings(),
        ...apiWarnings,
        ...watching.findings(),
        ...telemetry.findings(),
        ...(secrets.damage === null ? [] : [secrets.damage.message]),
        ...(secrets.finding === null ? [] : [secrets.finding]),
        ...(this.#storageWarning === null ? [] : [this.#storageWarning]),
      ],
    };
  }
}

// — internal —

const ABANDONED = 'what kept mcpd running has ended, so nothing starts it again after a crash: mcpd restart';
