import type { Revocation } from '../api/contract/logins.ts';
import { asMcpdError, McpdError } from '../errors.ts';
import { LOGIN_REVOKE_MS } from '../operation-limits.ts';
import type { Fetch } from '../proxy-fetch.ts';
import { boundedFetch, withinStep } from './bounded-fetch.ts';
import { reasonOf } from './faults.ts';
import type { Grant } from './grants.ts';

/**
 * Tells the issuer that the tokens of a login are of no use any more (RFC 7009), within LOGIN_REVOKE_MS: first the one that could bring
 * others. Nothing but the issuer's own endpoint gets to see them. `url` is the server's, `own` how mcpd reaches others. Never throws.
 */
export async function revoked(grant: Grant, url: string, own: Fetch): Promise<Revocation> {
  const { revocationEndpoint: endpoint, refreshToken, accessToken } = grant;
  if (endpoint === null || endpoint === undefined) return { state: 'not-offered' };
  const work = async (step: AbortSignal) => {
    const fetch = boundedFetch(own, url, step, 'status');
    const refresh =
      refreshToken === null ? null : revoke(endpoint, grant, { token: refreshToken, hint: 'refresh_token' }, fetch);
    // One that is refused says nothing of the other.
    await refresh?.catch(() => {});
    await revoke(endpoint, grant, { token: accessToken, hint: 'access_token' }, fetch);
    await refresh;
  };
  try {
    await withinStep('revoking its tokens', new AbortController().signal, work, LOGIN_REVOKE_MS);
    return { state: 'revoked' };
  } catch (thrown) {
    return { state: 'failed', error: asMcpdError(thrown, 'LOGIN_FAILED', 'the tokens were not revoked').report() };
  }
}

// — internal —

/** @throws {McpdError} LOGIN_FAILED, LOGIN_REFUSED */
async function revoke(
  endpoint: string,
  { client, authMethods }: Grant,
  { token, hint }: { token: string; hint: string },
  fetch: Fetch,
): Promise<void> {
  const body = new URLSearchParams({ token, token_type_hint: hint });
  const headers: Record<string, string> = {};
  const { clientId, clientSecret, method } = client;
  if (clientSecret === null) body.set('client_id', clientId);
  else if ((method ?? authMethods[0]) === 'client_secret_post') {
    body.set('client_id', clientId);
    body.set('client_secret', clientSecret);
  } else
    headers['authorization'] =
      `Basic ${Buffer.from(`${formWord(clientId)}:${formWord(clientSecret)}`).toString('base64')}`;
  const answer = await fetch(endpoint, { method: 'POST', headers, body });
  if (answer.status < 300) return;
  const { error = `status ${answer.status}` } = (await answer.json().catch(() => ({}))) as { error?: string };
  // Where only one kind can be revoked, the access token ends by itself, and soon.
  if (hint === 'access_token' && error === 'unsupported_token_type') return;
  throw new McpdError('LOGIN_FAILED', {
    what: 'the authorization server did not revoke the login',
    why: reasonOf(error),
  });
}

/** As a form writes it (RFC 6749, section 2.3.1). */
function formWord(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
