import type { InstanceKey, ServerDefinition } from '../core/model.ts';
import type { Bytes } from '../protocol/frame.ts';
import type { FamilyRoot, ProcessTable } from './process-table.ts';

/** What is to be started: for the core, or for somebody whose process it knows nothing of. */
export interface ServerOrder {
  instance: InstanceKey;
  generation: number;
  definition: ServerDefinition;
  /** It serves no host: what it uses is not in the figures of its server. */
  isAside?: boolean;
}

/**
 * One spawn of one instance, from the order to its exit report: a process, or a connection to a server elsewhere. `server-exited` is
 * reported exactly once, as the last of it. Nothing is reported from inside a call.
 */
export interface RunningServer {
  readonly order: ServerOrder;
  /** Resolves after the exit report. */
  readonly ended: Promise<void>;
  /** Null while there is no process, or never one. */
  readonly pid: number | null;
  /** For finding its processes in a table; null where there are none. */
  readonly family: FamilyRoot | null;
  /** A message with its newline. */
  write(message: Bytes): 'ok' | 'full' | 'gone';
  /** What was written goes out now, and not at the end of this turn. */
  flush(): void;
  stop(kill: boolean): void;
  /** Takes note of its processes and their memory. */
  observe(table: ProcessTable): void;
}
