import type { LedgerRow, ProcessLedger } from '../core/model.ts';

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
