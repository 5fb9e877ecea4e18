import type { ServerStatus } from '../core/model.ts';

/** No process is left, or none comes. */
export function isAtRest(status: ServerStatus): boolean {
  return status.state === 'stopped' || status.state === 'failed' || status.state === 'backoff';
}

/** A start has come to its end, the one way or the other. */
export function isUpOrDown(status: ServerStatus): boolean {
  return status.state === 'running' || isAtRest(status);
}
