/** Texts that the shim itself writes to the host, as lines. */
import { line } from '../../src/protocol/bytes.ts';
import type { Bytes, RawId } from '../../src/protocol/frame.ts';
import { errorText, INTERNAL_ERROR, INVALID_REQUEST, notificationText } from '../../src/protocol/jsonrpc.ts';
import { SUBSCRIPTION_ID_KEY } from '../../src/protocol/meta.ts';

/** Why the daemon cannot be reached, in the three parts of every error of mcpd. */
export interface Cause {
  what: string;
  why: string;
  fix: string;
}

/** The request was handed to a daemon that has gone; whether it was carried out cannot be known. */
export function lostAnswer(id: RawId, method: string): Bytes {
  const message = `mcpd was restarted while this ${method} was under way; whether it took effect is unknown`;
  const fix = 'look whether it took effect before you send it again; mcpd is ready for it';
  return line(errorText(id, INTERNAL_ERROR, message, { reason: 'daemon-lost', outcome: 'unknown', method, fix }));
}

/** The request never left the shim. */
export function unreachableAnswer(id: RawId, { what, why, fix }: Cause): Bytes {
  const message = `${what}${why === '' ? '' : `: ${why}`}. Try: ${fix}`;
  const data = { reason: 'daemon-unreachable', outcome: 'not-sent', what, why, fix };
  return line(errorText(id, INTERNAL_ERROR, message, data));
}

/** The host closed stdin and no answer came in the time that was left. */
export function endedAnswer(id: RawId): Bytes {
  const message = 'standard input was closed, and mcpd had no answer yet';
  return line(errorText(id, INTERNAL_ERROR, message, { reason: 'stdin-closed', outcome: 'unknown' }));
}

export function idInUseAnswer(id: RawId): Bytes {
  return line(errorText(id, INVALID_REQUEST, 'a request with this id is still open'));
}

/** For the daemon: the host was not asked, or will not answer. */
export function unaskedAnswer(id: RawId, why: string, reason: string): string {
  return errorText(id, INTERNAL_ERROR, why, { reason });
}

/** Tells the host that nobody waits any more for its answer to a server's request. */
export function cancelledNotice(requestId: RawId): Bytes {
  return line(notificationText('notifications/cancelled', `{"requestId":${requestId},"reason":"mcpd was restarted"}`));
}

/** The resource may have changed while the subscription was gone. `subscriptionId` is the raw id of a modern host's listen. */
export function updatedNotice(uri: string, subscriptionId: RawId | null): Bytes {
  const meta = subscriptionId === null ? '' : `,"_meta":{"${SUBSCRIPTION_ID_KEY}":${subscriptionId}}`;
  return line(notificationText('notifications/resources/updated', `{"uri":${JSON.stringify(uri)}${meta}}`));
}
