import type { CatalogEntry } from '../../registry/catalog.ts';
import type { Published } from '../../registry/published.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ServerStatus, ToolInfo } from '../api/contract.ts';
import type { TrialOutcome } from '../core/events.ts';
import type { ServerDefinition, ServerMemory, ServerName } from '../core/model.ts';
import type { McpdError } from '../errors.ts';
import type { Paths } from '../paths.ts';
import type { PackageSources } from './packages/source.ts';

/** What was found of a command; the shape of `resolveCommand` in src/servers/command-path.ts. */
export type CommandFinding =
  | { kind: 'found'; path: string }
  | { kind: 'not-executable' | 'folder'; path: string }
  | { kind: 'missing'; lookedIn: string[] };

/** What installing needs of the daemon's other parts. daemon/installing.ts provides it; nothing of it is imported here. */
export interface InstallPorts {
  paths: Paths;
  userHome: string;
  catalog(): readonly CatalogEntry[];
  registry: Pick<
    Registry,
    'allServers' | 'server' | 'saveServer' | 'removeServer' | 'replaceServer' | 'memoryOf' | 'kept'
  >;
  secrets: {
    ready(): Promise<void>;
    readonly damage: McpdError | null;
    names(server: ServerName): string[];
    set(server: ServerName, values: ReadonlyMap<string, string>): Promise<void>;
    remove(server: ServerName, names?: readonly string[]): Promise<boolean>;
  };
  packages: PackageSources;
  /**
   * A server of an MCP registry, whose host is `place`; a null version is the newest. @throws McpdError PACKAGE_UNKNOWN, VERSION_UNKNOWN,
   * PACKAGE_DELETED, FETCH_FAILED, PROXY_FAILED, CONFIG_INVALID
   */
  published(
    name: string,
    version: string | null,
    signal: AbortSignal,
  ): Promise<{ published: Published; place: string }>;
  /** Looks a command up as a server's start would: a bare name on the login shell's PATH, a path from `cwd`. */
  findCommand(command: string, cwd: string): Promise<CommandFinding>;
  /** Starts it once, reads its lists, stops it. */
  trial(definition: ServerDefinition, signal: AbortSignal): Promise<TrialOutcome>;
  /** As `trial`, in an empty data folder: a version that nobody has agreed to yet touches nothing of a person's. */
  trialAside(definition: ServerDefinition, signal: AbortSignal): Promise<TrialOutcome>;
  /** Why the server lets nobody in before a person has logged in, as its last trial met it; null when that is not what it failed for. */
  loginWanted(definition: ServerDefinition): string | null;
  /** Removes what there is of a login at that server. */
  forgetLogin(server: ServerName): Promise<unknown>;
  /** Tells the core of a new or changed server. */
  announce(definition: ServerDefinition, memory: ServerMemory | null): void;
  /** Tells the core that a server is gone; resolves when its last process is. */
  withdraw(server: ServerName): Promise<void>;
  /** mcpd.lock says something else now. Never rejects. */
  lockWritten(): Promise<void>;
  /** What `done` shows of a server that was just announced. */
  present(server: ServerName): { server: ServerStatus; tools: ToolInfo[] };
  /** Closes and removes the server's log files. */
  dropLog(server: ServerName): Promise<void>;
  /** Aborted with an McpdError when the daemon ends: what is under way is undone, and fails with it. */
  ending: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
}
