import { waitForLock } from '../../registry/lock.ts';
import { McpdError } from '../errors.ts';
import { CONTROL_POLL_MS, LOCK_WAIT_MS } from '../operation-limits.ts';
import type { Paths } from '../paths.ts';

/**
 * Runs `work` while no other process starts, stops or replaces the daemon of this home: twelve `pm2 start` at once make twelve pm2 daemons.
 * @throws {McpdError} DAEMON_START_FAILED when another holds the lock for LOCK_WAIT_MS
 */
export async function underStartLock<T>(paths: Paths, work: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(paths.startLock, LOCK_WAIT_MS, CONTROL_POLL_MS);
  if (lock === null) {
    throw new McpdError('DAEMON_START_FAILED', {
      what: 'another mcpd starts or stops the daemon and does not come to an end',
      why: `it has held ${paths.startLock} for more than ${LOCK_WAIT_MS / 1000} s`,
      fix: 'look for other mcpd processes and end them, then try again',
    });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
