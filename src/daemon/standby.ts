import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLock, type Lock } from '../../registry/lock.ts';
import { SOCKET_PROBE_MS, STANDBY_RETRY_MS } from '../operation-limits.ts';
import type { Paths } from '../paths.ts';

/**
 * The lock of this home's one daemon. Whoever finds it taken becomes a standby and takes over when it is free: a copy that exits instead
 * would be started again and again by its keeper. A daemon that nobody keeps (started by a shim) has no reason to stay once another one
 * serves, nor when a person has ended the daemon since its own start, since `mcpd down` means it too: then null. A host that still wants
 * one starts the next.
 */
export async function becomeTheDaemon(
  paths: Pick<Paths, 'daemonLock' | 'hostSocket' | 'endMark'>,
  kept: boolean,
  onStandby: () => void,
): Promise<Lock | null> {
  for (let waited = false; ; waited = true) {
    const lock = acquireLock(paths.daemonLock);
    if (lock !== null && !kept && wasEndedSince(paths.endMark, Date.now() - process.uptime() * 1000)) {
      lock.release();
      return null;
    }
    if (lock !== null) return lock;
    if (!kept && (await answers(paths.hostSocket))) return null;
    if (!waited) onStandby();
    await delay(STANDBY_RETRY_MS);
  }
}

// — internal —

/** A mark from the future tells of a clock that was set back, and of nothing else. */
function wasEndedSince(endMark: string, startedAt: number): boolean {
  const endedAt = statSync(endMark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return endedAt > startedAt && endedAt <= Date.now();
}

/** Whether somebody accepts connections there. The caller has changed into the home, so the name may be relative. */
function answers(socketName: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketName);
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.setTimeout(SOCKET_PROBE_MS, () => done(false));
  });
}
