import type { ForgottenLogin, LoginEvent, LoginInfo, LoginLink, LoginRequest } from '../api/contract/logins.ts';
import { RemoteLogins } from '../auth/remote-logins.ts';
import type { HttpLaunch, ServerDefinition, ServerName, ServerStatus } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { proxiesOf } from '../proxy.ts';
import { fetchThrough } from '../proxy-fetch.ts';
import { hasAuthorization } from '../servers/remote/requester.ts';
import { unknownServer } from '../unknown-server.ts';
import type { Parts } from './parts.ts';
import { isAtRest, isUpOrDown } from './settled.ts';
import { shown } from './views.ts';

/** Logins at remote servers, as people ask for them. What servers and their requests need of them is `remote`. */
export class Logins {
  readonly remote: RemoteLogins;
  readonly #parts: Parts;

  constructor(parts: Parts, port: () => number | null) {
    this.#parts = parts;
    this.remote = new RemoteLogins({
      secrets: parts.secrets,
      port,
      now: () => Date.now(),
      clientMetadataUrl: process.env['MCPD_CLIENT_METADATA_URL'] || null,
      fetch: fetchThrough(proxiesOf(process.env)),
    });
  }

  /** Reports the link, and `done` as the last event. @throws {McpdError} as RemoteLogins.login; SERVER_UNKNOWN, REQUEST_INVALID */
  async login(
    name: ServerName,
    { clientId, clientSecret, scope }: LoginRequest,
    report: (event: LoginEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const launch = this.#remoteOf(name);
    if (hasAuthorization(launch)) throw ofNoUse(name);
    const { url } = launch;
    const client =
      clientId === undefined ? {} : { client: { clientId, clientSecret: clientSecret ?? null, method: null } };
    const choice = { ...client, ...(scope === undefined ? {} : { scope }) };
    const onLink = (link: LoginLink) => {
      this.#tellWhy(name, url);
      report({ type: 'link', ...link });
    };
    let login: LoginInfo;
    try {
      login = await this.remote.login(name, url, choice, onLink, AbortSignal.any([signal, this.#parts.ending]));
    } catch (thrown) {
      this.#tellWhy(name, url);
      throw thrown;
    }
    this.#lock(name, null);
    report({ type: 'done', login, server: await this.#afterwards(name) });
  }

  /** It is gone here first, whatever becomes of its tokens elsewhere. @throws {McpdError} SERVER_UNKNOWN, REQUEST_INVALID, SECRETS_DAMAGED */
  async forget(name: ServerName): Promise<ForgottenLogin> {
    const { url } = this.#remoteOf(name);
    const gone = await this.remote.withdraw(name, url);
    if (gone === null) return { server: name, forgotten: false, issuer: null, revocation: null };
    this.#lock(name, 'its login was removed');
    return { server: name, forgotten: true, issuer: gone.issuer, revocation: await gone.revoke() };
  }

  /** What there is of a login, and the link of one that waits. A damaged secrets file is told elsewhere. */
  info(name: ServerName): { login: LoginInfo | null; loginLink: string | null } {
    const launch = this.#parts.gateway.view.servers.get(name)?.definition.launch;
    if (launch?.kind !== 'http' || this.#parts.secrets.damage !== null) return { login: null, loginLink: null };
    return { login: this.remote.info(name, launch.url), loginLink: this.remote.link(name) };
  }

  /** Says at once of a new server what its trial met, and that an old one is not locked any more by what was at its former address. */
  announced({ name, launch }: ServerDefinition): void {
    const isLocked = launch.kind === 'http' && this.remote.refusal(name, launch.url) !== null;
    this.#lock(name, isLocked ? this.remote.lockReason(name, launch.url) : null);
  }

  close(): void {
    this.remote.close(new McpdError('LOGIN_CANCELLED', { what: 'the daemon stops' }));
  }

  #remoteOf(name: ServerName): HttpLaunch {
    const { servers } = this.#parts.gateway.view;
    const known = servers.get(name);
    if (known === undefined) throw unknownServer(name, [...servers.keys()]);
    const { launch } = known.definition;
    if (launch.kind === 'http') return launch;
    throw new McpdError('REQUEST_INVALID', {
      what: `${name} runs on this machine and has no login`,
      why: 'a login is for remote servers',
      fix: `mcpd info ${name}`,
    });
  }

  /** Once it has read its lists with the new login, or wants another one; if it does so at all now. */
  async #afterwards(name: ServerName): Promise<ServerStatus> {
    const { waits, gateway } = this.#parts;
    const settled = (status: ServerStatus) =>
      status.wantedReason === 'needs-auth' || (status.listed ? isUpOrDown(status) : isAtRest(status));
    // One that takes its time is told as it is: the login itself is done.
    const status = await waits.until(name, settled).catch(() => gateway.status(name));
    if (status === null) throw unknownServer(name, [...gateway.view.servers.keys()]);
    return shown(status, this.#parts.masks);
  }

  /** Hosts and people who ask why the server is locked get the link as long as it is good. */
  #tellWhy(name: ServerName, url: string): void {
    const locked = this.#parts.gateway.view.servers.get(name)?.locked?.because;
    if (locked === 'login-wanted') this.#lock(name, this.remote.lockReason(name, url));
  }

  #lock(name: ServerName, reason: string | null): void {
    const { runtime, now } = this.#parts;
    const lock = reason === null ? null : ({ because: 'login-wanted', reason, fix: `mcpd auth ${name}` } as const);
    runtime.post({ type: 'server-locked', at: now(), server: name, lock });
  }
}

// — internal —

function ofNoUse(name: ServerName): McpdError {
  return new McpdError('REQUEST_INVALID', {
    what: `a login at ${name} would not be used`,
    why: 'it is given an Authorization header, which goes before any login',
    fix: `give the header another value: mcpd secret list ${name}; or install it anew without the header`,
  });
}
