import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Clock ticks of Linux for programs, whatever the kernel's own: USER_HZ. */
const TICKS_PER_SECOND = 100;
const LOOK_AGAIN_MS = 10;

/** Resident memory of one process in bytes. */
export function residentBytes(pid) {
  if (!existsSync('/proc/self/status')) {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
  }
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) * 1024;
}

/** Seconds of processor time that a process has used, or null where the system does not tell it finely. */
export function processorSeconds(pid) {
  if (!existsSync('/proc/self/stat')) return null;
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // No such process; all that are asked for are of this user.
  }
  if (!existsSync('/proc/self/stat')) return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat[stat.lastIndexOf(')') + 2] !== 'Z';
  } catch {
    return false; // It went between the two looks.
  }
}

/** Asks a process to end, and resolves when it has; after `patienceMs` it is killed. */
export async function endProcess(pid, patienceMs) {
  send(pid, 'SIGTERM');
  for (let waited = 0; isAlive(pid); waited += LOOK_AGAIN_MS) {
    if (waited >= patienceMs) send(pid, 'SIGKILL');
    await delay(LOOK_AGAIN_MS);
  }
}

/** Kills, one by one, what is left of a temporary folder: processes that name it in their environment or work in it. Linux only. */
export async function endAllOf(folder) {
  if (!existsSync('/proc/self/stat')) return;
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    if (pid === process.pid || !belongsTo(pid, folder)) continue;
    await endProcess(pid, 0);
  }
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has gone, which is what is wanted.
  }
}

function belongsTo(pid, folder) {
  try {
    if (readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder)) return true;
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    return false; // Gone meanwhile, or of another user.
  }
}
