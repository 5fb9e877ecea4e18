import { AUTH_ANSWER_MS } from '../operation-limits.ts';
import type { Fetch } from '../proxy-fetch.ts';
import { placeOf, unreachable, withinStep } from './bounded-fetch.ts';

/** Says nothing and begins nothing, in any revision; a server that wants a login asks for it first. */
const QUESTION = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** What the server says to whoever has no token. */
export interface FirstAnswer {
  /** 401 or 403. */
  refused: boolean;
  wwwAuthenticate: string | null;
}

/**
 * @throws {McpdError} LOGIN_FAILED: it cannot be reached
 */
export async function askForChallenge(fetch: Fetch, url: string, signal: AbortSignal): Promise<FirstAnswer> {
  return withinStep('asking the server', signal, async (step) => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: HEADERS,
        body: QUESTION,
        redirect: 'manual',
        signal: AbortSignal.any([step, AbortSignal.timeout(AUTH_ANSWER_MS)]),
      });
      await answer.body?.cancel();
      const refused = answer.status === 401 || answer.status === 403;
      return { refused, wwwAuthenticate: refused ? answer.headers.get('www-authenticate') : null };
    } catch (thrown) {
      throw unreachable(placeOf(new URL(url)), thrown, step);
    }
  });
}
