import type { ExposedName, ServerName } from './model.ts';

/**
 * Resource URIs and templates. They pass verbatim while one server owns them. A URI that two servers list is exposed once per server
 * with a mark after it (`shared://doc#mcpd=notes`): the scheme and the path stay what they are, a fragment is never sent to a web server,
 * and the result does not depend on who came first. The bare URI goes on meaning the server that had it first.
 */

const MARK = 'mcpd=';

export interface UriTarget {
  server: ServerName;
  raw: string;
}

export interface ServerUris {
  server: ServerName;
  uris: readonly string[];
  templates: readonly string[];
}

export class UriTable {
  /** Bare URI or template → the servers that list it. */
  #owners = new Map<string, ServerName[]>();
  #templates: { server: ServerName; template: string }[] = [];
  #servers = new Set<ServerName>();
  readonly #firstOwner = new Map<string, ServerName>();

  constructor(rows: readonly ExposedName[]) {
    for (const row of rows)
      if (row.kind === 'uri' || row.kind === 'template') this.#firstOwner.set(row.raw, row.server);
  }

  /** Takes the lists of all installed servers; returns the rows of owners that are new, to be kept. */
  rebuild(all: readonly ServerUris[]): ExposedName[] {
    const added: ExposedName[] = [];
    this.#owners = new Map();
    this.#templates = [];
    this.#servers = new Set(all.map(({ server }) => server));
    const own = (kind: 'uri' | 'template', server: ServerName, raw: string) => {
      const owners = this.#owners.get(raw);
      if (owners === undefined) this.#owners.set(raw, [server]);
      else if (!owners.includes(server)) owners.push(server);
      if (this.#firstOwner.has(raw)) return;
      this.#firstOwner.set(raw, server);
      added.push({ kind, exposed: raw, server, raw });
    };
    for (const { server, uris, templates } of all) {
      for (const uri of uris) own('uri', server, uri);
      for (const template of templates) {
        own('template', server, template);
        this.#templates.push({ server, template });
      }
    }
    return added;
  }

  /** How a listed URI or template of a server is shown to hosts. */
  exposed(server: ServerName, raw: string): string {
    return (this.#owners.get(raw)?.length ?? 0) > 1 ? marked(server, raw) : raw;
  }

  /** The server that a host's URI belongs to, and the URI to ask it for; null when nobody can be named. */
  resolve(uri: string): UriTarget | null {
    const own = this.#unmark(uri);
    if (own !== null) return own;
    const owners = this.#owners.get(uri);
    if (owners !== undefined) return { server: this.#preferred(uri, owners), raw: uri };
    const byTemplate = this.#byTemplate(uri);
    if (byTemplate !== null) return { server: byTemplate, raw: uri };
    return this.#byScheme(uri);
  }

  #unmark(uri: string): UriTarget | null {
    const at = Math.max(uri.lastIndexOf(`#${MARK}`), uri.lastIndexOf(`&${MARK}`));
    if (at < 0) return null;
    const server = uri.slice(at + 1 + MARK.length);
    return this.#servers.has(server) ? { server, raw: uri.slice(0, at) } : null;
  }

  #preferred(raw: string, owners: readonly ServerName[]): ServerName {
    const first = this.#firstOwner.get(raw);
    return first !== undefined && owners.includes(first) ? first : (owners[0] ?? '');
  }

  #byTemplate(uri: string): ServerName | null {
    let best: { server: ServerName; weight: number; template: string } | null = null;
    for (const { server, template } of this.#templates) {
      const weight = templateWeight(template, uri);
      if (weight < 0) continue;
      const owners = this.#owners.get(template) ?? [server];
      if (best === null || weight > best.weight) best = { server: this.#preferred(template, owners), weight, template };
    }
    return best?.server ?? null;
  }

  /** A URI that nobody lists belongs to the only server that uses its scheme. */
  #byScheme(uri: string): UriTarget | null {
    const scheme = schemeOf(uri);
    if (scheme === null) return null;
    const users = new Set<ServerName>();
    for (const [raw, owners] of this.#owners)
      if (schemeOf(raw) === scheme) for (const owner of owners) users.add(owner);
    const [only] = users;
    return users.size === 1 && only !== undefined ? { server: only, raw: uri } : null;
  }
}

/**
 * How well a URI fits a URI template (RFC 6570): the number of literal characters, or -1 when it does not fit. Linear in the length of
 * both; a plain `{name}` does not reach over a slash, the other forms do.
 */
export function templateWeight(template: string, uri: string): number {
  let at = 0;
  let weight = 0;
  let rest = template;
  let plain: boolean | null = null;
  for (;;) {
    const open = rest.indexOf('{');
    const close = open < 0 ? -1 : rest.indexOf('}', open);
    const literal = close < 0 ? rest : rest.slice(0, open);
    if (plain === null) {
      if (!uri.startsWith(literal)) return -1;
      at = literal.length;
    } else {
      const last = close < 0;
      const found = last ? (uri.endsWith(literal) ? uri.length - literal.length : -1) : uri.indexOf(literal, at);
      if (found < at) return -1;
      if (plain && uri.slice(at, found).includes('/')) return -1;
      at = found + literal.length;
    }
    weight += literal.length;
    if (close < 0) return plain === null && at !== uri.length ? -1 : weight;
    plain = !/[+#./;?&]/.test(rest[open + 1] ?? '');
    rest = rest.slice(close + 1);
  }
}

// — internal —

function marked(server: ServerName, raw: string): string {
  return `${raw}${raw.includes('#') ? '&' : '#'}${MARK}${server}`;
}

function schemeOf(uri: string): string | null {
  const colon = uri.indexOf(':');
  return colon > 0 ? uri.slice(0, colon).toLowerCase() : null;
}
