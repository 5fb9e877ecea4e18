import type { ServerStatus } from '../core/model.ts';
import { McpdError } from '../errors.ts';

/** Why a start that a person asked for has failed, with the server's last words. */
export function startFailure(status: ServerStatus): McpdError {
  const tail = status.lastExit?.stderrTail ?? [];
  const last = tail.length === 0 ? '' : `; its last lines on stderr: ${tail.slice(-5).join(' | ')}`;
  return new McpdError('SERVER_START_FAILED', {
    what: `${status.name} did not start`,
    why: `${status.reason ?? status.lastExit?.cause ?? 'it was stopped'}${last}`,
    fix: `mcpd logs ${status.name}`,
  });
}
