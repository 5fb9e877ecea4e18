import type { HttpLaunch, ServerLock, ServerName } from '../../core/model.ts';
import { McpdError } from '../../errors.ts';
import { filledText, secretsIn } from '../../secret-references.ts';
import { shellWord } from '../../shell-word.ts';
import { VERSION } from '../../version.ts';
import { variableMissing } from '../environment.ts';
import { maskOf } from '../masking.ts';
import type { RemoteAuth } from './authorization.ts';
import { discard } from './body.ts';
import { ACCEPTED_ENCODINGS } from './content-encoding.ts';
import { placeOf, RemoteFault } from './fault.ts';
import type { HttpAnswer, HttpOrder, HttpSender } from './sender.ts';

/** A server that lets nobody in before a person has acted. */
export class RemoteLock extends RemoteFault {
  readonly lock: ServerLock;

  constructor(lock: ServerLock, status: number) {
    const { because, reason, fix } = lock;
    super(because === 'login-wanted' ? 'auth_required' : 'header_refused', reason, { status, fix });
    this.lock = lock;
  }
}

/** What `fault` of a request of this method (null: of the connection itself) says of all others; null: nothing. */
export function lockOf(fault: RemoteFault, method: string | null): ServerLock | null {
  if (fault instanceof RemoteLock) return fault.lock;
  if (fault.reason !== 'insufficient_scope' || !(method === null || FIRST_WORDS.has(method))) return null;
  return { because: 'login-wanted', reason: fault.message, fix: fault.parts.fix ?? '' };
}

/** A person gave what lets mcpd in: then no login takes its place. */
export function hasAuthorization(launch: HttpLaunch): boolean {
  return authorizationOf(launch) !== undefined;
}

export interface RequesterOptions {
  server: ServerName;
  launch: HttpLaunch;
  sender: HttpSender;
  auth: RemoteAuth;
  /** @throws {McpdError} SECRETS_DAMAGED */
  secret(name: string): string | undefined;
}

type Order = Omit<HttpOrder, 'url'> & {
  /** The server's own address unless given. */
  url?: URL;
};

