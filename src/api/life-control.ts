import type { CheckupEvent } from './contract/checkup.ts';

/** What the API needs of whatever looks after a server that is installed. */
export interface LifeControl {
  /**
   * Resolves when its processes are gone and the last event was given to `report`; an aborted `signal` calls it off.
   * @throws McpdError SERVER_UNKNOWN, INPUT_INVALID for a remote server, SERVER_BUSY
   */
  verify(server: string, report: (event: CheckupEvent) => void, signal: AbortSignal): Promise<void>;
}
