import { isLoopback } from '../loopback.ts';

/** The resource is this very URL or a parent of it (RFC 8707): same origin, and the whole of its path begins the URL's. */
export function covers(resource: string, url: string): boolean {
  const [parent, child] = [parsed(resource), parsed(url)];
  if (parent === null || child === null || parent.origin !== child.origin || parent.origin === 'null') return false;
  if (parent.username !== '' || parent.password !== '' || parent.hash !== '') return false;
  return folder(child.pathname).startsWith(folder(parent.pathname));
}

/**
 * Tokens and codes may pass over this address: by https, or within this machine for a server that is on it too. What a server elsewhere
 * names on this machine is a stranger's try to reach what listens here.
 */
export function isSafeFor(address: URL, serverUrl: string): boolean {
  if (address.username !== '' || address.password !== '' || LINK_LOCAL.test(address.hostname)) return false;
  const server = parsed(serverUrl);
  if (isLoopback(address)) {
    return server !== null && isLoopback(server) && (address.protocol === 'http:' || address.protocol === 'https:');
  }
  return address.protocol === 'https:';
}

// — internal —

/** 169.254.0.0/16 and fe80::/10: machines of a cloud keep their credentials there, and no login is. */
const LINK_LOCAL = /^(?:169\.254\.|\[fe[89ab][\da-f]:|\[::ffff:a9fe:)/;

function parsed(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function folder(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
