import { AUTH_ANSWER_MS } from '../operation-limits.ts';
import { placeOf, unreachable, withinStep } from './bounded-fetch.ts';

/** Says nothing and begins nothing, in any revision; a server that wants a login asks for it first. */
const QUESTION = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/**
 * What the server wants of whoever has no token: its `WWW-Authenticate`, or null.
 * @throws {McpdError} LOGIN_FAILED: it cannot be reached
 */
export async function askForChallenge(url: string, signal: AbortSignal): Promise<string | null> {
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
      return answer.status === 401 || answer.status === 403 ? answer.headers.get('www-authenticate') : null;
    } catch (thrown) {
      throw unreachable(placeOf(new URL(url)), thrown, step);
    }
  });
}
