import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerRow, ProcessLedger } from '../core/model.ts';
import { REAP_KILL_MS, REAP_TERM_GRACE_MS, SWEEP_EVERY_MS } from '../limits.ts';
import { isOfEarlierDaemon, type MarkerParts } from './marker.ts';
import type { ProcessScanner } from './process-scan.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';
import { signalProcess } from './signals.ts';

export interface ReapReport {
  /** Processes of earlier daemons that were still there. */
  found: number;
  /** Those that SIGKILL did not end in time. */
  left: number[];
  /** The ledger could not be used, so that markers alone decided; null when all is well. */
  fault: string | null;
}

/**
 * Living processes that an earlier daemon of this home left: all that bear its marker, and the families of ledger entries whose pid,
 * start time and marker agree. Never this process or one above it, whatever they bear: a daemon may have been started from within a
 * server's shell.
 */
export function leftovers(
  table: ProcessTable,
  now: MarkerParts,
  ledger: readonly LedgerRow[],
  self: number,
): ProcessRow[] {
  const spared = table.ancestorsOf(self);
  const victims = new Map<number, ProcessRow>();
  for (const row of table.rows()) {
    if (row.marker !== null && isOfEarlierDaemon(row.marker, now)) victims.set(row.pid, row);
  }
  for (const { pid, startTime, marker, nonce } of ledger) {
    const leader = { pid, startTime };
    if (nonce === now.nonce || table.find(leader)?.marker !== marker) continue;
    for (const row of table.family({ leader, known: new Map(), marker })) victims.set(row.pid, row);
  }
  return [...victims.values()].filter((row) => !row.zombie && !spared.has(row.pid));
}

/** TERM, then KILL, to all leftovers. Afterwards the ledger has no entry of an earlier daemon whose process is gone. Never rejects. */
export async function reap(scanner: ProcessScanner, now: MarkerParts, ledger: ProcessLedger): Promise<ReapReport> {
  const { rows: earlier, fault } = earlierRows(ledger, now);
  const asked = new Set<number>();
  const begin = performance.now();
  let left: number[] = [];
  let unused = fault;
  for (;;) {
    const table = await scanner.fresh({ markers: true });
    const rows = table === null ? [] : leftovers(table, now, earlier, process.pid);
    left = rows.map((row) => row.pid);
    unused = forget(ledger, earlier, table) ?? unused;
    const spent = performance.now() - begin;
    if (left.length === 0 || spent > REAP_TERM_GRACE_MS + REAP_KILL_MS) break;
    for (const pid of left) {
      if (spent >= REAP_TERM_GRACE_MS) signalProcess(pid, 'kill');
      else if (!asked.has(pid)) signalProcess(pid, 'end');
      asked.add(pid);
    }
    await delay(SWEEP_EVERY_MS);
  }
  return { found: asked.size, left, fault: unused };
}

// — internal —

function earlierRows(ledger: ProcessLedger, now: MarkerParts): { rows: LedgerRow[]; fault: string | null } {
  try {
    return { rows: ledger.rows().filter((row) => row.nonce !== now.nonce), fault: null };
  } catch (error) {
    return { rows: [], fault: faultText(error) };
  }
}

/**
 * Strikes off what is gone. Without a table on Windows there is nothing to compare an entry with, ever; elsewhere the next start may
 * know more. Returns the fault of the ledger, if any.
 */
function forget(ledger: ProcessLedger, earlier: readonly LedgerRow[], table: ProcessTable | null): string | null {
  if (table === null && process.platform !== 'win32') return null;
  try {
    for (const row of earlier) {
      const found = table?.find(row);
      if (found === undefined || found.zombie) ledger.remove(row.instance, row.generation, row.nonce);
    }
    return null;
  } catch (error) {
    return faultText(error);
  }
}

function faultText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
