/** As much of the package, which brings no types, as the tests use. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface StoredToken {
    accountId: string;
    clientId: string;
    scope?: string;
    aud?: string | string[];
    isExpired: boolean;
    destroy(): Promise<void>;
  }

  interface TokenContext {
    oidc: { params: { grant_type?: string }; body?: Record<string, string>; client?: { clientId: string } };
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
    on(event: 'grant.success', listener: (ctx: TokenContext) => void): void;
    on(event: 'server_error', listener: (ctx: unknown, error: Error) => void): void;
    AccessToken: { find(value: string): Promise<StoredToken | undefined> };
    RefreshToken: { find(value: string): Promise<StoredToken | undefined> };
  }
}
