import type { LockLook, LockReport, LockState } from '../api/contract/lock.ts';
import type { KnownVersions, NextVersion, UpdateOffer, VersionChange, VersionState } from '../api/contract/updates.ts';
import type {
  AddRequest,
  ApplyRequest,
  ApplyResult,
  DeclaredSet,
  InstallEvent,
  InstallPlan,
  InstallRequest,
} from '../api/contract.ts';
import { applyDeclared } from './apply.ts';
import { exportSet } from './export.ts';
import { Installs } from './installs.ts';
import { Locking } from './locking.ts';
import type { InstallPorts } from './ports.ts';
import { checkNotDeclared, removeServer, sweepPackages } from './uninstall.ts';
import { Updates } from './updates.ts';
import { Versions } from './versions.ts';

/** Everything that puts servers into the registry or takes them out. */
export class Installer {
  readonly #ports: InstallPorts;
  readonly #installs: Installs;
  readonly #updates: Updates;
  readonly #versions: Versions;
  readonly #locking: Locking;
  /** Two applies of one file would both see what is missing, and one would fail: one after the other. */
  #lastApply: Promise<unknown> = Promise.resolve();
  #tidied: Promise<void> | null = null;
  readonly #atWork = new Set<Promise<unknown>>();

  constructor(ports: InstallPorts) {
    this.#ports = ports;
    this.#installs = new Installs(ports);
    this.#updates = new Updates(ports, this.#installs.names);
    this.#versions = new Versions(ports);
    this.#locking = new Locking(ports);
  }

  /**
   * What an install would do and still needs. `exact`: with the version that a package of npm comes in today.
   * @throws McpdError for a spec, a name or an input that will not do; with `exact` also as a fetch does
   */
  plan(request: InstallRequest, { exact } = { exact: false }): Promise<InstallPlan> {
    return this.#during(async () => {
      if (exact) await this.#tidy();
      return this.#installs.plan(request, exact);
    });
  }

  /** Reports `done` or `failed` as the last event and then resolves; an aborted `signal` undoes what was done. */
  install(request: InstallRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void> {
    return this.#during(async () => {
      await this.#tidy();
      await this.#locked(() => this.#installs.install(request, report, signal));
    });
  }

  /** As `install`, for a command line. */
  add(request: AddRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void> {
    return this.#during(() => this.#locked(() => this.#installs.add(request, report, signal)));
  }

  outdated(): Promise<VersionState[]> {
    return this.#during(() => this.#versions.ask());
  }

  /** As `Versions.known`. */
  versions(): KnownVersions {
    return this.#versions.known();
  }

  /** As `Updates.nextVersion`. */
  nextVersion(name: string, shown: string | null): Promise<NextVersion> {
    return this.#during(() => this.#updates.nextVersion(name, shown));
  }

  /** As `Updates.offered`. */
  offered(name: string): UpdateOffer | null {
    return this.#updates.offered(name);
  }

  /** As `Updates.offer`. */
  offerUpdate(...asked: Parameters<Updates['offer']>): Promise<void> {
    return this.#during(async () => {
      await this.#tidy();
      await this.#updates.offer(...asked);
    });
  }

  /** As `Updates.agree`. */
  update(name: string, agreement: string): Promise<VersionChange> {
    return this.#during(() => this.#locked(() => this.#updates.agree(name, agreement)));
  }

  /** As `Updates.rollback`. */
  rollback(name: string): Promise<VersionChange> {
    return this.#during(() => this.#locked(() => this.#updates.rollback(name)));
  }

  /** As `Updates.pin`. */
  pin(name: string, on: boolean): void {
    this.#updates.pin(name, on);
  }

  /** @throws McpdError SERVER_UNKNOWN, MANAGED_BY_FILE; NAME_TAKEN while something else is at work on it; SECRETS_DAMAGED */
  uninstall(name: string, options: { purge: boolean }): Promise<void> {
    const work = async () => {
      await checkNotDeclared(this.#ports.registry.server(name));
      await removeServer(this.#ports, name, options);
    };
    return this.#during(() => this.#locked(() => this.#installs.names.during(name, null, work)));
  }

  /** As `Locking.report`, when what a killed daemon left is done. */
  lockReport(look: LockLook): Promise<LockReport> {
    return this.#during(async () => {
      await this.#tidy();
      return this.#locking.report(look);
    });
  }

  /** As `Locking.agree`. */
  agreeToLists(name: string): Promise<LockState> {
    return this.#during(() => this.#locking.agree(name));
  }

  /** @throws McpdError NAME_TAKEN while something else is at work on it; SECRETS_DAMAGED */
  keepSecret(server: string, name: string, value: string): Promise<void> {
    const work = () => this.#ports.secrets.set(server, new Map([[name, value]]));
    return this.#during(() => this.#installs.names.during(server, null, work));
  }

  /** @throws as `keepSecret` */
  async dropSecrets(server: string, names: readonly string[]): Promise<void> {
    const work = () => this.#ports.secrets.remove(server, names);
    await this.#during(() => this.#installs.names.during(server, null, work));
  }

  /** @throws McpdError CONFIG_INVALID for a file that is no whole; entries fail one by one, in the result */
  apply(request: ApplyRequest): Promise<ApplyResult> {
    const apply = this.#lastApply.then(async () => {
      await this.#tidy();
      return this.#locked(() => applyDeclared(this.#ports, this.#installs, request));
    });
    this.#lastApply = apply.catch(() => undefined); // told to whoever asked; the next one begins anew
    return this.#during(() => apply);
  }

  /** Resolves when nothing is at work any more: neither done nor undone by half. */
  async idle(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.allSettled(this.#atWork);
  }

  exportSet(options: { lock: boolean } = { lock: false }): DeclaredSet {
    return exportSet(this.#ports.registry.allServers(), this.#ports, options);
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    this.#atWork.add(running);
    try {
      return await running;
    } finally {
      this.#atWork.delete(running);
    }
  }

  /** The lock follows what was done. Where it cannot be written, what was done is done, and the doctor tells of the lock. */
  async #locked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.#locking.sync().catch(() => undefined); // see above
    }
  }

  /** With the first piece of work: what killed installs and replaced versions left is removed. */
  #tidy(): Promise<void> {
    this.#tidied ??= sweepPackages(this.#ports)
      .catch(() => undefined) // what cannot be removed stands in nobody's way
      .then(() => this.#locking.sync())
      .catch(() => undefined); // as in `#locked`
    return this.#tidied;
  }
}
