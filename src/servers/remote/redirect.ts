import { placeOf, RemoteFault } from './fault.ts';

/**
 * Where a redirect leads, with the headers that may go there; null when the status is none. Method and body stay: a message is no form.
 * Another origin would get the credentials of this one, and its server was chosen by nobody.
 */
export function redirected(
  status: number,
  location: string | undefined,
  from: URL,
  headers: Readonly<Record<string, string>>,
): { url: URL; headers: Readonly<Record<string, string>> } | RemoteFault | null {
  if (!STATUSES.has(status)) return null;
  const what = `${placeOf(from)} redirects (${status})`;
  if (location === undefined || !URL.canParse(location, from.href))
    return new RemoteFault('redirect', what, { why: 'it does not say where to', status });
  const url = new URL(location, from);
  url.hash = '';
  const fix = `if that is the server, add it by that address: ${placeOf(url)}`;
  if (status === 303 || url.username !== '' || url.password !== '')
    return new RemoteFault('redirect', what, { why: 'an MCP server has no reason to', fix, status });
  if (url.origin === from.origin || isUpgrade(from, url)) return { url, headers };
  return new RemoteFault('redirect', what, { why: `it leads to another server, ${url.origin}`, fix, status });
}

// — internal —

const STATUSES = new Set([301, 302, 303, 307, 308]);

/** From http to https of the same host, both on their own ports: the same server, and what went in the clear is encrypted now. */
function isUpgrade(from: URL, to: URL): boolean {
  const isSameHost = from.hostname === to.hostname && from.port === '' && to.port === '';
  return isSameHost && from.protocol === 'http:' && to.protocol === 'https:';
}
