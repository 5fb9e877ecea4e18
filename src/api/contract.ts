import * as z from 'zod/mini';
import {
  type Ability,
  type ExitReport,
  type ListKind,
  PACKAGE_CHOICES,
  type ServerStatus,
  type SessionStatus,
  SHARINGS,
  type Whose,
} from '../core/model.ts';
import type { ErrorReport } from '../errors.ts';
import { registryAddressFault } from '../registry-address.ts';
import type { TrialCheckup } from './contract/checkup.ts';
import type { SecretUse } from './contract/credentials.ts';
import type { FiguresEvent } from './contract/figures.ts';
import type { LoginInfo } from './contract/logins.ts';
import type { InputSpec } from './contract/plans.ts';
import type { DaemonMark } from './contract/timeline.ts';

/**
 * The control interface: requests are checked by these schemas, answers have these types. The single source for the CLI, the dashboard
 * and docs/cli-json.md. All times are milliseconds since 1970 unless a name ends in `Ms`.
 */

export interface DaemonStatus {
  pid: number;
  version: string;
  home: string;
  /** Port of the dashboard on 127.0.0.1; null while it is taken by another program (then `warnings` says so). */
  port: number | null;
  startedAt: number;
  state: 'running' | 'stopping';
  /** Who keeps it alive: `pm2`, or `direct` when a shim or `mcpd daemon run` started it. */
  engine: 'pm2' | 'direct';
  node: string;
  servers: number;
  sessions: number;
  calls: number;
  warnings: string[];
}

const StartMode = z.enum(['on-demand', 'always', 'manual']);
/** Which hosts share a process of the server. */
const SharingMode = z.enum(SHARINGS);

// — installing —

const Transport = z.enum(['auto', 'streamable-http', 'sse']);
/** What every request to a remote server carries. `secret` keeps the value out of everything but the 0600 secrets file. */
const Headers = z.record(z.string(), z.object({ value: z.string(), secret: z.boolean() }));

export const InstallRequest = z.object({
  /** A catalog name, `io.github.USER/NAME[@VERSION]`, `npm:PKG[@VERSION]`, an absolute folder, a git repository, or the http(s) address of a remote server. */
  spec: z.string().check(z.minLength(1), z.maxLength(4096)),
  name: z.optional(z.string()),
  /** Appended to the server's own arguments. */
  args: z.optional(z.array(z.string())),
  /** Given inputs and further variables by name. `secret` keeps the value out of everything but the 0600 secrets file. */
  env: z.optional(z.record(z.string(), z.object({ value: z.string(), secret: z.boolean() }))),
  /** Run the package's install scripts (npm), or build it from source (pypi, git). */
  allowScripts: z.optional(z.boolean()),
  /** Absent: as the catalog's entry has it, else `auto`. */
  sharing: z.optional(SharingMode),
  /** Of a server that is published in several ways, the one to install: a kind of package, or `remote`. Absent: what this machine can run and needs least. */
  package: z.optional(z.enum(PACKAGE_CHOICES)),
  /** The caller's folder, absolute: relative file names among the inputs are meant from there. */
  cwd: z.optional(z.string()),
  /** Of a remote server. */
  transport: z.optional(Transport),
  headers: z.optional(Headers),
});
export type InstallRequest = z.infer<typeof InstallRequest>;

export type { InputSpec, InstallPlan } from './contract/plans.ts';

const Limits = z.object({
  startTimeoutMs: z.optional(z.nullable(z.int().check(z.positive()))),
  callTimeoutMs: z.optional(z.nullable(z.int().check(z.positive()))),
  idleStopMs: z.optional(z.nullable(z.int().check(z.positive()))),
  lineBytesMax: z.optional(z.nullable(z.int().check(z.positive()))),
  memorySoftBytes: z.optional(z.nullable(z.int().check(z.positive()))),
  memoryHardBytes: z.optional(z.nullable(z.int().check(z.positive()))),
});

const CommandRequest = z.object({
  name: z.string(),
  command: z.string().check(z.minLength(1)),
  args: z.array(z.string()),
  /** The caller's folder: relative commands are resolved against it, and the server runs in it. */
  cwd: z.string(),
  env: z.record(z.string(), z.object({ value: z.string(), secret: z.boolean() })),
  start: z.optional(StartMode),
  sharing: z.optional(SharingMode),
  limits: z.optional(Limits),
  trial: z.boolean(),
});
export type CommandRequest = z.infer<typeof CommandRequest>;

const AddressRequest = z.object({
  name: z.string(),
  url: z.string().check(z.minLength(1), z.maxLength(4096)),
  transport: z.optional(Transport),
  headers: z.optional(Headers),
  start: z.optional(StartMode),
  sharing: z.optional(SharingMode),
  limits: z.optional(Limits),
  trial: z.boolean(),
});
export type AddressRequest = z.infer<typeof AddressRequest>;

/** A server by its command line, or by its address. */
export const AddRequest = z.union([CommandRequest, AddressRequest]);
export type AddRequest = z.infer<typeof AddRequest>;

/** Streamed as lines of JSON while an install or add goes on; the last line is `done` or `failed`. */
export type InstallEvent =
  | { type: 'step'; step: InstallStep; detail: string }
  | { type: 'warning'; text: string }
  /** `checkup` is null for a server that was not tried. */
  | { type: 'done'; server: ServerStatus; tools: ToolInfo[]; durationMs: number; checkup: TrialCheckup | null }
  | { type: 'failed'; step: InstallStep; error: ErrorReport; stderrTail: string[] };
export type InstallStep = 'resolve' | 'fetch' | 'trial' | 'register';

