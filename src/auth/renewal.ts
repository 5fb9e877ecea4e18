import { McpdError } from '../errors.ts';
import type { Fetch } from '../proxy-fetch.ts';
import { boundedFetch, withinStep } from './bounded-fetch.ts';
import { findIssuer } from './discovery.ts';
import { loginFault } from './faults.ts';
import type { Grant } from './grants.ts';
import { tokensOf } from './login.ts';
import { informationOf } from './provider.ts';

/** `ended`: only a person can log in again. `failed`: it may work in a moment. */
export type Renewal =
  | { kind: 'renewed'; grant: Grant }
  | { kind: 'ended'; why: string }
  | { kind: 'failed'; error: McpdError };

export interface RenewalOrder {
  grant: Grant;
  url: string;
  /** The server refused the token: look first whether it still has the same issuer. Its challenge says where. */
  refused: { resourceMetadata: string | null } | null;
  /** Milliseconds since 1970. */
  now: () => number;
  fetch: Fetch;
}

/** A new token for the grant's resource, from its issuer and from no other. Never throws. */
export async function renewed({ grant, url, refused, now, fetch: own }: RenewalOrder): Promise<Renewal> {
  try {
    const { sdk } = await import('./sdk.ts');
    return await withinStep('the renewal of the login', new AbortController().signal, async (step) => {
      const fetch = boundedFetch(own, url, step);
      if (refused !== null) {
        const found = await findIssuer(sdk, { url, resourceMetadataUrl: refused.resourceMetadata }, fetch);
        if (found.issuer !== grant.issuer) {
          return { kind: 'ended', why: `it takes logins of ${found.issuer} now, no longer of ${grant.issuer}` };
        }
      }
      try {
        const { refreshToken } = grant;
        if (refreshToken === null) return { kind: 'ended', why: 'its login has ended, and cannot be renewed' };
        const tokens = await sdk.refreshAuthorization(grant.issuer, {
          metadata: metadataOf(grant),
          clientInformation: informationOf(grant.client, grant.issuer),
          refreshToken,
          ...(grant.namesResource ? { resource: grant.resource } : {}),
          fetchFn: fetch,
        });
        return { kind: 'renewed', grant: { ...grant, ...tokensOf(tokens, grant.scope, now()) } };
      } catch (thrown) {
        if (thrown instanceof sdk.OAuthError && ENDED.has(thrown.code))
          return { kind: 'ended', why: `its login has ended (${thrown.code})` };
        throw loginFault(sdk, thrown, 'the login could not be renewed');
      }
    });
  } catch (thrown) {
    if (thrown instanceof McpdError) return { kind: 'failed', error: thrown };
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { kind: 'failed', error: new McpdError('LOGIN_FAILED', { what: 'the login could not be renewed', why }) };
  }
}

// — internal —

/** What no second try changes (RFC 6749, section 5.2): the refresh token or the client is of no use any more. */
const ENDED = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'invalid_target']);

/** As much of the issuer's metadata as a renewal needs. */
function metadataOf({ issuer, tokenEndpoint, authMethods }: Grant) {
  return {
    issuer,
    authorization_endpoint: tokenEndpoint,
    token_endpoint: tokenEndpoint,
    response_types_supported: ['code'],
    token_endpoint_auth_methods_supported: authMethods,
  };
}
