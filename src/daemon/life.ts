import type { CheckupEvent } from '../api/contract/checkup.ts';
import type { LockLook, LockReport, LockState } from '../api/contract/lock.ts';
import type {
  KnownVersions,
  NextVersion,
  UpdateEvent,
  UpdateOffer,
  UpdateRequest,
  VersionChange,
  VersionState,
} from '../api/contract/updates.ts';
import type { LifeControl } from '../api/life-control.ts';
import { Checkups } from './checkups.ts';
import type { Parts } from './parts.ts';

/** What becomes of servers after they were installed. Loaded by the first who asks for it. */
export class Life implements LifeControl {
  readonly #parts: Parts;
  readonly #checkups: Checkups;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#checkups = new Checkups(parts);
  }

  verify(server: string, report: (event: CheckupEvent) => void, signal: AbortSignal): Promise<void> {
    return this.#checkups.run(server, report, signal);
  }

  async lock(look: LockLook): Promise<LockReport> {
    return (await this.#parts.installs.installer()).lockReport(look);
  }

  async agreeToLists(server: string): Promise<LockState> {
    return (await this.#parts.installs.installer()).agreeToLists(server);
  }

  async outdated(): Promise<VersionState[]> {
    return (await this.#parts.installs.installer()).outdated();
  }

  async versions(): Promise<KnownVersions> {
    return (await this.#parts.installs.installer()).versions();
  }

  async nextVersion(server: string, shown: string | null): Promise<NextVersion> {
    return (await this.#parts.installs.installer()).nextVersion(server, shown);
  }

  async offered(server: string): Promise<UpdateOffer | null> {
    return (await this.#parts.installs.installer()).offered(server);
  }

  async offerUpdate(
    server: string,
    request: UpdateRequest,
    report: (event: UpdateEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#parts.installs.install((installer) => installer.offerUpdate(server, request, report, signal));
  }

  async update(server: string, agreement: string): Promise<VersionChange> {
    return this.#toProve(await this.#parts.installs.install((installer) => installer.update(server, agreement)));
  }

  async rollback(server: string): Promise<VersionChange> {
    return this.#toProve(await this.#parts.installs.install((installer) => installer.rollback(server)));
  }

  async pin(server: string, on: boolean): Promise<{ server: string; isPinned: boolean }> {
    (await this.#parts.installs.installer()).pin(server, on);
    return { server, isPinned: on };
  }

  #toProve(change: VersionChange): VersionChange {
    this.#parts.proofs.await(change.server.name, Date.now());
    return change;
  }
}
