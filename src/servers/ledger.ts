import type { InstanceKey, ServerName } from '../core/model.ts';

/** A process that was started. Kept until it was seen to end, so that the next daemon finds what this one left. */
export interface LedgerRow {
  instance: InstanceKey;
  generation: number;
  server: ServerName;
  pid: number;
  pgid: number;
  /** As `ProcessId.startTime`; empty where the system does not tell. */
  startTime: string;
  /** Value of MARKER_VARIABLE in its environment. */
  marker: string;
  /** Of the daemon that started it: generations begin anew with each daemon. */
  nonce: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** What of the registry this folder needs. */
export interface ProcessLedger {
  add(row: LedgerRow): void;
  remove(instance: InstanceKey, generation: number, nonce?: string): void;
  rows(): LedgerRow[];
}

/** A fault of the ledger stops no server: without its entry, the marker alone finds the process after a crash of the daemon. */
export function record(ledger: ProcessLedger, row: LedgerRow, tell: (fault: string) => void): void {
  try {
    ledger.add(row);
  } catch (error) {
    tell(`its process could not be recorded: ${String(error)}`);
  }
}

/** An entry that stays is forgotten by the next start, which finds that the process is gone. */
export function strikeOff(
  ledger: ProcessLedger,
  { instance, generation, nonce }: Pick<LedgerRow, 'instance' | 'generation' | 'nonce'>,
  tell: (fault: string) => void,
): void {
  try {
    ledger.remove(instance, generation, nonce);
  } catch (error) {
    tell(`its process could not be struck off the record: ${String(error)}`);
  }
}
