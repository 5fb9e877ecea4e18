import { randomBytes } from 'node:crypto';
import { McpdError } from '../errors.ts';
import type { CallbackPage } from '../oauth-callback.ts';
import { LOGIN_STATES_KEPT } from '../operation-limits.ts';

export interface ExpectedCallback {
  /** Part of the link; known to nobody but this login's browser. */
  state: string;
  /** Resolves once with what the authorization server answered. */
  arrived: Promise<URLSearchParams>;
  /** How it went, for the browser that waits. Also when nothing has arrived: the link is of no use any more. */
  end(outcome: 'done' | 'failed'): void;
}

/** Browsers on their way back from an authorization server, each known by its `state`, each good for one answer. */
export class Callbacks {
  readonly #expected = new Map<string, (params: URLSearchParams) => Promise<'done' | 'failed'>>();
  /** States whose login has its answer or has ended; oldest first. */
  readonly #spent = new Set<string>();

  expect(): ExpectedCallback {
    const state = randomBytes(32).toString('base64url');
    const arrival = deferred<URLSearchParams>();
    const outcome = deferred<'done' | 'failed'>();
    this.#expected.set(state, (params) => {
      arrival.resolve(params);
      return outcome.promise;
    });
    return {
      state,
      arrived: arrival.promise,
      end: (how) => {
        this.#spend(state);
        outcome.resolve(how);
      },
    };
  }

  /** Answers `GET /oauth/callback?…`, whose target this is. Waits until the login is through. */
  async answer(target: string): Promise<CallbackPage> {
    const at = target.indexOf('?');
    const params = new URLSearchParams(at === -1 ? '' : target.slice(at + 1));
    const [state = '', ...more] = params.getAll('state');
    const take = more.length === 0 ? this.#expected.get(state) : undefined;
    if (take === undefined) return this.#spent.has(state) ? PAGES.spent : PAGES.unknown;
    // What comes twice could be read either way (RFC 6749, section 3.1). The right answer may still come.
    if (ONCE.some((name) => params.getAll(name).length > 1)) return PAGES.unknown;
    this.#spend(state);
    return PAGES[await take(params)];
  }

  #spend(state: string): void {
    this.#expected.delete(state);
    this.#spent.add(state);
    const [oldest] = this.#spent;
    if (this.#spent.size > LOGIN_STATES_KEPT && oldest !== undefined) this.#spent.delete(oldest);
  }
}

/**
 * The code, or the reason why there is none. `iss` was checked before: an error's words may be shown.
 * @throws {McpdError} LOGIN_REFUSED, LOGIN_FAILED
 */
export function codeOf(params: URLSearchParams): string {
  const [code, error] = [params.get('code'), params.get('error')];
  if (code !== null && code !== '') return code;
  if (error === null)
    throw new McpdError('LOGIN_FAILED', { what: 'the browser came back with neither code nor error' });
  const description = params.get('error_description');
  const why = description === null ? error : `${error}: ${description}`;
  if (error === 'access_denied') throw new McpdError('LOGIN_REFUSED', { what: 'the login was refused', why });
  throw new McpdError('LOGIN_FAILED', { what: 'the authorization server did not let the login through', why });
}

// — internal —

const ONCE = ['code', 'error', 'iss'];

const PAGES = {
  done: page(200, 'You are logged in', 'mcpd has what it needs. You can close this page.'),
  failed: page(
    400,
    'The login failed',
    'Where you began it, in a terminal or in the dashboard, it says why. You can close this page.',
  ),
  spent: page(
    410,
    'This login has ended',
    'Its link was used before, waited too long, or was called off. Begin it again in the dashboard, or with mcpd auth.',
  ),
  unknown: page(
    400,
    'Nobody asked for this login',
    'mcpd knows nothing of it. Begin one in the dashboard or with mcpd auth, and open its link.',
  ),
} satisfies Record<string, CallbackPage>;

function page(status: number, title: string, text: string): CallbackPage {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  return { status, html: `<!doctype html><html lang="en">${head}<h1>${title}</h1><p>${text}</p></html>\n` };
}

function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
