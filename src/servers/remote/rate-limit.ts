import { REMOTE_RETRY_AFTER_MAX_MS } from '../../remote-limits.ts';
import { RemoteFault } from './fault.ts';

/**
 * Milliseconds until a server wants to be asked again that was asked too often (429). `retryAfter` is its header, in seconds or as a
 * date; `now` is milliseconds since 1970.
 * @throws {RemoteFault} that is later than anybody waits
 */
export function waitAsked(retryAfter: string | undefined, now: number, place: string): number {
  const waitMs = retryAfter === undefined ? UNSAID_MS : millisecondsIn(retryAfter.trim(), now);
  if (waitMs <= REMOTE_RETRY_AFTER_MAX_MS) return waitMs;
  throw new RemoteFault('rate_limited', `${place} is asked too often`, {
    why: `it wants to be asked again in ${Math.ceil(waitMs / 1000)} s`,
    status: 429,
  });
}

// — internal —

const UNSAID_MS = 1000;

function millisecondsIn(text: string, now: number): number {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? UNSAID_MS : Math.max(0, at - now);
}
