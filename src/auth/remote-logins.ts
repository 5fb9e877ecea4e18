import type { LoginInfo, LoginLink, Revocation } from '../api/contract/logins.ts';
import type { ServerName } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import type { CallbackPage } from '../oauth-callback.ts';
import { TOKEN_FRESH_MS, TOKEN_RENEW_EARLY_MS, TOKEN_RENEW_RETRY_MS } from '../operation-limits.ts';
import type { Fetch } from '../proxy-fetch.ts';
import type { Secrets } from '../secrets.ts';
import { Callbacks } from './callbacks.ts';
import { type BearerChallenge, bearerChallenge } from './challenge.ts';
import { type ClientIdentity, type Grant, Grants } from './grants.ts';
import { LoginFlows } from './login-flows.ts';
import type { Renewal } from './renewal.ts';
import { includesScopes, scopesOf, scopeUnion } from './scopes.ts';

export interface RemoteLoginsOptions {
  secrets: Secrets;
  /** Of mcpd's HTTP server; null while it has none. */
  port(): number | null;
  /** Milliseconds since 1970. */
  now(): number;
  /** Address of mcpd's client metadata document on the web; null when there is none. */
  clientMetadataUrl: string | null;
  fetch: Fetch;
}

/** What follows a refusal; `src/servers/remote/authorization.ts` says it in full. */
type Verdict = 'retry' | { locked: string } | { scope: string | null };

/** A refused request; `src/servers/remote/authorization.ts` says what its parts are. */
interface Refusal {
  status: 401 | 403;
  wwwAuthenticate: string | null;
  url: string;
  sent: string | null;
}

/** What a server's last refusal asked for; good for the address that refused. */
interface Wanted {
  url: string;
  resourceMetadata: string | null;
  /** What every login there needs. */
  scope: string | null;
  /** What one request needed besides. */
  more: string | null;
}

/** What a person chooses of a login; what is left out is as the server and earlier logins want it. */
export interface LoginChoice {
  client?: ClientIdentity;
  /** Asked for besides those of the last login, in the place of what a request was refused for. */
  scope?: string;
}

/**
 * The logins at remote servers: what requests carry, what follows when they are refused, and how a person logs in. One login per server,
 * one renewal at a time; a token goes to the address it was issued for and nowhere else. Loads the SDK when it is needed.
 */
export class RemoteLogins {
  readonly #options: RemoteLoginsOptions;
  readonly #grants: Grants;
  readonly #callbacks = new Callbacks();
  readonly #flows: LoginFlows;
  readonly #wanted = new Map<ServerName, Wanted>();
  readonly #renewals = new Map<ServerName, { of: Grant; renewal: Promise<Renewal> }>();
  /** Why servers let nobody in, until somebody has logged in. */
  readonly #reasons = new Map<ServerName, { url: string; why: string }>();
  /** Renewals that failed for the moment: until when nobody tries again, and why. */
  readonly #failures = new Map<ServerName, { of: Grant; until: number; error: McpdError }>();

  constructor(options: RemoteLoginsOptions) {
    this.#options = options;
    this.#grants = new Grants(options.secrets);
    this.#flows = new LoginFlows({ grants: this.#grants, callbacks: this.#callbacks, ...options });
  }

