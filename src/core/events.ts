import type { Bytes, Frame, NoiseReason } from '../protocol/frame.ts';
import type { CallRecord } from './call-record.ts';
import type {
  CachedList,
  Door,
  Era,
  ExitReport,
  ExposedName,
  InstanceKey,
  ServerDefinition,
  ServerLock,
  ServerMemory,
  ServerName,
  SessionId,
  Transition,
  Wish,
} from './model.ts';
import type { Whose } from './whose.ts';

/**
 * Everything that can happen to the core, and everything it can ask for. An edge reports an event; `Gateway.step` answers with effects;
 * the runtime performs them. `at` is monotonic milliseconds; the core reads no clock.
 */
export type GatewayEvent =
  | { type: 'host-opened'; at: number; session: SessionId; host: string; door: Door; resume: ResumeFacts | null }
  | { type: 'host-message'; at: number; session: SessionId; frame: Frame }
  /** A line that is no message, or too long. `id` is the raw id of a request, when one could be read. */
  | { type: 'host-noise'; at: number; session: SessionId; reason: NoiseReason; id: string | null }
  | { type: 'host-closed'; at: number; session: SessionId }
  /** The question with this raw id could not be put to the host: it does not read, or has no stream on which it could be asked. */
  | { type: 'host-deaf'; at: number; session: SessionId; question: string }
  /** It can be talked to now. `pid` is null where no process of this machine is behind it. */
  | { type: 'server-spawned'; at: number; instance: InstanceKey; generation: number; pid: number | null }
  /** `about`: id on the link of the request on whose own stream it came; null where a server has one stream for all (stdio). */
  | {
      type: 'server-message';
      at: number;
      instance: InstanceKey;
      generation: number;
      frame: Frame;
      about: number | null;
    }
  | {
      type: 'server-noise';
      at: number;
      instance: InstanceKey;
      generation: number;
      reason: NoiseReason;
      /** Raw id of the request of ours that the line answers, as far as it could be read. */
      id: string | null;
      /** Raw id of the server's own request, when the line is one. */
      question: string | null;
      bytes: number;
    }
  /** The server does not read: this request of ours (its id on the link) was not written. */
  | { type: 'server-full'; at: number; instance: InstanceKey; generation: number; id: number }
  /** It hears nothing any more: its process has exited, or closed a pipe. `server-exited` follows when its whole group is gone. */
  | { type: 'server-deaf'; at: number; instance: InstanceKey; generation: number }
  /** Also when it could not be spawned. Comes exactly once per `spawn`, after the whole process group is gone or was given up. */
  | { type: 'server-exited'; at: number; instance: InstanceKey; generation: number; exit: ExitReport }
  /** Its process is over the memory limit: `hard` is killed at once, `soft` is recycled when idle. */
  | {
      type: 'server-memory';
      at: number;
      instance: InstanceKey;
      generation: number;
      limit: 'soft' | 'hard';
      bytes: number;
    }
  /**
   * The registry has this server now: new, changed, enabled, disabled. `memory` belongs to its fingerprint or is null. `wish` is what a
   * person said to a daemon before this one.
   */
  | { type: 'server-defined'; at: number; definition: ServerDefinition; memory: ServerMemory | null; wish?: Wish }
  | { type: 'server-removed'; at: number; server: ServerName }
  /** A remote server lets nobody in before a person has acted; null: somebody has. */
  | { type: 'server-locked'; at: number; server: ServerName; lock: ServerLock | null }
  /** Its lists are not what a person agreed to, as sentences; none: they are again. */
  | { type: 'server-drifted'; at: number; server: ServerName; drift: readonly string[] }
  /** A person's word. `start` holds the server up until `stop`, also in the next daemon. */
  | { type: 'command'; at: number; server: ServerName; command: 'start' | 'stop' | 'restart' }
  /** Start this definition once, read its lists, stop it, report by `trial-finished`. */
  | { type: 'trial'; at: number; trial: string; definition: ServerDefinition }
  /** Ends a trial that is under way (the person pressed Ctrl-C). */
  | { type: 'trial-cancelled'; at: number; trial: string }
  | { type: 'timer'; at: number; timer: TimerId }
  /** Drain everything and stop all instances; `now` skips the drain. */
  | { type: 'shutdown'; at: number; now: boolean };

export type Effect =
  /**
   * `answer`s must arrive. A `question` (a server's request to the host) that cannot is reported by `host-deaf`. `notice`s may be dropped
   * and counted when the host does not read. `id`: raw id of what is answered or asked, else null. `about`: raw id of the host's open
   * request to which the message belongs, so that HTTP can put it on that request's stream; null belongs to the session as a whole.
   */
  | {
      type: 'to-host';
      session: SessionId;
      bytes: Bytes;
      class: 'answer' | 'question' | 'notice';
      id: string | null;
      about: string | null;
    }
  /** `id` is that of a request on the link, for the case that it cannot be written; null for what may be lost. */
  | { type: 'to-server'; instance: InstanceKey; generation: number; bytes: Bytes; id: number | null }
  | { type: 'close-host'; session: SessionId; reason: string }
  | { type: 'spawn'; instance: InstanceKey; generation: number; definition: ServerDefinition }
  /** Close stdin, TERM, KILL, sweep. `kill` skips to the end. */
  | { type: 'stop-child'; instance: InstanceKey; generation: number; kill: boolean }
  /** Replaces a timer of the same id. */
  | { type: 'arm-timer'; timer: TimerId; afterMs: number }
  | { type: 'disarm-timer'; timer: TimerId }
  | { type: 'save-memory'; server: ServerName; memory: ServerMemory }
  | { type: 'save-wish'; server: ServerName; wish: Wish }
  | { type: 'save-names'; names: ExposedName[] }
  | { type: 'record-call'; record: CallRecord }
  | { type: 'record-transition'; transition: Transition }
  /** A lifecycle line for the server's log. `whose`: the process that it is about. */
  | { type: 'log'; server: ServerName; whose: Whose; level: 'info' | 'warn' | 'error'; text: string }
  | { type: 'trial-finished'; trial: string; outcome: TrialOutcome }
  /** Status of a server or of the sessions changed: watchers may look again. */
  | { type: 'publish'; topic: 'server' | 'sessions'; name: string }
  /** After `shutdown`: nothing is left running. */
  | { type: 'all-stopped' };

export type TimerId = `${string}:${string}`;

export type TrialOutcome =
  | { ok: true; memory: ServerMemory; findings: string[]; durationMs: number }
  | { ok: false; step: 'start' | 'handshake' | 'list'; reason: string; exit: ExitReport | null };

/** What a shim tells a new daemon about the session it kept alive. */
export interface ResumeFacts {
  /** Raw JSON of the host's `initialize` params; null for a modern host. */
  initializeParams: string | null;
  /** The revision it was given. */
  protocolVersion: string | null;
  initialized: boolean;
  logLevel: string | null;
  era: Era | null;
  /** sha-256 digests of the list bodies the host saw last, by list kind: a notice is sent only for one that differs. */
  listDigests: Partial<Record<CachedList['kind'], string>>;
}
