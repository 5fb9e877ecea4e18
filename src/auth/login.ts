import type { OAuthTokens } from '@modelcontextprotocol/client';
import { McpdError } from '../errors.ts';
import { LOGIN_WAIT_MS } from '../operation-limits.ts';
import type { Fetch } from '../proxy-fetch.ts';
import { boundedFetch, withinStep } from './bounded-fetch.ts';
import { type Callbacks, codeOf } from './callbacks.ts';
import { checkTokenEndpoint, findIssuer, hasNoMetadata, type Issuer, revocationEndpointOf } from './discovery.ts';
import { loginFault } from './faults.ts';
import type { ClientIdentity, Grant, Grants } from './grants.ts';
import { LoginProvider } from './provider.ts';
import { openRedirect, type Redirect } from './redirect.ts';
import type { Sdk } from './sdk.ts';

export interface LoginOrder {
  /** Of the server. */
  url: string;
  /** Where its challenge says that its metadata is. */
  resourceMetadata: string | null;
  /** It lets nobody in without a login. */
  isLocked: boolean;
  /** Scopes to ask for; null: those that the server's metadata names. */
  scope: string | null;
  /** Given by a person; goes before what is registered. */
  client: ClientIdentity | null;
  clientMetadataUrl: string | null;
}

export interface LoginSurroundings {
  grants: Grants;
  callbacks: Callbacks;
  /** Of mcpd's HTTP server. */
  port: number | null;
  /** Milliseconds since 1970. */
  now: () => number;
  fetch: Fetch;
}

/**
 * One login from the server's address to its tokens: the link is reported, a person opens it wherever he likes, the browser comes back.
 * @throws {McpdError} LOGIN_FAILED, LOGIN_REFUSED, LOGIN_CANCELLED (nobody came in LOGIN_WAIT_MS, or the reason of `signal`)
 */
export async function logIn(
  order: LoginOrder,
  surroundings: LoginSurroundings,
  report: (link: string) => void,
  signal: AbortSignal,
): Promise<Grant> {
  const { sdk } = await import('./sdk.ts');
  const redirect = await openRedirect(surroundings.port, surroundings.callbacks);
  const expected = surroundings.callbacks.expect();
  let outcome: 'done' | 'failed' = 'failed';
  try {
    const login = await prepared(sdk, order, surroundings, redirect, expected.state, signal);
    report(login.link.href);
    const params = await arrival(expected.arrived, signal);
    const grant = await traded(sdk, login, order, params, surroundings, signal);
    outcome = 'done';
    return grant;
  } finally {
    expected.end(outcome);
    redirect.close();
  }
}

// — internal —

interface Login {
  issuer: Issuer;
  provider: LoginProvider;
  link: URL;
}

function prepared(
  sdk: Sdk,
  order: LoginOrder,
  { grants, now, fetch: own }: LoginSurroundings,
  redirect: Redirect,
  state: string,
  signal: AbortSignal,
): Promise<Login> {
  const { url, resourceMetadata, scope, client } = order;
  return withinStep('finding out how to log in', signal, async (step) => {
    const fetch = boundedFetch(own, url, step);
    const issuer = await findIssuer(sdk, { url, resourceMetadataUrl: resourceMetadata }, fetch);
    const { clientMetadataUrl, isLocked } = order;
    if (issuer.metadata === null && !isLocked) throw asksForNone(url);
    const asked = scope ?? issuer.resourceMetadata?.scopes_supported?.join(' ') ?? null;
    const facts = { issuer, redirectUri: redirect.uri, state, scope: asked, client, clientMetadataUrl, now };
    const provider = new LoginProvider(facts, grants);
    checkClient(provider, issuer);
    if (issuer.metadata === null && provider.client !== null) await checkTokenEndpoint(issuer, provider.client, fetch);
    try {
      await sdk.auth(provider, {
        serverUrl: url,
        fetchFn: fetch,
        forceReauthorization: true,
        ...(scope === null ? {} : { scope }),
      });
    } catch (thrown) {
      if (issuer.metadata === null) throw hasNoMetadata(issuer.authorizationServerUrl);
      throw loginFault(sdk, thrown, 'the login could not begin');
    }
    if (provider.link !== null) return { issuer, provider, link: provider.link };
    throw new McpdError('INTERNAL', { what: 'the login began without a link' });
  });
}

/** Waits for the browser. @throws {McpdError} LOGIN_CANCELLED */
function arrival(arrived: Promise<URLSearchParams>, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', left);
    };
    const left = () => {
      stop();
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      stop();
      const minutes = LOGIN_WAIT_MS / 60_000;
      reject(new McpdError('LOGIN_CANCELLED', { what: `nobody logged in within ${minutes} minutes` }));
    }, LOGIN_WAIT_MS);
    signal.addEventListener('abort', left);
    if (signal.aborted) left();
    void arrived.then((params) => {
      stop();
      resolve(params);
    });
  });
}