  /**
   * What a request to this address carries; a token that is about to end is renewed first. Null without a login.
   * @throws {McpdError} SECRETS_DAMAGED
   */
  async header(server: ServerName, url: string): Promise<string | null> {
    const grant = this.#grants.of(server, url);
    if (grant === null || grant.expiresAt === null || grant.refreshToken === null) return headerOf(grant);
    if (grant.expiresAt - this.#options.now() > TOKEN_RENEW_EARLY_MS) return headerOf(grant);
    const renewal = await this.#renew(server, grant, url, null);
    // With the old token the server says itself what is wrong; clocks may differ, too.
    return renewal.kind === 'renewed' ? headerOf(renewal.grant) : headerOf(this.#grants.of(server, url));
  }

  /**
   * `retry`: the refused request is worth sending once more. `locked`: a person must log in. `scope`: for this request alone, with more
   * rights; null when the server does not say which.
   * @throws {McpdError} no login would change it: a plain 403, an authorization server that is down
   */
  async challenged(server: ServerName, refusal: Refusal): Promise<Verdict> {
    const verdict = await this.#judge(server, refusal);
    if (verdict === 'retry' || 'scope' in verdict) return verdict;
    this.#reasons.set(server, { url: refusal.url, why: verdict.locked });
    return { locked: this.lockReason(server, refusal.url) };
  }

  /** Why nobody is let in, as the last request met it; null when that is not known, or over. */
  refusal(server: ServerName, url: string): string | null {
    const reason = this.#reasons.get(server);
    return reason?.url === url ? reason.why : null;
  }

  /** The same for people, with the link of a login that waits: a host shows it to its person. */
  lockReason(server: ServerName, url: string): string {
    const reason = this.refusal(server, url) ?? NO_LOGIN;
    const link = this.#flows.link(server);
    return link === null ? reason : `${reason}; a login waits at ${link}`;
  }

  /**
   * Waits until a person has logged in. Whoever asks while a login is under way waits with the others, for the same link.
   * @throws {McpdError} LOGIN_FAILED, LOGIN_REFUSED, LOGIN_CANCELLED
   */
  async login(
    server: ServerName,
    url: string,
    { client, scope }: LoginChoice,
    report: (link: LoginLink) => void,
    signal: AbortSignal,
  ): Promise<LoginInfo> {
    const known = this.#wanted.get(server);
    const wanted = known?.url === url ? known : null;
    const kept = this.#grants.of(server, url)?.askedScope ?? null;
    const more = scopeUnion(wanted === null ? kept : null, scope ?? wanted?.more ?? null);
    const isChosen = client !== undefined || scope !== undefined;
    const order = { server, url, client: client ?? null, wanted, more, isChosen };
    const grant = await this.#flows.run(order, report, signal);
    this.forgetRefusals(server);
    return infoOf(grant);
  }

  /** The link of a login that is under way. */
  link(server: ServerName): string | null {
    return this.#flows.link(server);
  }

  /** What there is of a login for this address. */
  info(server: ServerName, url: string): LoginInfo | null {
    const grant = this.#grants.of(server, url);
    return grant === null ? null : infoOf(grant);
  }

  /** As `forget`, with the way to have its tokens revoked at their issuer afterwards, which never throws. Null when there was no login. */
  async withdraw(server: ServerName, url: string): Promise<{ issuer: string; revoke(): Promise<Revocation> } | null> {
    const [issuer = ''] = this.#grants.issuers(server);
    const grant = this.#grants.kept(server);
    if (!(await this.forget(server))) return null;
    if (grant === null) return { issuer, revoke: async () => ({ state: 'failed', error: UNREADABLE.report() }) };
    return { issuer, revoke: async () => (await import('./revocation.ts')).revoked(grant, url, this.#options.fetch) };
  }

  /** Removes the server's login, and the registrations that were made for it alone. Tells whether there was a login. */
  async forget(server: ServerName): Promise<boolean> {
    this.#flows.cancel(server, new McpdError('LOGIN_CANCELLED', { what: `the login at ${server} was called off` }));
    this.forgetRefusals(server);
    const issuers = this.#grants.issuers(server);
    const had = await this.#grants.forget(server);
    for (const issuer of issuers) {
      const isOurs = this.#grants.registration(issuer)?.origin === 'registered';
      if (isOurs && this.#grants.serversOf(issuer).length === 0) await this.#grants.unregister(issuer);
    }
    return had;
  }

  /** Answers a browser on its way back from an authorization server: `GET /oauth/callback?…`. */
  callback(target: string): Promise<CallbackPage> {
    return this.#callbacks.answer(target);
  }

  /** Ends the logins that wait. */
  close(reason: McpdError): void {
    this.#flows.close(reason);
  }

  async #judge(server: ServerName, refusal: Refusal): Promise<Verdict> {
    const { status, url, sent } = refusal;
    const challenge = bearerChallenge(refusal.wwwAuthenticate);
    const grant = this.#grants.of(server, url);
    if (grant !== null && sent !== headerOf(grant)) return 'retry';
    if (status === 403) return this.#needsMore(server, url, challenge, grant);
    this.#want(server, url, challenge, { scope: scopeUnion(challenge.scope, grant?.askedScope ?? null), more: null });
    if (grant === null) return { locked: this.refusal(server, url) ?? NO_LOGIN };
    if (this.#options.now() - grant.obtainedAt < TOKEN_FRESH_MS)
      return { locked: 'it does not accept the token that was issued for it just now' };
    const renewal = await this.#renew(server, grant, url, challenge);
    if (renewal.kind === 'renewed') return 'retry';
    if (renewal.kind === 'ended') return { locked: renewal.why };
    throw renewal.error;
  }

  /** 403: more scopes are needed, or nothing helps. */
  #needsMore(server: ServerName, url: string, challenge: BearerChallenge, grant: Grant | null): Verdict {
    const { scope, error } = challenge;
    if (error !== 'insufficient_scope' && (grant !== null || (error === null && scope === null)))
      throw forbidden(server);
    const asked = grant?.askedScope ?? null;
    if (grant !== null && scope !== null) {
      if (includesScopes(grant.scope, scope)) throw forbidden(server);
      if (includesScopes(asked, scope)) throw notGranted(server, scope, grant);
    }
    // What earlier logins asked for is asked for again: a wider login must not lose what a narrower one could.
    this.#want(server, url, challenge, { scope: scopeUnion(asked, grant?.scope ?? null), more: scope });
    if (grant !== null) return { scope };
    return { locked: scope === null ? NO_LOGIN : `it wants a login with these rights: ${scope}` };
  }

  /** As if it had never been asked. */
  forgetRefusals(server: ServerName): void {
    this.#wanted.delete(server);
    this.#reasons.delete(server);
    this.#failures.delete(server);
  }

  #want(
    server: ServerName,
    url: string,
    { resourceMetadata }: BearerChallenge,
    scopes: Pick<Wanted, 'scope' | 'more'>,
  ): void {
    this.#wanted.set(server, { url, resourceMetadata, ...scopes });
  }

  /** Whoever asks while a renewal is under way gets what comes of it. */
  async #renew(server: ServerName, grant: Grant, url: string, refused: BearerChallenge | null): Promise<Renewal> {
    const { now } = this.#options;
    const failure = this.#failures.get(server);
    if (failure !== undefined && failure.of.accessToken === grant.accessToken && now() < failure.until)
      return { kind: 'failed', error: failure.error };
    const running = this.#renewals.get(server);
    if (running?.of.accessToken === grant.accessToken) return running.renewal;
    const renewal = this.#renewNow(server, grant, url, refused);
    this.#renewals.set(server, { of: grant, renewal });
    try {
      return await renewal;
    } finally {
      if (this.#renewals.get(server)?.renewal === renewal) this.#renewals.delete(server);
    }
  }

  async #renewNow(server: ServerName, grant: Grant, url: string, refused: BearerChallenge | null): Promise<Renewal> {
    const { renewed } = await import('./renewal.ts');
    const renewal = await renewed({ grant, url, refused, ...this.#options });
    if (renewal.kind === 'failed') {
      const until = this.#options.now() + TOKEN_RENEW_RETRY_MS;
      this.#failures.set(server, { of: grant, until, error: renewal.error });
    }
    if (renewal.kind === 'ended') {
      this.#reasons.set(server, { url, why: renewal.why });
      await this.#grants.drop(server, grant);
    }
    if (renewal.kind !== 'renewed' || (await this.#grants.renew(server, grant, renewal.grant))) return renewal;
    // A person logged in, or took the login away, while it was renewed: his word counts.
    const current = this.#grants.of(server, url);
    return current === null ? { kind: 'ended', why: NO_LOGIN } : { kind: 'renewed', grant: current };
  }
}

// — internal —

const NO_LOGIN = 'it wants a login';
const UNREADABLE = new McpdError('LOGIN_FAILED', { what: 'its tokens were kept in a way that cannot be read' });

function headerOf(grant: Grant | null): string | null {
  return grant === null ? null : `Bearer ${grant.accessToken}`;
}

function infoOf({ issuer, resource, scope, expiresAt, refreshToken }: Grant): LoginInfo {
  return { issuer, resource, scopes: scopesOf(scope), expiresAt, renews: refreshToken !== null };
}

function forbidden(server: ServerName): McpdError {
  return new McpdError('FORBIDDEN', {
    what: `${server} refuses this request (403)`,
    why: 'it does not say that a login with more rights would help',
  });
}

function notGranted(server: ServerName, scope: string, { issuer }: Grant): McpdError {
  return new McpdError('FORBIDDEN', {
    what: `${server} refuses this request: it needs ${scope}`,
    why: `the last login asked for that, and ${issuer} did not grant it`,
    fix: `mcpd auth ${server} --forget, then log in as somebody who may`,
  });
}
