import type { RawId, Span } from '../protocol/frame.ts';
import type { Identity } from '../protocol/handshake.ts';
import type { LogLevel } from '../protocol/methods.ts';
import type { RequestView } from '../protocol/request-view.ts';
import type { Effect } from './events.ts';
import type { MergedLists } from './listing.ts';
import type {
  CallRecord,
  Era,
  ExitReport,
  InstanceKey,
  ListKind,
  ServerDefinition,
  ServerMemory,
  ServerName,
  SessionId,
} from './model.ts';
import type { NameTable } from './names.ts';
import type { Phase } from './supervision.ts';
import type { UriTable } from './uris.ts';

/** What the core knows. Plain data in maps; the functions beside it change it and leave effects in `out`. */
export interface Core {
  /** Monotonic milliseconds of the event being handled. */
  now: number;
  out: Effect[];
  readonly config: CoreConfig;
  readonly servers: Map<ServerName, KnownServer>;
  readonly instances: Map<InstanceKey, Instance>;
  readonly sessions: Map<SessionId, HostSession>;
  readonly names: NameTable;
  readonly uris: UriTable;
  readonly lists: MergedLists;
  /** Instances waiting for a start slot, in the order they asked. */
  readonly startQueue: Set<InstanceKey>;
  /** Instances in the CPU-heavy part of their start. */
  readonly startSlots: Set<InstanceKey>;
  mode: 'serving' | 'stopping' | 'stopped';
  totals: { calls: number; errors: number };
}

export interface CoreConfig {
  identity: Identity;
  startSlots: number;
  /** In [0, 1); seeded in tests. */
  random: () => number;
  /** sha-256 (hex): lets a resumed session be told of changed lists only. */
  digest: (bytes: Uint8Array) => string;
  /** Milliseconds since 1970 at monotonic time 0, for what people read. */
  epochMs: number;
}

export interface KnownServer {
  definition: ServerDefinition;
  memory: ServerMemory | null;
}

export interface Instance {
  readonly key: InstanceKey;
  readonly server: ServerName;
  definition: ServerDefinition;
  readonly purpose: { kind: 'serve' } | { kind: 'trial'; trial: string };
  phase: Phase;
  /** Since when it is in this state. */
  since: number;
  reason: string | null;
  /** Held up until a person stops it, or by its start mode. */
  held: boolean;
  /** To be started again once it has stopped: a restart, or a wish that came while it stopped. */
  again: boolean;
  /** Counts its processes; messages of an older one are dropped. */
  generation: number;
  pid: number | null;
  spawnedAt: number;
  readyAt: number | null;
  link: ServerLink | null;
  /** Calls that wait for it to be ready. */
  queue: Call[];
  /** When its unstable starts ended (promise R5). */
  unstable: number[];
  notBefore: number;
  /** When a call last tried a failed server. */
  lastTrialAt: number | null;
  /** Why mcpd ends it, when that is the server's own fault. */
  fault: string | null;
  /** The era probe ended this process: start it again at once, as legacy. */
  legacyFirst: boolean;
  exits: ExitReport[];
  counters: { calls: number; errors: number; starts: number; noise: number; ghosts: number };
  /** Findings by topic, for health. */
  findings: Map<string, string>;
  /** Unanswered health probes in a row. */
  misses: number;
  /** Monotonic time of its last message. */
  heardAt: number;
  /** When a call was last given up for silence. */
  timedOutAt: number | null;
  /** Earliest deadline for which a timer is armed. */
  deadlineArmedFor: number | null;
  /** When its last call ended or it became ready. */
  usedAt: number;
  idleArmed: boolean;
  /** How the trial went, reported once its process is gone. */
  verdict: TrialVerdict | null;
}

export type TrialVerdict =
  | { ok: true; memory: ServerMemory; findings: string[] }
  | { ok: false; step: 'start' | 'handshake' | 'list'; reason: string };

/** Protocol state towards one process of a server. */
export interface ServerLink {
  step: 'probing' | 'initializing' | 'ready';
  era: Era | null;
  protocolVersion: string;
  serverInfo: string;
  capabilities: Record<string, unknown>;
  instructions: string | null;
  nextId: number;
  pending: Map<number, Pending>;
  /** Lists being read, with what has come so far. */
  reading: Map<ListKind, ListReading>;
  /** What this process has said its lists are. */
  read: Map<ListKind, { entries: string[]; findings: string[]; cause: ReadCause }>;
  /** The level last sent by logging/setLevel. */
  logLevel: LogLevel | null;
  /** Raw URIs subscribed at the server, and the sessions that want them. */
  subscriptions: Map<string, Set<SessionId>>;
  /** Id of mcpd's own subscriptions/listen at a modern server. */
  listenId: number | null;
}

export type Pending =
  | { kind: 'call'; call: Call }
  | { kind: 'probe' }
  | { kind: 'initialize' }
  | { kind: 'list'; list: ListKind }
  | { kind: 'health' }
  | { kind: 'listen' }
  /** An answer nobody waits for any more: cancelled, timed out, or a setting. */
  | { kind: 'ignored' };

/** Why a list is read: after the start, after the server's notice, or once more because the answer was suspicious. */
export type ReadCause = 'start' | 'notice' | 'recheck';

export interface ListReading {
  entries: string[];
  bytes: number;
  pages: number;
  cursors: Set<string>;
  keys: Set<string>;
  findings: string[];
  cause: ReadCause;
}

export interface HostSession {
  readonly id: SessionId;
  host: string;
  readonly openedAt: number;
  /** Set by the first message that tells: `initialize`, or a request with the modern envelope. */
  era: Era | null;
  protocolVersion: string | null;
  initialized: boolean;
  /** Raw JSON of the host's clientInfo; mcpd's own until it is known. */
  clientInfo: string;
  logLevel: LogLevel | null;
  open: Map<string, Call>;
  /** Modern subscriptions/listen, by id key. */
  listens: Map<string, Listen>;
  /** Exposed URIs of a legacy host's resources/subscribe. */
  subscriptions: Set<string>;
  /** Lists whose change is to be told. */
  notices: Set<ListKind>;
  calls: number;
}

export interface Listen {
  id: RawId;
  lists: Set<ListKind>;
  uris: Set<string>;
}

/** One routed request of a host, from arrival to answer. */
export interface Call {
  readonly session: SessionId;
  readonly id: RawId;
  readonly idKey: string;
  readonly method: string;
  readonly server: ServerName;
  readonly instance: InstanceKey;
  /** The raw name or URI. */
  readonly target: string;
  /** What stands for the exposed name or URI in the request, and where. */
  readonly rewrite: { span: Span; json: string } | null;
  /** The URI as the host knows it, when it differs. */
  readonly exposedUri: string | null;
  readonly hostEra: Era;
  /** Raw JSON of the host's own progress token. */
  readonly progressToken: string | null;
  readonly logLevel: LogLevel | null;
  readonly openedAt: number;
  readonly requestBytes: number;
  phase: CallPhase;
  /** Last sign of life: its sending, or progress. */
  aliveAt: number;
  progress: { value: number; windowStart: number; inWindow: number } | null;
  /** For subscriptions: what to book when it succeeds. */
  readonly subscription: { uri: string; change: 'subscribe' | 'unsubscribe' } | null;
}

export type CallPhase = { name: 'queued'; view: RequestView } | { name: 'sent'; upstreamId: number; sentAt: number };

export type CallOutcome = CallRecord['outcome'];
