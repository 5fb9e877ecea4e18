import type { ServerSource } from './server-source.ts';
import type { InstanceStatus } from './whose.ts';

/** The nouns that every part of mcpd shares. Plain data: all of it can be stored, sent and compared. */

/** `[a-z0-9][a-z0-9_-]{0,31}`, without `__`, not ending in `_`, not `mcpd`. */
export type ServerName = string;
/** Which process serves: the server's name, or `name@…` where one server has several instances (a trial: `name@trial-1`). */
export type InstanceKey = string;
/** One connection of one host. */
export type SessionId = string;

/** What a host gets to see: everything, or one server under its own names. The door by which it came decides, never its messages. */
export type Scope = { kind: 'all' } | { kind: 'server'; server: ServerName };

/** By which door a session came, and what is known of who came. */
export interface Door {
  /** Whose it is, for what outlives a connection: `local` for whoever reached the host socket, `client:NAME` for the owner of a token. */
  principal: string;
  scope: Scope;
  /** Absolute folder in which the host started its shim; null when that is not known. */
  cwd: string | null;
  /** `request`: a single HTTP request that stands alone. Its session ends with its answer, and is not shown to people. */
  lasts: 'connection' | 'request';
}

/** Which hosts use one process of a server: all, each its own, or those that work in the same folder. `auto`: all, until it calls back. */
export type Sharing = 'auto' | 'shared' | 'per-session' | 'per-workspace';
export const SHARINGS: readonly Sharing[] = ['auto', 'shared', 'per-session', 'per-workspace'];

/** How a server is reached: a process of its own, or an address. */
export type Launch = StdioLaunch | HttpLaunch;

/** How a server's process is started. Values in `args` and `env` may hold `${secret:NAME}`: filled at spawn, kept nowhere else. */
export interface StdioLaunch {
  kind: 'stdio';
  /** Absolute path, or a name looked up on the login shell's PATH. Never a shell line. */
  command: string;
  args: string[];
  /** Absolute working folder; null is the server's own data folder. */
  cwd: string | null;
  /** Variables the entry declares, on top of the allow-list of settled inherited ones. */
  env: Record<string, string>;
}

/** A server that runs elsewhere. Values of `headers` may hold `${secret:NAME}`: filled when a request is sent, kept nowhere else. */
export interface HttpLaunch {
  kind: 'http';
  /** Absolute, http or https, without user or password. */
  url: string;
  transport: HttpTransport;
  /** By their names as given; every request carries them. */
  headers: Record<string, string>;
}

/** `auto` is Streamable HTTP, and HTTP+SSE where a server knows no other. */
export type HttpTransport = 'auto' | 'streamable-http' | 'sse';
export const HTTP_TRANSPORTS: readonly HttpTransport[] = ['auto', 'streamable-http', 'sse'];

export type StartMode = 'on-demand' | 'always' | 'manual';

/** What a person said last by `start` or `stop`, where it is not what the start mode says; null: as the start mode says. */
export type Wish = 'up' | 'down' | null;

/** Where packages come from, by the words of `server.json`; and `git`, a repository that a person named. */
export const PACKAGE_KINDS = ['npm', 'pypi', 'oci', 'nuget', 'mcpb', 'git'] as const;
export type PackageKind = (typeof PACKAGE_KINDS)[number];

/** How a published server can be had: by a package of a kind, as part of mcpd, or where it runs already. */
export const PACKAGE_CHOICES = ['bundled', 'npm', 'mcpb', 'pypi', 'oci', 'nuget', 'remote'] as const;

export type { AskedFor, GivenToBundle, InstalledPackage, ServerSource } from './server-source.ts';

/** Settings that a person may give one server; null takes the default of limits.ts. */
export interface ServerLimits {
  startTimeoutMs: number | null;
  callTimeoutMs: number | null;
  idleStopMs: number | null;
  lineBytesMax: number | null;
  memorySoftBytes: number | null;
  memoryHardBytes: number | null;
}

export const DEFAULT_LIMITS: Readonly<ServerLimits> = {
  startTimeoutMs: null,
  callTimeoutMs: null,
  idleStopMs: null,
  lineBytesMax: null,
  memorySoftBytes: null,
  memoryHardBytes: null,
};

/** An installed server, as the registry keeps it. */
export interface ServerDefinition {
  name: ServerName;
  /** One line for people; from the catalog, the package or the server itself. */
  description: string;
  launch: Launch;
  start: StartMode;
  sharing: Sharing;
  enabled: boolean;
  limits: ServerLimits;
  source: ServerSource;
  /** sha-256 (hex) of the launch and the package's integrity: lists and era belong to it, so a changed launch has neither. */
  fingerprint: string;
  /** Milliseconds since 1970. */
  addedAt: number;
}

/** The specification's own words: `legacy` has the initialize handshake (2024-11-05 … 2025-11-25), `modern` is stateless (2026-07-28). */
export type Era = 'legacy' | 'modern';

export type ListKind = 'tools' | 'prompts' | 'resources' | 'templates';
export const LIST_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources', 'templates'];

/** What a host can be asked by a server in the middle of a call. */
export type Ability = 'elicitation' | 'roots' | 'sampling';

