import type { InstalledPackage, ListKind } from '../../core/model.ts';

/** The part of the contract about mcpd.lock: what was agreed to of each server, and what is otherwise by now. */

/** One server in mcpd.lock. Nothing in it is secret: variables are named, and arguments refer to secrets. */
export interface LockedServer {
  package: InstalledPackage | null;
  /** The resolved command line, or the address of a remote server. */
  argv: string[];
  /** Names of its variables. */
  env: string[];
  /** sha-256 (hex) of launch and package. */
  fingerprint: string;
  /** `sha256:` of all files of the package; null where it has none, or too many. */
  files: string | null;
  /** `sha256:` of each entry by its name, as it was agreed to; null as long as the server was never read. */
  lists: Record<ListKind, Record<string, string>> | null;
  /** `sha256:` of what it tells models; null when it tells nothing. */
  instructions: string | null;
}

export interface LockFile {
  version: 1;
  servers: Record<string, LockedServer>;
}

export interface LockState {
  server: string;
  /** Null when it is in no lock yet: the next change writes it. */
  locked: LockedServer | null;
  /** What is otherwise than it was agreed to, as sentences. */
  differences: string[];
}

/** `deep`: with the files of packages, all of which are read. `server`: of that one only. */
export interface LockLook {
  deep: boolean;
  server: string | null;
}

export interface LockReport {
  /** Absolute path. */
  file: string;
  servers: LockState[];
}
