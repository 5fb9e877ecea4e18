import type { Abilities } from '../protocol/abilities.ts';
import type { RawId } from '../protocol/frame.ts';
import type { Identity, ServerGreeting } from '../protocol/handshake.ts';
import type { LogLevel } from '../protocol/methods.ts';
import type { TaskSupport } from '../protocol/tasks.ts';
import type { Asked, Call, Parked, Question } from './call.ts';
import type { Effect } from './events.ts';
import type { Findings } from './findings.ts';
import type { Audience, MergedLists } from './listing.ts';
import type {
  Door,
  Era,
  ExitReport,
  InstanceKey,
  ListKind,
  ServerDefinition,
  ServerLock,
  ServerMemory,
  ServerName,
  SessionId,
  Wish,
} from './model.ts';
import type { NameTable } from './names.ts';
import type { OwnRequest, Unawaited } from './own-requests.ts';
import type { Phase } from './supervision.ts';
import type { TaskListing } from './task-lists.ts';
import type { Task } from './tasks.ts';
import type { TransientMap } from './transient-map.ts';
import type { UriTable } from './uris.ts';

/** What the core knows. Plain data in maps; the functions beside it change it and leave effects in `out`. */
export interface Core {
  /** Monotonic milliseconds of the event being handled. */
  now: number;
  out: Effect[];
  readonly config: CoreConfig;
  /** JSON of `config.identity`. */
  readonly ownInfo: string;
  readonly servers: Map<ServerName, KnownServer>;
  readonly instances: Map<InstanceKey, Instance>;
  readonly sessions: TransientMap<SessionId, HostSession>;
  /** What servers have asked hosts, by `idKey` of the id that the host sees. */
  readonly questions: Map<string, Question>;
  /** Calls of modern hosts that wait for input, by the id in their `requestState`. */
  readonly parked: Map<string, Parked>;
  /** Tasks that servers have made for hosts, or for mcpd in their stead, by `taskKey`, the oldest first. */
  readonly tasks: Map<string, Task>;
  /** `tasks/list` of hosts that are not answered yet, by a number of their own. */
  readonly taskListings: Map<number, TaskListing>;
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
  /** Counts questions, parked calls and task listings. */
  nextQuestion: number;
  totals: { calls: number; errors: number };
}

export interface CoreConfig {
  identity: Identity;
  startSlots: number;
  /** In [0, 1); seeded in tests. */
  random: () => number;
  /** Tells this daemon from all others: an answer to a question of an earlier one means nothing to this one. */
  generation: string;
  /** Keyed with a secret of this home that outlives the daemon; url-safe text. Tells a `requestState` of mcpd from a forged one. */
  sign: (text: string) => string;
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
  /** The raw names, URIs and templates of the memory's lists, variants included. */
  keys: Readonly<Record<ListKind, readonly string[]>>;
  /** What it declares in `capabilities.extensions`. */
  extensions: Readonly<Record<string, unknown>>;
  /** Tools and prompts that were seen to answer without asking their host anything. */
  readonly quiet: Set<string>;
  /** Tools that can be called as a task only. */
  taskTools: ReadonlySet<string>;
  /** Tools that were seen to refuse clients without the tasks extension. */
  readonly extensionTools: Set<string>;
  /** When it was first seen to ask something during a call; sessions that came later get processes of their own. */
  callsBackSince: number | null;
  /** A person must act first: why. */
  locked: ServerLock | null;
  /** What it lists otherwise than a person agreed to, as sentences. */
  drift: readonly string[];
  wish: Wish;
}

export interface Instance {
  readonly key: InstanceKey;
  readonly server: ServerName;
  definition: ServerDefinition;
  readonly purpose: { kind: 'serve' } | { kind: 'trial'; trial: string } | { kind: 'compare'; for: InstanceKey };
  /** Whose it is: a session or principal (`HostSession.holder`), a folder; null serves all hosts. */
  readonly holder: string | null;
  /** The holder, where that is a folder. */
  readonly folder: string | null;
  /** The name of the host that came to it or left it last; empty where `holder` is null. */
  lastHost: string;
  /** What its clients can be asked, as it is told. */
  readonly abilities: Abilities;
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
  /** Calls that wait for it to be ready, or for their turn, in their order. */
  readonly queue: Set<Call>;
  /** Calls whose hosts are asked for the input that a modern server wants; nothing of them is open at the server. */
  readonly asking: Set<Call>;
  /** Raw URIs that hosts watch, and their sessions. They outlive its processes. */
  readonly subscriptions: Map<string, Set<SessionId>>;
  /** Its own ids of tasks whose changes modern hosts listen for, and their sessions. */
  readonly taskWatchers: Map<string, Set<SessionId>>;
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
  /** When the calls that wait for their turn are looked at again; null while none waits. */
  turnArmedFor: number | null;
  /** Of a trial: a second process has been started, to see what it lists to clients that can do more. */
  compared: boolean;
}