/** One cached list of one server. Entries keep the bytes the server sent; only what a host would reject was repaired or dropped. */
export interface CachedList {
  kind: ListKind;
  /** Raw JSON objects, in the server's order. */
  entries: string[];
  /** What was dropped or repaired, and why the list may be incomplete; for health. */
  findings: string[];
}

/** What is remembered of a server between runs; belongs to one fingerprint. */
export interface ServerMemory {
  fingerprint: string;
  era: Era;
  protocolVersion: string;
  /** Raw JSON of `serverInfo`, `capabilities` and the text of `instructions`, as the server gave them. */
  serverInfo: string;
  capabilities: string;
  instructions: string | null;
  /** What it lists to a client that declares no capability. */
  lists: CachedList[];
  /** What a legacy server lists to clients that declare more, where that was seen. */
  variants: ListVariant[];
  /** It was seen to ask its client something during a call. */
  callsBack: boolean;
}

/** The lists of a legacy server towards clients that declare these capabilities. */
export interface ListVariant {
  /** Of `elicitation`, `roots`, `sampling`, in this order, joined by `+`; never empty. */
  declared: string;
  lists: CachedList[];
}

export type State = 'stopped' | 'starting' | 'running' | 'stopping' | 'backoff' | 'failed';
export type Health = 'ok' | 'degraded' | 'silent' | 'unknown';

export interface ExitReport {
  at: number;
  /** Milliseconds from spawn to exit. */
  uptimeMs: number;
  /** One of the two is set, or neither when the process could not be spawned. */
  code: number | null;
  signal: string | null;
  /** `exit code 1`, `signal SIGKILL`, `spawn ENOENT: /no/such/file`, `memory: 2.1 GiB over the hard limit` … */
  cause: string;
  /** Its last lines on stderr, oldest first. */
  stderrTail: string[];
}

/** Why a remote server lets nobody in: a person must act first. */
export interface ServerLock {
  /** A login is wanted, or the header that a person gave is not accepted: then a login is of no use. */
  because: 'login-wanted' | 'header-refused';
  /** For people. */
  reason: string;
  /** What opens it: commands. */
  fix: string;
}

/** What the API and the CLI show of one server. */
export interface ServerStatus {
  name: ServerName;
  description: string;
  start: StartMode;
  sharing: Sharing;
  enabled: boolean;
  wanted: 'up' | 'down';
  /** Why it is wanted down although a person might expect it up: `disabled`, `manual`, `needs-auth` (`fix` says what lets mcpd in); else null. */
  wantedReason: string | null;
  state: State;
  /** Why it is in this state, for people; null when there is nothing to say. */
  reason: string | null;
  /** What a person can do about it: a command; null when nothing is wrong. */
  fix: string | null;
  health: Health;
  /** Findings behind the health, and harmless ones too (noise on stdout, dropped tools). */
  findings: string[];
  /** When the state was entered. */
  since: number;
  pid: number | null;
  /** Its processes, that of all hosts first. `state` and `pid` are of the one that tells most. */
  instances: InstanceStatus[];
  era: Era | null;
  protocolVersion: string | null;
  openCalls: number;
  /** Since the daemon started. */
  calls: number;
  errors: number;
  starts: number;
  lastExit: ExitReport | null;
  /** When the next start is due in `backoff`. */
  nextStartAt: number | null;
  /** Of all that it lists, also to hosts of one kind only. */
  counts: Record<ListKind, number>;
  /** True when the lists were read from this very launch. */
  listed: boolean;
  source: ServerSource;
  launch: Launch;
  limits: ServerLimits;
  fingerprint: string;
  addedAt: number;
}

/** One host connection, as shown to people. */
export interface SessionStatus {
  id: SessionId;
  /** The `--host` argument or the name the host gave itself. */
  host: string;
  era: Era | null;
  protocolVersion: string | null;
  since: number;
  openCalls: number;
  calls: number;
}

export const CALL_OUTCOMES = ['ok', 'tool-error', 'error', 'cancelled', 'timeout', 'lost'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export type { CallRecord } from './call-record.ts';
export type { InstanceStatus, Whose } from './whose.ts';

export interface Transition {
  at: number;
  server: ServerName;
  instance: InstanceKey;
  from: State;
  to: State;
  reason: string;
}

/** An exposed name or URI, and what it stands for. Kept for good, so that no name changes when a neighbour comes or goes. */
export interface ExposedName {
  kind: 'tool' | 'prompt' | 'uri' | 'template';
  exposed: string;
  server: ServerName;
  raw: string;
}

/** A process that was started. Kept until it was seen to end, so that the next daemon finds what this one left. */
export interface LedgerRow {
  instance: InstanceKey;
  generation: number;
  server: ServerName;
  pid: number;
  pgid: number;
  /** As the system tells it, else empty; with the pid it names one process for good. */
  startTime: string;
  /** What its environment holds to know it by. */
  marker: string;
  /** Of the daemon that started it: generations begin anew with each daemon. */
  nonce: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** The registry's record of processes. */
export interface ProcessLedger {
  add(row: LedgerRow): void;
  /** Without `nonce`: the rows of all daemons for this instance and generation. */
  remove(instance: InstanceKey, generation: number, nonce?: string): void;
  /** Oldest first. */
  rows(): LedgerRow[];
}
