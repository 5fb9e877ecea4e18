import type { History } from '../../registry/history.ts';
import type { Registry } from '../../registry/registry.ts';
import type { DaemonStatus, ShutdownRequest } from '../api/contract.ts';
import type { ClientTokens } from '../client-tokens.ts';
import type { Gateway } from '../core/gateway.ts';
import type { ServerDefinition, ServerMemory } from '../core/model.ts';
import type { Paths } from '../paths.ts';
import type { Secrets } from '../secrets.ts';
import type { ServerMasks } from '../servers/server-masks.ts';
import type { ServerProcesses } from '../servers/server-processes.ts';
import type { Agreements } from './agreements.ts';
import type { Figures } from './figures.ts';
import type { Hosts } from './hosts.ts';
import type { InstallWork } from './install-work.ts';
import type { LiveEvents } from './live-events.ts';
import type { Logins } from './logins.ts';
import type { Proofs } from './proofs.ts';
import type { Runtime } from './runtime.ts';
import type { DaemonTelemetry } from './telemetry.ts';
import type { ServerWaits } from './waiting.ts';
import type { Watching } from './watching.ts';

/** The daemon's parts, as far as they need one another. Wired in daemon.ts. */
export interface Parts {
  paths: Paths;
  gateway: Gateway;
  runtime: Runtime;
  registry: Registry;
  history: History;
  figures: Figures;
  secrets: Secrets;
  masks: ServerMasks;
  clients: ClientTokens;
  processes: ServerProcesses;
  hosts: Hosts;
  installs: InstallWork;
  /** For whoever watches. */
  live: LiveEvents;
  waits: ServerWaits;
  logins: Logins;
  watching: Watching;
  telemetry: DaemonTelemetry;
  proofs: Proofs;
  agreements: Agreements;
  /** Monotonic milliseconds. */
  now: () => number;
  status(): DaemonStatus;
  /** Tells the core of a new or changed server, and watches what it needs watched. */
  announce(definition: ServerDefinition, memory: ServerMemory | null): void;
  /** Aborted when the daemon ends, with the reason for whoever waits. */
  ending: AbortSignal;
  /** Begins the orderly end that a person asked for. */
  stop(request: ShutdownRequest): void;
}
