import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '@modelcontextprotocol/client';
import { McpdError } from '../errors.ts';
import type { Fetch } from '../proxy-fetch.ts';
import { checkSafe } from './bounded-fetch.ts';
import { reasonOf } from './faults.ts';
import type { ClientIdentity } from './grants.ts';
import { covers, isSafeFor } from './resource.ts';
import type { Sdk } from './sdk.ts';

/** Who issues tokens for a server. */
export interface Issuer {
  /** Its name for itself, checked against where it was found. */
  issuer: string;
  authorizationServerUrl: string;
  /** Null where there is none: then it has the endpoints that revision 2025-03-26 names. */
  metadata: AuthorizationServerMetadata | null;
  /** What the server says about itself; null for one that knows no such metadata (revision 2025-03-26). */
  resourceMetadata: OAuthProtectedResourceMetadata | null;
  resourceMetadataUrl: string | null;
  /** What its tokens are for: the resource that the server names, else its address. */
  resource: string;
}

/**
 * From a server's address to its authorization server: its own metadata (RFC 9728), where its challenge says or at the well-known places,
 * and the metadata of the first authorization server it names (RFC 8414, OpenID Connect Discovery).
 * @throws {McpdError} LOGIN_FAILED, LOGIN_REFUSED
 */
export async function findIssuer(
  sdk: Sdk,
  server: { url: string; resourceMetadataUrl: string | null },
  fetch: Fetch,
): Promise<Issuer> {
  const { url, resourceMetadataUrl } = server;
  const resourceMetadata = await resourceMetadataOf(sdk, url, resourceMetadataUrl, fetch);
  const resource = resourceMetadata?.resource ?? url;
  if (!covers(resource, url)) {
    throw new McpdError('LOGIN_REFUSED', {
      what: `its login is for another address, ${resource}`,
      why: `its metadata must name ${url} or a parent of it; a token could be meant for somebody else otherwise`,
      fix: 'add the server by the address that its maker gives',
    });
  }
  const authorizationServerUrl = resourceMetadata?.authorization_servers?.[0] ?? new URL('/', url).href;
  const metadata = await metadataOf(sdk, authorizationServerUrl, fetch);
  if (metadata === null && resourceMetadata !== null) throw hasNoMetadata(authorizationServerUrl);
  if (metadata !== null) checkUsable(metadata, url, resourceMetadata !== null);
  return {
    issuer: metadata?.issuer ?? authorizationServerUrl,
    authorizationServerUrl,
    metadata,
    resourceMetadata,
    resourceMetadataUrl,
    resource,
  };
}

export function hasNoMetadata(address: string): McpdError {
  return new McpdError('LOGIN_FAILED', {
    what: `${address} does not say how to log in`,
    why: 'it has neither the metadata of an authorization server nor that of an OpenID provider',
    fix: 'check the address; if it takes a key instead of a login: mcpd add NAME --url URL --header NAME-OF-THE-HEADER',
  });
}

/** Where its tokens are revoked (RFC 8414); null where it names no place that tokens may be sent to. */
export function revocationEndpointOf(metadata: AuthorizationServerMetadata, serverUrl: string): string | null {
  const endpoint = (metadata as { revocation_endpoint?: unknown }).revocation_endpoint;
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) return null;
  return isSafeFor(new URL(endpoint), serverUrl) ? endpoint : null;
}

/**
 * Looks whether there is anybody to log in at, where no metadata says so and a person gave a client: a link that is only assumed would be
 * waited for in vain. One that issues tokens complains of a request without a code; nothing is begun there.
 * @throws {McpdError} LOGIN_FAILED
 */
export async function checkTokenEndpoint(
  { authorizationServerUrl }: Issuer,
  { clientId }: ClientIdentity,
  fetch: Fetch,
): Promise<void> {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId });
  let error: unknown;
  try {
    const answer = await fetch(new URL('/token', authorizationServerUrl), { method: 'POST', body });
    error = ((await answer.json()) as { error?: unknown } | null)?.error;
  } catch (thrown) {
    throw thrown instanceof McpdError && thrown.code === 'LOGIN_REFUSED'
      ? thrown
      : hasNoMetadata(authorizationServerUrl);
  }
  if (typeof error !== 'string' || !TOKEN_ERRORS.has(error)) throw hasNoMetadata(authorizationServerUrl);
}

// — internal —

/** RFC 6749, section 5.2. */
const TOKEN_ERRORS = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

async function resourceMetadataOf(
  sdk: Sdk,
  url: string,
  named: string | null,
  fetch: Fetch,
): Promise<OAuthProtectedResourceMetadata | null> {
  try {
    const options = named === null ? {} : { resourceMetadataUrl: named };
    return await sdk.discoverOAuthProtectedResourceMetadata(url, options, fetch);
  } catch (thrown) {
    if (thrown instanceof McpdError) throw thrown;
    // Nothing at the well-known places: a server of the first revision with logins, whose own origin is the authorization server.
    if (named === null) return null;
    throw new McpdError('LOGIN_FAILED', {
      what: `its metadata at ${named} cannot be used`,
      why: reasonOf(thrown),
    });
  }
}

async function metadataOf(sdk: Sdk, address: string, fetch: Fetch): Promise<AuthorizationServerMetadata | null> {
  try {
    const metadata = await sdk.discoverAuthorizationServerMetadata(address, { fetchFn: fetch });
    return metadata ?? null;
  } catch (thrown) {
    if (thrown instanceof McpdError) throw thrown;
    if (thrown instanceof sdk.IssuerMismatchError) {
      throw new McpdError('LOGIN_REFUSED', {
        what: `the authorization server at ${address} gives itself another name`,
        why: `it says ${JSON.stringify(thrown.received ?? null)}; it could be posing as that one`,
      });
    }
    throw new McpdError('LOGIN_FAILED', {
      what: `the metadata of the authorization server ${address} cannot be used`,
      why: reasonOf(thrown),
    });
  }
}

/**
 * `strict`: the server is of a revision that has clients insist on PKCE.
 * @throws {McpdError} LOGIN_REFUSED
 */
function checkUsable(metadata: AuthorizationServerMetadata, url: string, strict: boolean): void {
  const { code_challenge_methods_supported: methods, registration_endpoint: registration } = metadata;
  if (methods === undefined ? strict : !methods.includes('S256')) {
    throw new McpdError('LOGIN_REFUSED', {
      what: `the authorization server ${metadata.issuer} does not protect logins by PKCE`,
      why: `it announces ${methods === undefined ? 'no method' : methods.join(', ')}; MCP asks for S256`,
    });
  }
  for (const endpoint of [metadata.authorization_endpoint, metadata.token_endpoint, registration]) {
    if (endpoint !== undefined) checkSafe(new URL(endpoint), url);
  }
}
