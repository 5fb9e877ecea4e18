import type { InstanceKey, State } from './model.ts';

/** For whom a process of a server is there. */
export interface Whose {
  /**
   * Names of the hosts that come to it, sorted, each once; after they have left, the last of them. Null: it is there for all. Empty: it is
   * there for none, as of a trial.
   */
  hosts: string[] | null;
  /** The absolute folder in which these hosts work, where each folder has a process; else null. */
  folder: string | null;
}

/** One process of a server, or the place where one will be. */
export interface InstanceStatus extends Whose {
  instance: InstanceKey;
  state: State;
  pid: number | null;
}
