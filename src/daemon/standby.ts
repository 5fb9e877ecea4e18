import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLock, type Lock } from '../../registry/lock.ts';
import { SOCKET_PROBE_MS, STANDBY_RETRY_MS } from '../limits.ts';

/**
 * The lock of this home's one daemon. Whoever finds it taken becomes a standby and takes over when it is free: a copy that exits instead
 * would be started again and again by its keeper. A daemon that nobody keeps (started by a shim) has no reason to stay once another one
 * serves: then null.
 */
export async function becomeTheDaemon(
  lockPath: string,
  hostSocket: string,
  kept: boolean,
  onStandby: () => void,
): Promise<Lock | null> {
  for (let waited = false; ; waited = true) {
    const lock = acquireLock(lockPath);
    if (lock !== null) return lock;
    if (!kept && (await answers(hostSocket))) return null;
    if (!waited) onStandby();
    await delay(STANDBY_RETRY_MS);
  }
}

// — internal —

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