/** The browser's answer, checked, for tokens. */
async function traded(
  sdk: Sdk,
  { issuer, provider, link }: Login,
  { url, client: given }: LoginOrder,
  params: URLSearchParams,
  { now, grants, fetch }: LoginSurroundings,
  signal: AbortSignal,
): Promise<Grant> {
  const iss = params.get('iss');
  const { metadata } = issuer;
  try {
    sdk.validateAuthorizationResponseIssuer({
      iss: iss ?? undefined,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
    });
    const authorizationCode = codeOf(params);
    await withinStep('the login', signal, (step) =>
      sdk.auth(provider, {
        serverUrl: url,
        authorizationCode,
        ...(iss === null ? {} : { iss }),
        fetchFn: boundedFetch(fetch, url, step),
      }),
    );
  } catch (thrown) {
    const byHand = given !== null || grants.registration(issuer.issuer)?.origin === 'given';
    if (provider.clientUnknown) throw clientUnknown(issuer, byHand);
    throw loginFault(sdk, thrown, 'the authorization server gave no token');
  }
  const { client, issued } = provider;
  if (client === null || issued === null) throw new McpdError('INTERNAL', { what: 'the login ended without a token' });
  const asked = link.searchParams.get('scope');
  return { ...tokensOf(issued, asked, now()), ...placeOfGrant(issuer, asked, url), client };
}

/** What an answer with tokens says, for a login and for a renewal alike. @throws {McpdError} LOGIN_FAILED: it cannot be used */
export function tokensOf(
  tokens: OAuthTokens,
  scope: string | null,
  now: number,
): Pick<Grant, 'accessToken' | 'refreshToken' | 'scope' | 'expiresAt' | 'obtainedAt'> {
  const { access_token: accessToken, token_type: type, expires_in: seconds } = tokens;
  if (type.toLowerCase() !== 'bearer' || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new McpdError('LOGIN_FAILED', {
      what: 'the authorization server gave a token that cannot be used',
      why: type.toLowerCase() === 'bearer' ? 'it has characters that no token has' : `it is of the type ${type}`,
    });
  }
  return {
    accessToken,
    refreshToken: tokens.refresh_token ?? null,
    scope: tokens.scope ?? scope,
    expiresAt: seconds === undefined ? null : now + seconds * 1000,
    obtainedAt: now,
  };
}

function placeOfGrant(issuer: Issuer, askedScope: string | null, url: string) {
  const { metadata, authorizationServerUrl, resource, resourceMetadata } = issuer;
  return {
    issuer: issuer.issuer,
    resource,
    namesResource: resourceMetadata !== null,
    askedScope,
    tokenEndpoint: metadata?.token_endpoint ?? new URL('/token', authorizationServerUrl).href,
    authMethods: metadata?.token_endpoint_auth_methods_supported ?? [],
    revocationEndpoint: metadata === null ? null : revocationEndpointOf(metadata, url),
  };
}

/** @throws {McpdError} LOGIN_FAILED: there is no way to be known to this authorization server */
function checkClient({ client, clientMetadataUrl, redirectUrl }: LoginProvider, { issuer, metadata }: Issuer): void {
  if (metadata === null) return;
  const takesDocuments = metadata.client_id_metadata_document_supported === true;
  if (client !== null && /^https:/i.test(client.clientId) && !takesDocuments) {
    throw new McpdError('LOGIN_FAILED', {
      what: `the authorization server ${issuer} takes no address of a metadata document as a client id`,
      fix: 'leave --client-id out, or give the id that it knows mcpd by',
    });
  }
  if (client !== null || metadata.registration_endpoint !== undefined) return;
  if (takesDocuments && clientMetadataUrl !== undefined) return;
  throw new McpdError('LOGIN_FAILED', {
    what: `the authorization server ${issuer} lets only clients in that it knows`,
    why: takesDocuments
      ? 'mcpd has no metadata document on the web that it could show'
      : 'it takes no registrations of programs',
    fix: `register mcpd there with the redirect address ${redirectUrl}, then: mcpd auth NAME --client-id ID`,
  });
}

function asksForNone(url: string): McpdError {
  return new McpdError('LOGIN_FAILED', {
    what: `${url} asks for no login`,
    why: 'it answers without one, and names no authorization server',
  });
}

function clientUnknown({ issuer }: Issuer, byHand: boolean): McpdError {
  if (byHand) {
    return new McpdError('LOGIN_FAILED', {
      what: `${issuer} does not know the client id that it was given, or its secret is wrong`,
      fix: 'mcpd auth NAME --client-id ID, with --client-secret if it has one',
    });
  }
  return new McpdError('LOGIN_FAILED', {
    what: `${issuer} does not know mcpd's registration any more`,
    why: 'it was removed there, or its secret has changed; it is forgotten here too',
    fix: 'log in again, and mcpd registers anew',
  });
}
