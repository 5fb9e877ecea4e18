import { execFile } from 'node:child_process';
import { errnoOf } from '../errors.ts';

/** `end` asks (SIGTERM, and SIGCONT so that a stopped process hears it), `kill` does not. */
export type Force = 'end' | 'kill';

const SIGNALS: Record<Force, readonly NodeJS.Signals[]> = { end: ['SIGTERM', 'SIGCONT'], kill: ['SIGKILL'] };

/**
 * Signals a whole process group. Only while its leader is known to live: the number is then taken, and by nobody else.
 * On Windows, which has no groups, `taskkill /T` walks the tree below the leader.
 */
export function signalGroup(leader: number, force: Force): void {
  if (process.platform === 'win32') {
    const args = ['/PID', String(leader), '/T', ...(force === 'kill' ? ['/F'] : [])];
    // Its result says nothing that the leader's exit does not say better.
    execFile('taskkill', args, { windowsHide: true }, () => undefined);
    return;
  }
  for (const signal of SIGNALS[force]) send(-leader, signal);
}

/** Signals one process, whose start time was compared a moment ago. */
export function signalProcess(pid: number, force: Force): void {
  for (const signal of SIGNALS[force]) send(pid, signal);
}

/** Whether any process is in the group. A zombie counts. */
export function groupExists(leader: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    process.kill(-leader, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

// — internal —

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // ESRCH: it has ended already. EPERM: it took another user's rights; the sweep sees that it lives, and says so when it gives up.
  }
}