type TrialVerdict =
  | { ok: true; memory: ServerMemory; findings: string[] }
  | { ok: false; step: 'start' | 'handshake' | 'list'; reason: string };

/** Protocol state towards one process of a server. */
export interface ServerLink {
  /** Of the launch that this process runs; the definition may have changed since. */
  readonly fingerprint: string;
  /** What it is told that its clients can be asked. */
  readonly abilities: Abilities;
  /** It says with each message to which request that belongs, as HTTP does. */
  tellsAbout: boolean;
  step: 'probing' | 'initializing' | 'ready';
  /** Its process hears nothing any more: calls wait for the next one. */
  deaf: boolean;
  /** Whether `server/discover` was asked, and whether its answer is still out. */
  probe: 'unasked' | 'open' | 'answered';
  /** Why it refused `initialize`; only a modern server may. */
  refusal: string | null;
  /** Its slow answer to the probe, when `initialize` was sent already and may still be answered. */
  lateGreeting: ServerGreeting | null;
  era: Era | null;
  protocolVersion: string;
  serverInfo: string;
  capabilities: Record<string, unknown>;
  /** What of tasks is among them. */
  taskSupport: TaskSupport;
  instructions: string | null;
  nextId: number;
  /** Calls that were sent, by their id on the link. */
  readonly calls: TransientMap<number, Call>;
  /** Of these, the ones for whose sake a host might be asked something. */
  needy: number;
  /** mcpd's own requests. */
  readonly pending: Map<number, OwnRequest>;
  /** Requests whose answer nobody waits for; the newest ABANDONED_IDS_KEPT. */
  readonly abandoned: Map<number, Unawaited>;
  /** Cancelled calls for whose sake it may still ask, since they have not been answered; the newest ABANDONED_IDS_KEPT. */
  readonly cancelled: Map<number, { holder: string; at: number }>;
  /** Lists being read, with what has come so far. */
  readonly reading: Map<ListKind, ListReading>;
  /** By the id on the link of the request that made it, which is also its progress token. */
  readonly tasks: Map<number, Task>;
  /** What this process has said its lists are. */
  readonly read: Map<ListKind, { entries: string[]; findings: string[] }>;
  /** Lists that will be read again soon, and when each was last. */
  readonly rereads: Map<ListKind, { armed: boolean; lastAt: number }>;
  /** The level last sent by logging/setLevel. */
  logLevel: LogLevel | null;
  /** Its requests to hosts that are not answered yet, by `idKey` of its own id. */
  readonly asked: Map<string, Asked>;
  /** Its elicitations by URL, and the sessions that were shown them; the newest ELICITATIONS_KEPT. */
  readonly elicitations: Map<string, SessionId>;
  /** Raw URIs that this process was asked to watch. */
  readonly subscribed: Set<string>;
  /** The tasks that it was asked to tell of. */
  readonly subscribedTasks: Set<string>;
  /** Id of mcpd's own subscriptions/listen at a modern server. */
  listenId: number | null;
  /** When the health probe that is out was sent. */
  probedAt: number | null;
  /** Notices passed on to hosts in the second that began at `since`, and updated URIs that wait for its end. */
  readonly flow: { since: number; passed: number; held: Set<string> };
}

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
  /** By whose name processes of its own go: the session, or for one that lasts a single request its principal. */
  readonly holder: string;
  readonly openedAt: number;
  /** Set by the first message that tells: `initialize`, or a request with the modern envelope. */
  era: Era | null;
  protocolVersion: string | null;
  initialized: boolean;
  /** Raw JSON of the host's clientInfo; mcpd's own until it is known. */
  clientInfo: string;
  /** What it can be asked: of a legacy host for good, of a modern one as of its last request. */
  abilities: Abilities;
  /** Which lists it gets. */
  audience: Audience;
  /** The instance that serves it, by server, once that was decided. */
  readonly places: Map<ServerName, Instance>;
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
  /** By `watchKey` of the server's own id: the task as the host named it. */
  tasks: Map<string, string>;
}
