import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** What a token is good for. */
interface TokenFacts {
  account: string;
  audience: string;
  scopes: string[];
}

/** Takes a request instead of the authorization server; true when it has answered. */
type Instead = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean | Promise<boolean>;

export interface AuthorizationServer {
  issuer: string;
  /** `GET /path` or `POST /path` of every request, in order. */
  requests: string[];
  /** Kinds of grants that ended well: `authorization_code`, `refresh_token`. */
  granted: string[];
  /** Null: not of this server, ended or revoked. */
  lookUp(accessToken: string): Promise<TokenFacts | null>;
  /** As when a person takes a program's access away. */
  revokeRefreshToken(refreshToken: string): Promise<void>;
  knowsRefreshToken(refreshToken: string): Promise<boolean>;
  /** Asked before the authorization server; null lets everything through. */
  instead: Instead | null;
  /** Scopes that it grants; what else is asked for is left out. */
  scopes: string[];
  close(): Promise<void>;
}

export interface AuthorizationServerOptions {
  /** Programs may register themselves; on unless said otherwise. */
  registration?: boolean;
  /** Tokens can be revoked; on unless said otherwise. */
  revocation?: boolean;
  /** Clients that are known from the start. */
  clients?: Record<string, unknown>[];
  /** Added to its metadata. */
  discovery?: Record<string, unknown>;
  /** Of access tokens, in seconds. */
  tokenSeconds?: number;
}

/** A real authorization server on 127.0.0.1: registration, PKCE, refresh tokens that change with each use, resource indicators. */
export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  let handle: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown = () => undefined;
  const listener = createServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url?.split('?', 1)[0]}`);
    const go = (taken: boolean) => taken || handle(incoming, outgoing);
    const taken = server.instead?.(incoming, outgoing) ?? false;
    if (typeof taken === 'boolean') go(taken);
    else void taken.then(go);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const requests: string[] = [];
  const server: AuthorizationServer = {
    issuer,
    requests,
    granted: [],
    instead: null,
    scopes: ['mcp:read', 'mcp:write'],
    lookUp: async (value) => {
      const token = await provider.AccessToken.find(value);
      if (token === undefined || token.isExpired) return null;
      const audience = [token.aud ?? []].flat().join(' ');
      return { account: token.accountId, audience, scopes: (token.scope ?? '').split(' ') };
    },
    knowsRefreshToken: async (value) => (await provider.RefreshToken.find(value)) !== undefined,
    revokeRefreshToken: async (value) => (await provider.RefreshToken.find(value))?.destroy(),
    close: () => {
      listener.closeAllConnections();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  const provider = quietly(() => new Provider(issuer, configuration(server, options)));
  provider.on('grant.success', ({ oidc }) => server.granted.push(oidc.params.grant_type ?? ''));
  handle = provider.callback();
  return server;
}

// — internal —

function configuration(server: AuthorizationServer, options: AuthorizationServerOptions): Record<string, unknown> {
  const { registration = true, revocation = true, clients = [], discovery = {}, tokenSeconds = 3600 } = options;
  return {
    clients,
    discovery,
    cookies: { keys: ['only for tests'] },
    jwks: undefined,
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', 'mcp:read', 'mcp:write', 'mcp:admin'],
    // Programs that are registered by themselves may use any port of this machine, as RFC 8252 says.
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: registration },
      revocation: { enabled: revocation },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx: unknown, resource: string) => ({
          scope: server.scopes.join(' '),
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: tokenSeconds,
        }),
      },
    },
    issueRefreshToken: (_ctx: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: { AccessToken: tokenSeconds, RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 600 },
    renderError: (ctx: { body: unknown; type: string }, out: Record<string, string>) => {
      ctx.type = 'text/plain';
      ctx.body = JSON.stringify(out);
    },
  };
}

/** It warns at length that its login pages are for development, which is what they are here. */
function quietly<T>(work: () => T): T {
  const { warn, info } = console;
  console.warn = () => undefined;
  console.info = () => undefined;
  try {
    return work();
  } finally {
    console.warn = warn;
    console.info = info;
  }
}