export const ServerPatch = z.object({
  enabled: z.optional(z.boolean()),
  start: z.optional(StartMode),
  sharing: z.optional(SharingMode),
  limits: z.optional(Limits),
});
export type ServerPatch = z.infer<typeof ServerPatch>;

export const ServerCommand = z.enum(['start', 'stop', 'restart']);
export type ServerCommand = z.infer<typeof ServerCommand>;

// — looking —

export interface ToolInfo {
  server: string;
  /** The name hosts see. */
  name: string;
  /** The server's own name for it. */
  raw: string;
  description: string;
  inputSchema: unknown;
  /** Set when only hosts see it that can be asked this; null when every host does. */
  onlyFor: readonly Ability[] | null;
}

/** One entry of a list of a server. */
export interface ListedEntry {
  /** The name, URI or template that hosts see. */
  name: string;
  /** The server's own. */
  raw: string;
  description: string;
  /** As of a tool. */
  onlyFor: readonly Ability[] | null;
}

export interface ServerInfo extends ServerStatus {
  instructions: string | null;
  serverInfo: unknown;
  capabilities: unknown;
  lists: Record<ListKind, ListedEntry[]>;
  exits: ExitReport[];
  /** Newest first, also those of earlier daemons. */
  transitions: { at: number; from: string; to: string; reason: string }[];
  /** Newest first, since the oldest of `transitions`. */
  daemons: DaemonMark[];
  /** Since when `calls`, `errors`, `starts` and `exits` count: the daemon's start. */
  countedSince: number;
  logFile: string;
  /** Names of its secrets; values never leave. */
  secrets: string[];
  /** Of a remote server; null when nobody has logged in. */
  login: LoginInfo | null;
  /** Where somebody may log in at this moment: `mcpd auth` or a page waits for him. */
  loginLink: string | null;
}

export interface ProcessNode {
  pid: number;
  command: string;
  rssBytes: number;
  children: ProcessNode[];
}
export interface ProcessTree {
  daemon: { pid: number; rssBytes: number };
  servers: ({
    server: string;
    instance: string;
    /** Of this instance. */
    state: string;
    root: ProcessNode | null /** members of the group or bearers of the marker outside the tree */;
    strays: ProcessNode[];
  } & Whose)[];
}

export interface CatalogHit {
  name: string;
  title: string;
  description: string;
  /** `npm:@modelcontextprotocol/server-memory` or `bundled`. */
  origin: string;
  inputs: InputSpec[];
  installed: boolean;
}

// — declared sets (`mcpd apply -f`, `mcpd export`) —

/** The file of `mcpd apply`: the shape that hosts use, so that an existing `mcpServers` block can be pasted. */
export const DeclaredSet = z.object({
  mcpServers: z.record(
    z.string(),
    z.object({
      command: z.optional(z.string()),
      args: z.optional(z.array(z.string())),
      /** Values may be `${secret:NAME}`. */
      env: z.optional(z.record(z.string(), z.string())),
      cwd: z.optional(z.string()),
      /** Instead of a command: a catalog name or `npm:PKG@VERSION`. */
      install: z.optional(z.string()),
      /** What `install` must come to, as `mcpd export --lock` says it; a package at another registry (https, without a password), or with its publisher's words before it. */
      package: z.optional(
        z.object({
          integrity: z.optional(z.string().check(z.minLength(1))),
          registry: z.optional(z.url().check(z.refine((text) => registryAddressFault(text) === null))),
          runtimeArguments: z.optional(z.array(z.string())),
        }),
      ),
      /** Instead of a command: the address of a remote server. */
      url: z.optional(z.string()),
      transport: z.optional(Transport),
      /** Hosts write the transport so. */
      type: z.optional(z.enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'])),
      /** Values may be `${secret:NAME}`. */
      headers: z.optional(z.record(z.string(), z.string())),
      start: z.optional(StartMode),
      sharing: z.optional(SharingMode),
      enabled: z.optional(z.boolean()),
      limits: z.optional(Limits),
    }),
  ),
});
export type DeclaredSet = z.infer<typeof DeclaredSet>;

export const ApplyRequest = z.object({ path: z.string(), text: z.string(), dryRun: z.optional(z.boolean()) });
export type ApplyRequest = z.infer<typeof ApplyRequest>;
export interface ApplyResult {
  added: string[];
  changed: string[];
  removed: string[];
  unchanged: string[];
  failed: { name: string; error: ErrorReport }[];
  /** Each begins with the server's name. */
  warnings: string[];
  /** Of what was added or changed. */
  secrets: SecretUse[];
}

export const ShutdownRequest = z.object({
  /** Skips the drain. */
  now: z.optional(z.boolean()),
  /** Whoever asks starts another daemon at once: hosts wait for that one, instead of starting their own. */
  successor: z.optional(z.boolean()),
});
export type ShutdownRequest = z.infer<typeof ShutdownRequest>;

export interface ErrorBody {
  error: ErrorReport;
}

/** What `/ws` and `GET /api/live` send: a snapshot first, then what changed. */
export type LiveEvent =
  | { type: 'snapshot'; status: DaemonStatus; servers: ServerStatus[]; sessions: SessionStatus[] }
  | { type: 'server'; server: ServerStatus }
  | { type: 'server-removed'; name: string }
  | { type: 'sessions'; sessions: SessionStatus[] }
  | FiguresEvent
  | { type: 'stopping' };

export type { CallRow } from './contract/calls.ts';
export type { LogLine } from './contract/logs.ts';
export type { ServerStatus, SessionStatus };
