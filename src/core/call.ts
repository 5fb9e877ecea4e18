import type { Abilities, Callback } from '../protocol/abilities.ts';
import type { Frame, RawId, Span } from '../protocol/frame.ts';
import type { LogLevel } from '../protocol/methods.ts';
import type { RequestView } from '../protocol/request-view.ts';
import type { CallOutcome, Era, InstanceKey, ServerName, SessionId } from './model.ts';
import type { Refusal } from './refusals.ts';
import type { Task } from './tasks.ts';

/** One routed request of a host, from arrival to answer. */
export interface Call {
  readonly session: SessionId;
  readonly holder: string;
  readonly principal: string;
  readonly id: RawId;
  readonly idKey: string;
  readonly method: string;
  readonly server: ServerName;
  /** Where it is sent; a retry goes to where the call waits that it is joined to. */
  instance: InstanceKey;
  /** Its host sees all servers, and URIs that several of them have under another name. */
  readonly prefixed: boolean;
  /** What its host can be asked for its sake. */
  readonly abilities: Abilities;
  /** The raw name or URI. */
  readonly target: string;
  /** What stands for the exposed name or URI in the request, and where. */
  readonly rewrite: { span: Span; json: string } | null;
  /** The URI as the host named it, when it differs. */
  readonly exposedUri: string | null;
  readonly hostEra: Era;
  readonly hostRevision: string | null;
  /** Raw JSON of the host's own progress token. */
  readonly progressToken: string | null;
  readonly logLevel: LogLevel | null;
  readonly openedAt: number;
  /** When the first of its requests arrived: a retry goes on with the marks of the call that it is joined to. */
  firstAt: number;
  /** See marks.ts. */
  marks: number[];
  readonly requestBytes: number;
  /** W3C trace context that the host named. */
  readonly traceparent: string | null;
  phase: CallPhase;
  /** Last sign of life: its sending, or progress. */
  aliveAt: number;
  progress: { value: number; windowStart: number; inWindow: number } | null;
  /** resources/subscribe, to be booked when it succeeds. */
  readonly subscribes: boolean;
  /** Its own request, for as long as it may have to be sent again with the input that a modern server asked for. */
  view: RequestView | null;
  /** Rounds of input so far. */
  rounds: number;
  /** Questions to its host that are not answered: waiting for a person is a sign of life. */
  questions: number;
  parked: Parked | null;
  /** Whether the server might ask its host something without saying so: `no`, or whom it must not overlap with. */
  need: 'no' | 'alone-among-hosts' | 'alone';
  /** Since when it waits for its turn. */
  waitingSince: number | null;
  /** The server asked its host something during it. */
  askedBack: boolean;
  /** What the server asked for and was refused, because the host has not declared it: a capability, as `elicitation.form`. */
  lacks: string | null;
  /** Null for nearly all. */
  task: CallTask | null;
}

/** What a call has to do with tasks. */
export type CallTask =
  /** Its host wants it to be one (2025-11-25). */
  | { kind: 'asked' }
  /** So it is, but the server has no tasks: it is called plainly. */
  | { kind: 'plain' }
  /** Its host takes a task for an answer, if the server likes (the extension). */
  | { kind: 'offered' }
  /** `tasks/get` and the like, about one that was made before. */
  | { kind: 'about' }
  | TaskRun;

/** A tool that can be called as a task only, and a host that has none: mcpd makes the task and waits for its end. */
export interface TaskRun {
  readonly kind: 'run';
  readonly way: TaskWay;
  /** What the request was for that is out, or was last: to make it, to look at it, to fetch its result (2025-11-25), to bring input (extension). */
  stage: 'create' | 'watch' | 'fetch' | 'update';
  task: Task | null;
  /** Milliseconds between two looks at it. */
  pollMs: number;
  /** When the tool itself was called. */
  sentAt: number;
}

/** How the server has tasks: as 2025-11-25 has them, or by the extension of 2026-07-28. */
export type TaskWay =
  | { by: 'revision' }
  | {
      by: 'extension';
      /** JSON of the host's capabilities with the extension among them: each request about the task says it again. */
      readonly declared: string;
      /** The keys of the input that its host was asked for: a key comes again until its answer has arrived. */
      readonly asked: Set<string>;
      /** Raw JSON of the answers, by key, that are still to be sent. */
      readonly answers: Map<string, string>;
    };

type CallPhase =
  | { name: 'queued'; view: RequestView; retry: string | null }
  | { name: 'sent'; upstreamId: number; sentAt: number }
  | { name: 'asking'; round: Round }
  /** A task runs for it, and is looked at again then. */
  | { name: 'polling'; at: number };

/** One round of input for a modern server, whose host is asked by real requests. */
export interface Round {
  /** By the server's own keys: raw JSON of the result, null while it is awaited. */
  readonly responses: Map<string, string | null>;
  /** Raw JSON of the server's `requestState`. */
  readonly requestState: string | null;
}

/** What a host is asked, for as long as it has not answered. */
export interface Question {
  /** Raw JSON of the id that the host sees. */
  readonly id: RawId;
  readonly session: SessionId;
  readonly method: Callback;
  /** The calls for whose sake it may be asked, the newest last; it is needed until the last of them has ended. Empty outside any call. */
  readonly calls: readonly Call[];
  readonly from:
    | { kind: 'server'; instance: InstanceKey; generation: number; id: RawId; progressToken: string | null }
    | { kind: 'round'; call: Call; key: string };
}

/** Where a request of a server waits for its answer. */
export type Asked = { kind: 'question'; question: Question } | { kind: 'parked'; parked: Parked; key: string };

/** `id` is that of the server's request; null for what a task of a modern server needs, where nothing is open. */
interface Want {
  id: RawId | null;
  method: Callback;
  params: string;
}

/** A modern host's call that waits for input while the server's own request stays open. */
export interface Parked {
  readonly id: string;
  readonly instance: InstanceKey;
  readonly principal: string;
  /** Of method, name and arguments: the retry must have the same. */
  readonly digest: string;
  /** `gathering`: more questions may come in a moment. `with-host`: its request was answered, and a retry is awaited. */
  stage: 'gathering' | 'with-host';
  /** Counts its rounds: each has a `requestState` of its own. */
  round: number;
  call: Call;
  /** By the key under which the host is asked. */
  readonly wants: Map<string, Want>;
  nextKey: number;
  /** What the call has come to before its retry came. */
  outcome: { frame: Frame } | { refusal: Refusal; as: CallOutcome } | null;
}
