import type { CheckupEvent } from './contract/checkup.ts';
import type { LockLook, LockReport, LockState } from './contract/lock.ts';
import type {
  KnownVersions,
  NextVersion,
  UpdateEvent,
  UpdateOffer,
  UpdateRequest,
  VersionChange,
  VersionState,
} from './contract/updates.ts';

/** What the API needs of whatever looks after a server that is installed. */
export interface LifeControl {
  /**
   * Resolves when its processes are gone and the last event was given to `report`; an aborted `signal` calls it off.
   * @throws McpdError SERVER_UNKNOWN, INPUT_INVALID for a remote server, SERVER_BUSY
   */
  verify(server: string, report: (event: CheckupEvent) => void, signal: AbortSignal): Promise<void>;
  /** What mcpd.lock says, and what is otherwise; `deep`: with the files of packages. */
  lock(look: LockLook): Promise<LockReport>;
  /** What it lists now becomes what was agreed to. @throws McpdError SERVER_UNKNOWN */
  agreeToLists(server: string): Promise<LockState>;
  /** Of every server that has a package. Who asks while somebody's question is open gets the same answer. */
  outdated(): Promise<VersionState[]>;
  /** The same as far as it is known: asks nobody. */
  versions(): Promise<KnownVersions>;
  /** To what an update would go, or whether it can go to what was shown; nothing is fetched. @throws McpdError as `offerUpdate` does, VERSION_UNKNOWN */
  nextVersion(server: string, shown: string | null): Promise<NextVersion>;
  /** What waits for a yes. @throws McpdError SERVER_UNKNOWN */
  offered(server: string): Promise<UpdateOffer | null>;
  /** Reports `offer`, `current` or `failed` as the last event; an aborted `signal` undoes what was done. */
  offerUpdate(
    server: string,
    request: UpdateRequest,
    report: (event: UpdateEvent) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** @throws McpdError UPDATE_CHANGED when that is not what was shown */
  update(server: string, agreement: string): Promise<VersionChange>;
  /** @throws McpdError NOTHING_KEPT, SERVER_UNKNOWN, MANAGED_BY_FILE */
  rollback(server: string): Promise<VersionChange>;
  /** Its state afterwards. @throws McpdError SERVER_UNKNOWN, INPUT_INVALID for a server without a package */
  pin(server: string, on: boolean): Promise<{ server: string; isPinned: boolean }>;
}
