/** A page that was arrived at. */
export interface Page {
  status: number;
  url: string;
  text: string;
}

/** A browser without a screen: follows redirects, keeps cookies by origin, fills in the forms of the authorization server. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Rewrites an address before it is visited: what an attacker in between could do. */
  rewrite: (url: URL) => URL = (url) => url;
  /** Every address that was visited. */
  readonly visited: string[] = [];

  async visit(address: string, form: Record<string, string> | null = null): Promise<Page> {
    let url = this.rewrite(new URL(address));
    let body = form;
    for (let hops = 0; hops < HOPS_MAX; hops++) {
      this.visited.push(url.href);
      const answer = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: this.#cookieFor(url.origin), 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
        ...(body === null ? {} : { method: 'POST', body: new URLSearchParams(body) }),
      });
      this.#keep(url.origin, answer);
      const target = answer.headers.get('location');
      if (target === null) return { status: answer.status, url: url.href, text: await answer.text() };
      await answer.body?.cancel();
      url = this.rewrite(new URL(target, url));
      body = null;
    }
    throw new Error(`more than ${HOPS_MAX} redirects from ${address}`);
  }

  /** Opens the link of a login, logs in as `account` and agrees to everything, or refuses. Resolves with the last page. */
  async logIn(link: string, account = 'ann', agrees = true): Promise<Page> {
    let page = await this.visit(link);
    for (let forms = 0; forms < FORMS_MAX; forms++) {
      const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1];
      if (action === undefined || prompt === undefined) return page;
      if (!agrees) page = await this.visit(new URL(`${action.replace(/&amp;/g, '&')}/abort`, page.url).href);
      else page = await this.visit(new URL(action, page.url).href, { prompt, login: account, password: 'any' });
    }
    return page;
  }

  #cookieFor(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(origin: string, answer: Response): void {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const at = pair.indexOf('=');
      jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}

// — internal —

const HOPS_MAX = 20;
const FORMS_MAX = 5;
