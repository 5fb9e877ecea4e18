import type { RawId, Span } from '../protocol/frame.ts';
import type { Identity } from '../protocol/handshake.ts';
import type { LogLevel } from '../protocol/methods.ts';
import type { RequestView } from '../protocol/request-view.ts';
import type { Effect } from './events.ts';
import type { Findings } from './findings.ts';
import type { MergedLists } from './listing.ts';
import type {
  CallRecord,
  Door,
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
import type { TransientMap } from './transient-map.ts';
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
  /** Whether hosts will be told of changed lists, and when they were told last. */
  readonly listNews: { armed: boolean; toldAt: number };
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
  /** The names that somebody who wrote `word` most likely meant, nearest first. */
  closest: (word: string, names: Iterable<string>) => string[];
  /** Milliseconds since 1970 at monotonic time 0, for what people read. */
  epochMs: number;
}

export interface KnownServer {
  definition: ServerDefinition;
  memory: ServerMemory | null;
  /** The raw names, URIs and templates of the memory's lists. */
  keys: Readonly<Record<ListKind, readonly string[]>>;
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
  /** To be started again once it has stopped: somebody needs it, or a person said so. */
  again: 'no' | 'needed' | 'by-hand';
  /** Counts its processes; messages of an older one are dropped. */
  generation: number;
  pid: number | null;
  spawnedAt: number;
  readyAt: number | null;
  link: ServerLink | null;
  /** Calls that wait for it to be ready, in their order. */
  readonly queue: Set<Call>;
  /** Raw URIs that hosts watch, and their sessions. They outlive its processes. */
  readonly subscriptions: Map<string, Set<SessionId>>;
  /** When its unstable starts ended (promise R5). */
  unstable: number[];
  notBefore: number;
  /** This start is the one trial of a failed server. */
  halfOpen: boolean;
  /** Why mcpd ends it, when that is the server's own fault. */
  fault: string | null;
  /** The era probe ended a process of it: `initialize` comes first. */
  legacyFirst: boolean;
  exits: ExitReport[];
  /** `ghosts`: answers to nothing. `late`: answers to calls that were given up. */
  counters: { calls: number; errors: number; starts: number; noise: number; ghosts: number; late: number };
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

type TrialVerdict =
  | { ok: true; memory: ServerMemory; findings: string[] }
  | { ok: false; step: 'start' | 'handshake' | 'list'; reason: string };

/** Protocol state towards one process of a server. */
export interface ServerLink {
  /** Of the launch that this process runs; the definition may have changed since. */
  readonly fingerprint: string;
  step: 'probing' | 'initializing' | 'ready';
  /** Its process hears nothing any more: calls wait for the next one. */
  deaf: boolean;
  /** Whether `server/discover` was asked, and whether its answer is still out. */
  probe: 'unasked' | 'open' | 'answered';
  /** Why it refused `initialize`; only a modern server may. */
  refusal: string | null;
  era: Era | null;
  protocolVersion: string;
  serverInfo: string;
  capabilities: Record<string, unknown>;
  instructions: string | null;
  nextId: number;
  /** Calls that were sent, by their id on the link. */
  readonly calls: TransientMap<number, Call>;
  /** mcpd's own requests. */
  readonly pending: Map<number, OwnRequest>;
  /** Requests whose answer nobody waits for; the newest ABANDONED_IDS_KEPT. */
  readonly abandoned: Map<number, 'late' | 'unneeded'>;
  /** Lists being read, with what has come so far. */
  readonly reading: Map<ListKind, ListReading>;
  /** What this process has said its lists are. */
  readonly read: Map<ListKind, { entries: string[]; findings: string[] }>;
  /** Lists that will be read again soon, and when each was last. */
  readonly rereads: Map<ListKind, { armed: boolean; lastAt: number }>;
  /** The level last sent by logging/setLevel. */
  logLevel: LogLevel | null;
  /** Raw URIs that this process was asked to watch. */
  readonly subscribed: Set<string>;
  /** Id of mcpd's own subscriptions/listen at a modern server. */
  listenId: number | null;
  /** When the health probe that is out was sent. */
  probedAt: number | null;
  /** Notices passed on to hosts in the second that began at `since`, and updated URIs that wait for its end. */
  readonly flow: { since: number; passed: number; held: Set<string> };
}

export type OwnRequest =
  | { kind: 'probe' }
  | { kind: 'initialize' }
  | { kind: 'list'; list: ListKind }
  | { kind: 'health' }
  | { kind: 'listen' };

/** Why a list is read: after the start, after the server's notice, or once more because the answer was suspicious. */
export type ReadCause = 'start' | 'notice' | 'recheck';

export interface ListReading {
  readonly entries: string[];
  bytes: number;
  pages: number;
  readonly cursors: Set<string>;
  readonly keys: Set<string>;
  readonly findings: Findings;
  readonly cause: ReadCause;
}

export interface HostSession {
  readonly id: SessionId;
  host: string;
  readonly door: Door;
  readonly openedAt: number;
  /** Set by the first message that tells: `initialize`, or a request with the modern envelope. */
  era: Era | null;
  protocolVersion: string | null;
  initialized: boolean;
  /** Raw JSON of the host's clientInfo; mcpd's own until it is known. */
  clientInfo: string;
  /** What a legacy host set, or the most verbose level that a modern one asked for so far. */
  logLevel: LogLevel | null;
  readonly open: TransientMap<string, Call>;
  /** Modern subscriptions/listen, by id key. */
  readonly listens: Map<string, Listen>;
  /** A legacy host's resources/subscribe. */
  readonly subscriptions: WatchedUris;
  /** Lists that differ from what a resumed modern host saw: it is told with its first listen. */
  readonly stale: Set<ListKind>;
  calls: number;
}

/** What a host watches: by server and raw URI (`watchKey`), the URI as the host named it. */
export type WatchedUris = Map<string, string>;

export interface Listen {
  id: RawId;
  lists: Set<ListKind>;
  uris: WatchedUris;
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
  /** The URI as the host named it, when it differs. */
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
  /** resources/subscribe, to be booked when it succeeds. */
  readonly subscribes: boolean;
}

type CallPhase = { name: 'queued'; view: RequestView } | { name: 'sent'; upstreamId: number; sentAt: number };

export type CallOutcome = CallRecord['outcome'];
