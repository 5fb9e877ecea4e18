import type { ServerStatus } from '../src/api/contract.ts';
import { type ErrorParts, McpdError } from '../src/errors.ts';

export type UnreadServer = Pick<ServerStatus, 'name' | 'launch' | 'enabled' | 'state' | 'reason' | 'fix'>;

/** A server whose lists nobody has read is not one without tools: what is not known of it, why, and what helps. */
export function unreadParts({ name, launch, enabled, state, reason, fix }: UnreadServer): Required<ErrorParts> {
  const what = `what ${name} offers is not known yet`;
  if (state === 'starting')
    return { what, why: 'it is being asked just now', fix: `again in a moment: mcpd tools ${name}` };
  const never = launch.kind === 'http' ? 'it was not reached yet' : 'it has not run yet';
  const cause = reason ?? (enabled ? null : 'it is disabled');
  return { what, why: cause === null ? never : `${never}: ${cause}`, fix: fix ?? `mcpd start ${name}` };
}

export function unreadError(server: UnreadServer): McpdError {
  return new McpdError('SERVER_UNREAD', unreadParts(server));
}