/** Requests to one server, each with what lets mcpd in: headers that a person gave, filled now, or the login that somebody holds. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #hasOwnAuthorization: boolean;
  #variables: ReadonlyMap<string, string> = new Map();
  #url: URL;
  /** The login that was sent last. */
  #sent: string | null = null;

  constructor(options: RequesterOptions) {
    this.#options = options;
    this.#url = new URL(options.launch.url);
    this.#hasOwnAuthorization = hasAuthorization(options.launch);
  }

  /** Variables of the person, for `${env:NAME}` in headers. */
  give(variables: ReadonlyMap<string, string>): void {
    this.#variables = variables;
  }

  /** For people: without what may be secret in it. */
  get place(): string {
    return placeOf(this.#url);
  }

  get url(): URL {
    return this.#url;
  }

  /**
   * Resolves with any answer but 401 and 403.
   * @throws {RemoteFault} no answer, a header that cannot be sent, or one of those two; a {RemoteLock} when a person must act
   * @throws {McpdError} SECRET_MISSING, VARIABLE_MISSING, SECRETS_DAMAGED, SECRETS_LOCKED
   */
  async send(order: Order): Promise<HttpAnswer> {
    for (let attempt = 0; ; attempt++) {
      const login = await this.#login();
      const answer = await this.#sendWith(order, login);
      if (answer.status !== 401 && answer.status !== 403) return answer;
      await this.#challenged(answer, answer.status, login, attempt > 0);
    }
  }

  /** What a server says in an error, for people: it may repeat what it was sent. */
  quoted(body: Uint8Array): string {
    const { launch, secret } = this.#options;
    const texts = Object.values(launch.headers);
    const secrets = [...texts.flatMap(secretsIn).map((name) => secret(name) ?? ''), ...this.#variables.values()];
    const login = this.#sent?.replace(/^Bearer /, '') ?? '';
    return maskOf([...texts, ...secrets, login])(Buffer.from(body).toString());
  }

  async #sendWith({ url = this.#url, ...order }: Order, login: string | null): Promise<HttpAnswer> {
    const headers = {
      'user-agent': `mcpd/${VERSION}`,
      'accept-encoding': ACCEPTED_ENCODINGS,
      ...this.#filled(),
      ...(login === null ? {} : { authorization: login }),
      ...order.headers,
    };
    const isOwn = url.href === this.#url.href;
    const answer = await this.#options.sender.send({ ...order, url, headers });
    // The next request need not take the way round.
    if (isOwn && answer.status < 300) this.#url = answer.url;
    return answer;
  }

  async #login(): Promise<string | null> {
    const { auth, server, launch } = this.#options;
    if (!this.#hasOwnAuthorization) this.#sent = await auth.header(server, launch.url);
    return this.#sent;
  }

  /** Returns when the request is worth sending once more. */
  async #challenged(answer: HttpAnswer, status: 401 | 403, sent: string | null, isAgain: boolean): Promise<void> {
    await discard(answer.body);
    const { auth, server, launch } = this.#options;
    const refusal = `${placeOf(answer.url)} lets mcpd not in (${status})`;
    if (this.#hasOwnAuthorization) {
      if (status === 403)
        throw new RemoteFault('http_status', `${placeOf(answer.url)} answered 403 Forbidden`, { status });
      throw new RemoteLock(headerRefused(server, launch, refusal), status);
    }
    const wwwAuthenticate = answer.headers['www-authenticate'] ?? null;
    const verdict = await auth.challenged(server, { status, wwwAuthenticate, url: launch.url, sent });
    if (verdict !== 'retry' && 'scope' in verdict) throw scopeMissing(server, verdict.scope, status);
    if (verdict !== 'retry')
      throw new RemoteLock({ because: 'login-wanted', reason: verdict.locked, fix: `mcpd auth ${server}` }, status);
    if (isAgain) throw new RemoteFault('auth_required', refusal, { why: 'it refused a new login as well', status });
  }

  #filled(): Record<string, string> {
    const { launch, secret, server } = this.#options;
    const fill = (text: string) =>
      filledText(text, (kind, name) => {
        const value = kind === 'secret' ? secret(name) : this.#variables.get(name);
        if (value !== undefined) return value;
        if (kind === 'env') throw new McpdError('VARIABLE_MISSING', variableMissing(server, name));
        throw new McpdError('SECRET_MISSING', {
          what: `${server} has no value for ${name}`,
          why: 'a header refers to it, and mcpd keeps none of that name for it',
          fix: `mcpd secret set ${server} ${name}`,
        });
      });
    return Object.fromEntries(
      Object.entries(launch.headers).map(([name, text]) => {
        const value = fill(text);
        if (SENDABLE.test(value)) return [name.toLowerCase(), value];
        const [, secretName = 'KEY'] = /\{secret:(\w+)\}/.exec(text) ?? [];
        throw new RemoteFault('secret_missing', `${server} cannot be sent its header ${name}`, {
          why: 'the value has a line break, or a character that no header can have',
          fix: `mcpd secret set ${server} ${secretName}`,
        });
      }),
    );
  }
}

/** Where nobody holds logins: what is given by `--header` is all there is. */
export const NO_LOGINS: RemoteAuth = {
  header: async () => null,
  challenged: async (_, { status, url }) => {
    const place = placeOf(new URL(url));
    if (status === 403) throw new RemoteFault('http_status', `${place} answered 403 Forbidden`, { status });
    return { locked: `${place} lets nobody in without a login (401)` };
  },
};

// — internal —

/** What a header can carry (RFC 9110, section 5.5). */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Without them there is no connection, so what they need all others need. */
const FIRST_WORDS = new Set(['initialize', 'server/discover']);

function authorizationOf({ headers }: HttpLaunch): string | undefined {
  return Object.entries(headers).find(([name]) => /^authorization$/i.test(name))?.[1];
}

function headerRefused(server: ServerName, launch: HttpLaunch, refusal: string): ServerLock {
  const secrets = secretsIn(authorizationOf(launch) ?? '');
  const { href, search, username, hash } = new URL(launch.url);
  // It is shown to hosts, and what stands behind a `?` may be a key.
  const url = search + username + hash === '' ? shellWord(href) : 'URL';
  const anew = `install it anew with another header: mcpd uninstall ${server}, then: mcpd add ${server} --url ${url} --header Authorization`;
  const fix = secrets.map((name) => `mcpd secret set ${server} ${name}`).join('; then ');
  return {
    because: 'header-refused',
    reason: `${refusal}: it does not accept the Authorization header that it is given`,
    fix: fix === '' ? anew : fix,
  };
}

function scopeMissing(server: ServerName, scope: string | null, status: number): RemoteFault {
  return new RemoteFault('insufficient_scope', 'this needs a login with more rights', {
    why: scope === null ? 'its refusal (403) does not say which' : `the scope ${scope} (403)`,
    fix: `mcpd auth ${server} --scope ${scope === null ? 'SCOPE' : shellWord(scope)}`,
    status,
  });
}
