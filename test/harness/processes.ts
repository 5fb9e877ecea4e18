import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { until } from './until.ts';

/**
 * Is there a process with this pid that still runs? A zombie does not: it answers `kill(pid, 0)` until its parent has waited for it. One
 * whose other threads are still ending does: their files and sockets are open.
 */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // ESRCH: gone. (EPERM cannot be: tests look only at their own user's processes.)
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    return (state !== 'Z' && state !== 'X') || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return !procExists(); // No entry on a system that has /proc: it has just gone.
  }
}

/** Tells a process from a later one with the same pid. Undefined when it has gone, or on a system without /proc. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined; // As the docstring says.
  }
}

export async function gone(pid: number, timeoutMs?: number): Promise<void> {
  await until(`process ${pid} to be gone`, () => !alive(pid), timeoutMs);
}

/**
 * Pids whose environment or working folder names `folder`: everything that was started for one temporary home, also by somebody else's
 * child in a session of its own. Empty on a system without /proc.
 */
export function processesOf(folder: string): number[] {
  if (!procExists()) return [];
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => pid !== process.pid && alive(pid) && belongsTo(pid, folder));
}

/** The command line of a process; empty when it has gone, or on a system without /proc. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // As the docstring says.
  }
}

export function killPid(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It went by itself in between, which is what was wanted.
  }
}

/** Has this process come so far as to ignore SIGTERM, as one that traps it does? True on a system without /proc. */
export function ignoresSignals(pid: number): boolean {
  if (!procExists()) return true;
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '0';
    return (BigInt(`0x${mask}`) & SIGTERM_BIT) !== 0n;
  } catch {
    return false; // It has gone.
  }
}

/** Can processes be found by what they belong to? (Linux yes, macOS no.) */
export function procExists(): boolean {
  try {
    readFileSync('/proc/self/stat');
    return true;
  } catch {
    return false; // macOS has none.
  }
}

// — internal —

/** Signal 15 in the masks of /proc. */
const SIGTERM_BIT = 1n << 14n;

function belongsTo(pid: number, folder: string): boolean {
  try {
    if (readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder)) return true;
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    return false; // Gone meanwhile, or another user's process.
  }
}
