import type { ServerName } from '../core/model.ts';
import { loginSpace, type Secrets } from '../secrets.ts';
import { covers } from './resource.ts';

/** As which client mcpd is known at one authorization server. */
export interface ClientIdentity {
  clientId: string;
  /** Null for a public client: it has PKCE alone, as programs on a person's machine should. */
  clientSecret: string | null;
  /** `token_endpoint_auth_method` it was registered with. */
  method: string | null;
}

export interface Registration extends ClientIdentity {
  /** Where browsers are sent back to. A registration for another address is of no use for a login. */
  redirectUri: string;
  /** `registered` by mcpd itself (RFC 7591), a `document` on the web (its URL is the id), or `given` by a person. */
  origin: 'registered' | 'document' | 'given';
  /** All that this client may ask for; null where that is not said. */
  scope: string | null;
  /** Milliseconds since 1970; null when its secret, if any, stays good. */
  secretExpiresAt: number | null;
}

/** What one login gave: tokens of one issuer for one resource. */
export interface Grant {
  issuer: string;
  /** The resource the tokens are for: the server's URL or a parent of it. */
  resource: string;
  /** Whether `resource` is named to the authorization server: only where the server's metadata does. */
  namesResource: boolean;
  accessToken: string;
  refreshToken: string | null;
  /** As granted; as asked for where the answer does not say. Null: neither. */
  scope: string | null;
  /** The scopes that the login asked for; null when it named none. */
  askedScope: string | null;
  /** Milliseconds since 1970; null when the issuer does not say. */
  expiresAt: number | null;
  obtainedAt: number;
  /** Whoever it was that logged in: a refresh token is good for this client only. */
  client: ClientIdentity;
  tokenEndpoint: string;
  /** `token_endpoint_auth_methods_supported`. */
  authMethods: string[];
  /** Null where the issuer names none. A login of before this was kept has no such member. */
  revocationEndpoint?: string | null;
}

/**
 * Logins in the secrets file, under names that no server and no `${secret:…}` can have: `oauth:SERVER` → `ISSUER RESOURCE` → grant, and
 * `oauth:` → issuer → registration. All of it throws SECRETS_DAMAGED when that file is.
 */
export class Grants {
  readonly #secrets: Secrets;
  /** A grant is looked up for each request; its text is parsed once. */
  readonly #parsed = new Map<ServerName, { text: string; grant: Grant | null }>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** The login for this address of the server; null when there is none, or one for another address. */
  of(server: ServerName, url: string): Grant | null {
    const [text] = this.#secrets.mapOf(loginSpace(server)).values();
    if (text === undefined) return null;
    let known = this.#parsed.get(server);
    if (known?.text !== text) {
      known = { text, grant: read<Grant>(text, GRANT) };
      this.#parsed.set(server, known);
    }
    const { grant } = known;
    return grant !== null && covers(grant.resource, url) ? grant : null;
  }

  /** The one login of this server from now on. */
  async save(server: ServerName, grant: Grant): Promise<void> {
    const key = keyOf(grant);
    await this.#secrets.set(loginSpace(server), new Map([[key, JSON.stringify(grant)]]));
    const others = this.#secrets.names(loginSpace(server)).filter((name) => name !== key);
    if (others.length > 0) await this.#secrets.remove(loginSpace(server), others);
  }

  /** As `save`, unless `old` was replaced or removed meanwhile: then what came of it is of no use. */
  async renew(server: ServerName, old: Grant, fresh: Grant): Promise<boolean> {
    if (!this.#isCurrent(server, old)) return false;
    await this.save(server, fresh);
    return true;
  }

  /** Removes this login, if it is still the server's. */
  async drop(server: ServerName, grant: Grant): Promise<void> {
    if (this.#isCurrent(server, grant)) await this.forget(server);
  }

  /** The login that there is, for whatever address; null when there is none that can be read. */
  kept(server: ServerName): Grant | null {
    const [text] = this.#secrets.mapOf(loginSpace(server)).values();
    return text === undefined ? null : read<Grant>(text, GRANT);
  }

  /** Removes what there is; tells whether there was any. */
  forget(server: ServerName): Promise<boolean> {
    this.#parsed.delete(server);
    return this.#secrets.remove(loginSpace(server));
  }

  registration(issuer: string): Registration | null {
    const text = this.#secrets.get(REGISTRATIONS, issuer);
    return text === undefined ? null : read<Registration>(text, REGISTRATION);
  }

  async register(issuer: string, registration: Registration): Promise<void> {
    await this.#secrets.set(REGISTRATIONS, new Map([[issuer, JSON.stringify(registration)]]));
  }

  async unregister(issuer: string): Promise<void> {
    await this.#secrets.remove(REGISTRATIONS, [issuer]);
  }

  /** The issuers of this server's logins. */
  issuers(server: ServerName): string[] {
    return this.#secrets.names(loginSpace(server)).map((key) => key.split(' ', 1)[0] ?? '');
  }

  /** Servers that have a login of this issuer. */
  serversOf(issuer: string): ServerName[] {
    return this.#secrets
      .servers()
      .filter((space) => space.startsWith(REGISTRATIONS) && space !== REGISTRATIONS)
      .map((space) => space.slice(REGISTRATIONS.length))
      .filter((server) => this.issuers(server).includes(issuer));
  }

  #isCurrent(server: ServerName, grant: Grant): boolean {
    const text = this.#secrets.get(loginSpace(server), keyOf(grant));
    return text !== undefined && read<Grant>(text, GRANT)?.accessToken === grant.accessToken;
  }
}

// — internal —

const REGISTRATIONS = loginSpace('');

/** What must be text in it, so that it can be used. The file is mcpd's own; a person may have edited it. */
const GRANT = ['issuer', 'resource', 'accessToken', 'tokenEndpoint'];
const REGISTRATION = ['clientId', 'redirectUri', 'origin'];

function keyOf({ issuer, resource }: Pick<Grant, 'issuer' | 'resource'>): string {
  return `${issuer} ${resource}`;
}

function read<T>(text: string, texts: readonly string[]): T | null {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    return value !== null && texts.every((name) => typeof value[name] === 'string') ? (value as T) : null;
  } catch {
    return null; // Edited by hand and no JSON any more: as if nobody had logged in. The next login replaces it.
  }
}
