import { BlockList, isIP } from 'node:net';
import { McpdError } from './errors.ts';
import { isLoopback } from './loopback.ts';

/** A proxy that a request takes. */
export interface ProxyServer {
  /** How the proxy itself is spoken to. */
  protocol: 'http:' | 'https:';
  host: string;
  port: number;
  /** The value of `Proxy-Authorization`; null where the address has no user. */
  authorization: string | null;
  /** For people: its address without user and password. */
  place: string;
  /** The variable that names it. */
  variable: string;
}

/** The proxy for a request to that address; null when it goes there directly. @throws {McpdError} PROXY_FAILED */
export type Proxies = (url: URL) => ProxyServer | null;

/**
 * By the variables that curl and most programs read: `https_proxy` for https, `http_proxy` for http, and `no_proxy` for what is reached
 * directly; each also in capitals, and the small ones count first. What is on this machine is never asked of a proxy.
 */
export function proxiesOf(env: NodeJS.ProcessEnv): Proxies {
  return (url) => {
    const [variable, address] = given(env, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy');
    if (address === '' || isLoopback(url) || isExempt(url, given(env, 'no_proxy')[1])) return null;
    return proxyAt(address, variable);
  };
}

/** What is to be done about a proxy that does not serve: the settings are those of whoever started the daemon. */
export function proxyFix(variable: string): string {
  return `set ${variable} (and NO_PROXY for what is reached without) in a terminal, then there: mcpd restart`;
}

// — internal —

/** Of the two spellings the one that is set, and its value; set to nothing is a decision too. */
function given(env: NodeJS.ProcessEnv, name: string): [variable: string, value: string] {
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  return [variable, env[variable]?.trim() ?? ''];
}

function proxyAt(address: string, variable: string): ProxyServer {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  // Nothing of it is repeated: it may hold a password.
  if (url === null || url.hostname === '') throw unusable(variable, 'it is no address like http://proxy.example:3128');
  const { protocol } = url;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw unusable(variable, `mcpd knows proxies by http and https, not ${protocol.slice(0, -1)}`);
  return {
    protocol,
    host: withoutBrackets(url.hostname),
    port: Number(url.port || (protocol === 'https:' ? 443 : 80)),
    authorization: url.username === '' ? null : basic(decoded(url.username), decoded(url.password)),
    place: url.origin,
    variable,
  };
}

function unusable(variable: string, why: string): McpdError {
  return new McpdError('PROXY_FAILED', { what: `${variable} cannot be used`, why, fix: proxyFix(variable) });
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a password with a plain percent sign
  }
}

/** `example.com` and `.example.com` mean it and what is below it, `*` everything; with a port only that one; addresses also as ranges. */
function isExempt(url: URL, list: string): boolean {
  const host = withoutBrackets(url.hostname).replace(/\.$/, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && (entry === '*' || matches(entry.toLowerCase(), host, port)));
}

function matches(entry: string, host: string, port: string): boolean {
  const [, name = '', onlyPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? ['', entry];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const bare = withoutBrackets(name);
  if (isIP(host) !== 0) return isInRange(bare, host);
  const domain = bare.replace(/^\*?\./, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

function isInRange(entry: string, host: string): boolean {
  const [address = '', bits] = entry.split('/');
  const family = isIP(address);
  if (family === 0) return false;
  const bitsMax = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? bitsMax : Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > bitsMax) return false;
  const range = new BlockList();
  range.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return range.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
