import { EXPOSED_NAMES_KEPT_PER_SERVER } from '../limits.ts';
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
  uris: readonly string[];
  templates: readonly string[];
}

const NONE: ServerUris = { uris: [], templates: [] };

export class UriTable {
  /** All installed servers, and what the enabled ones list. */
  readonly #servers = new Map<ServerName, ServerUris>();
  /** URI or template → the enabled servers that list it. */
  readonly #owners = new Map<string, Set<ServerName>>();
  /** Scheme → how many URIs and templates of it each server lists. */
  readonly #schemes = new Map<string, Map<ServerName, number>>();
  /** Servers with a URI or template that another one lists too. */
  #sharing: Set<ServerName> | null = null;
  readonly #firstOwner = new Map<string, ServerName>();
  /** What each server had first, oldest first. */
  readonly #firsts = new Map<ServerName, Set<string>>();

  constructor(rows: readonly ExposedName[]) {
    for (const row of rows) if (row.kind === 'uri' || row.kind === 'template') this.#own(row.server, row.raw);
  }

  /** Takes the lists of one server in the place of its old ones, null of a disabled one; returns the owners that are new, to be kept. */
  take(server: ServerName, lists: ServerUris | null): ExposedName[] {
    this.drop(server);
    const { uris, templates } = lists ?? NONE;
    this.#servers.set(server, { uris, templates });
    const added: ExposedName[] = [];
    const list = (kind: 'uri' | 'template', raw: string) => {
      const owners = this.#owners.get(raw);
      if (owners === undefined) this.#owners.set(raw, new Set([server]));
      else owners.add(server);
      this.#count(server, raw, 1);
      if (this.#own(server, raw)) added.push({ kind, exposed: raw, server, raw });
    };
    for (const uri of uris) list('uri', uri);
    for (const template of templates) list('template', template);
    return added;
  }

  /** The server was uninstalled. */
  drop(server: ServerName): void {
    const { uris, templates } = this.#servers.get(server) ?? NONE;
    for (const raw of [...uris, ...templates]) {
      const owners = this.#owners.get(raw);
      owners?.delete(server);
      if (owners?.size === 0) this.#owners.delete(raw);
      this.#count(server, raw, -1);
    }
    this.#servers.delete(server);
    this.#sharing = null;
  }

  /** How a URI or template of a server is shown to hosts. */
  exposed(server: ServerName, raw: string): string {
    const owners = this.#owners.get(raw);
    return owners !== undefined && owners.size > 1 && owners.has(server) ? marked(server, raw) : raw;
  }

  /** Whether some URI of this server is shown otherwise than the server writes it. */
  sharesUris(server: ServerName): boolean {
    if (this.#sharing === null) {
      this.#sharing = new Set();
      for (const owners of this.#owners.values())
        if (owners.size > 1) for (const owner of owners) this.#sharing.add(owner);
    }
    return this.#sharing.has(server);
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
    const at = markAt(uri);
    if (at < 0) return null;
    const server = uri.slice(at + 1 + MARK.length);
    return this.#servers.has(server) ? { server, raw: uri.slice(0, at) } : null;
  }

  #preferred(raw: string, owners: ReadonlySet<ServerName>): ServerName {
    const first = this.#firstOwner.get(raw);
    if (first !== undefined && owners.has(first)) return first;
    return [...owners].sort()[0] ?? '';
  }

  #byTemplate(uri: string): ServerName | null {
    let best: { weight: number; template: string } | null = null;
    for (const { templates } of this.#servers.values()) {
      for (const template of templates) {
        const weight = templateWeight(template, uri);
        if (weight >= 0 && (best === null || weight > best.weight)) best = { weight, template };
      }
    }
    const owners = best === null ? undefined : this.#owners.get(best.template);
    return best === null || owners === undefined ? null : this.#preferred(best.template, owners);
  }

  /** A URI that nobody lists belongs to the only server that uses its scheme. */
  #byScheme(uri: string): UriTarget | null {
    const users = this.#schemes.get(schemeOf(uri) ?? '');
    const [only] = users?.keys() ?? [];
    return users?.size === 1 && only !== undefined ? { server: only, raw: uri } : null;
  }

  #count(server: ServerName, raw: string, by: 1 | -1): void {
    const scheme = schemeOf(raw);
    if (scheme === null) return;
    const users = this.#schemes.get(scheme) ?? new Map<ServerName, number>();
    const count = (users.get(server) ?? 0) + by;
    if (count > 0) users.set(server, count);
    else users.delete(server);
    if (users.size > 0) this.#schemes.set(scheme, users);
    else this.#schemes.delete(scheme);
  }

  /** True when the server is the first to have it. A server that makes up new URIs for ever loses its oldest. */
  #own(server: ServerName, raw: string): boolean {
    const first = this.#firstOwner.get(raw);
    if (first !== undefined && first !== server) return false;
    const firsts = this.#firsts.get(server) ?? new Set<string>();
    this.#firsts.set(server, firsts);
    // What is listed now is the newest.
    firsts.delete(raw);
    firsts.add(raw);
    this.#firstOwner.set(raw, server);
    if (firsts.size > EXPOSED_NAMES_KEPT_PER_SERVER) {
      for (const oldest of firsts) {
        firsts.delete(oldest);
        this.#firstOwner.delete(oldest);
        break;
      }
    }
    return first === undefined;
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

/** A URI below `raw`, named as a host names `raw`: with the same mark, so that the host's question about it finds the same server. */
export function markedLike(name: string, raw: string, below: string): string {
  const at = markAt(name);
  return at < 0 || name === raw ? below : marked(name.slice(at + 1 + MARK.length), below);
}

// — internal —

function marked(server: ServerName, raw: string): string {
  return `${raw}${raw.includes('#') ? '&' : '#'}${MARK}${server}`;
}

/** Where the mark of a URI begins, or -1. */
function markAt(uri: string): number {
  return Math.max(uri.lastIndexOf(`#${MARK}`), uri.lastIndexOf(`&${MARK}`));
}

function schemeOf(uri: string): string | null {
  const colon = uri.indexOf(':');
  return colon > 0 ? uri.slice(0, colon).toLowerCase() : null;
}
