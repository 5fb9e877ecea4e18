import type { Published, PublishedPackage } from '../../../registry/published.ts';
import type { InstalledPackage, PackageKind } from '../../core/model.ts';
import type { Runnable } from '../bin.ts';

/** What each kind of package does: bring it into mcpd's home at an exact version, and say how it is started there. */

export interface VersionRequest {
  identifier: string;
  /** An exact version, a tag, a digest or a range; what a publisher or a person named, else `latest`. */
  range: string;
  /** Names of the catalog, for a hint to a person who mistyped. */
  knownNames: readonly string[];
  /** The server's own folder below `packages`; the version's folder is made inside. */
  folder: string;
  /** Another registry than the user's own; null for that. */
  registry: string | null;
  /** The publisher's words before the package, filled: secrets are references. */
  runtimeArguments: readonly string[];
}

/** What there is under a version. `integrity` is what its files must be; null where nobody tells that before they are here. */
export interface PublishedVersion {
  version: string;
  integrity: string | null;
}

export interface PackageRequest extends VersionRequest {
  allowScripts: boolean;
  /** That the file which is fetched must have, 64 hex digits; null where none was told. */
  fileSha256: string | null;
  /** Names of the variables that the server is given. */
  variables: readonly string[];
}

export interface FetchedPackage {
  installed: InstalledPackage;
  /** The new folder: removing it undoes the fetch. */
  root: string;
  /** Everything up to the package's own arguments. */
  runnable: Runnable;
  /** Where the server runs, and what `${__dirname}` in its arguments and variables stands for; its data folder where none is named. */
  folder?: string;
  description: string;
  /** Names of packages whose install scripts were not run. */
  scriptsLeftOut: string[];
  warnings: string[];
}

export interface ReadPackage {
  published: Published;
  /** What is installed then, and nothing else. */
  package: PublishedPackage;
}

/** Installs packages of one kind into mcpd's home, at an exact version. */
export interface PackageSource {
  /**
   * Leaves nothing behind when it fails or is aborted.
   * @throws McpdError PACKAGE_UNKNOWN, VERSION_UNKNOWN, PACKAGE_NOT_RUNNABLE, FETCH_FAILED, DISK_FULL, HOME_UNWRITABLE
   */
  fetch(request: PackageRequest, signal: AbortSignal, report: (detail: string) => void): Promise<FetchedPackage>;
  /**
   * Of a kind whose packages say themselves what they ask and how they run: what is known once it was looked at. Nothing of it runs.
   * @throws McpdError as `fetch`
   */
  read?(pack: PublishedPackage, signal: AbortSignal, report: (detail: string) => void): Promise<ReadPackage>;
  /** The version that a fetch would bring now. Leaves nothing behind. @throws McpdError as `fetch` */
  versionOf(request: VersionRequest, signal: AbortSignal): Promise<PublishedVersion>;
  /** Whether this machine can ask for that version without fetching it; left out where it always can. */
  canAsk?(request: VersionRequest, signal: AbortSignal): Promise<boolean>;
  /** Removes what a killed daemon left of packages that it had only read, outside of the servers' folders. */
  sweep?(): Promise<void>;
  /** Whether this machine has what packages of this kind need; left out where mcpd itself is enough. */
  canRun?(): Promise<boolean>;
  /** How it will be started, as far as that is known before it is fetched; a placeholder for what is not. */
  preview?(request: PreviewRequest): Promise<Runnable>;
}

type PreviewRequest = Pick<PackageRequest, 'identifier' | 'range' | 'registry' | 'runtimeArguments' | 'variables'>;

export type PackageSources = Partial<Record<PackageKind, PackageSource>>;

/** What the tools are run with. */
export interface ToolOptions {
  /** The node that runs npm. */
  execPath: string;
  /** The environment for the tools: the user's PATH, HOME and proxies. */
  env: () => Promise<NodeJS.ProcessEnv>;
  /** Told of a tool's process group while it lives, so that it cannot outlive a killed daemon; returns what to call when it is gone. */
  track?: ((pid: number) => () => void) | undefined;
}
