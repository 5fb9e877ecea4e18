/** The resource is this very URL or a parent of it (RFC 8707): same origin, and the whole of its path begins the URL's. */
export function covers(resource: string, url: string): boolean {
  const [parent, child] = [parsed(resource), parsed(url)];
  if (parent === null || child === null || parent.origin !== child.origin || parent.origin === 'null') return false;
  if (parent.username !== '' || parent.password !== '' || parent.hash !== '') return false;
  return folder(child.pathname).startsWith(folder(parent.pathname));
}

/** On this machine itself: `localhost` and names under it (RFC 6761), 127.0.0.0/8, [::1], what means them, and what is no host at all. */
function isLoopback(url: URL): boolean {
  const hostname = url.hostname.replace(/\.$/, '');
  return hostname === 'localhost' || hostname.endsWith('.localhost') || OWN_ADDRESS.test(hostname);
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

/** As `URL` writes them, whatever their spelling was: 127.0.0.0/8, 0.0.0.0, ::1, :: and the same in IPv6's clothes. */
const OWN_ADDRESS = /^(?:127\.[\d.]+|0\.0\.0\.0|\[::1?\]|\[::(?:ffff:)?(?:7f[\da-f]{2}|0):[\da-f]{1,4}\])$/;
/** 169.254.0.0/16 and fe80::/10: machines of a cloud keep their credentials there, and no login is. */
const LINK_LOCAL = /^(?:169\.254\.|\[fe[89ab][\da-f]:|\[::ffff:a9fe:)/;

function parsed(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function folder(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
