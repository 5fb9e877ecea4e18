/** On this machine itself: `localhost` and names under it (RFC 6761), 127.0.0.0/8, [::1], what means them, and what is no host at all. */
export function isLoopback(url: URL): boolean {
  const hostname = url.hostname.replace(/\.$/, '');
  return hostname === 'localhost' || hostname.endsWith('.localhost') || OWN_ADDRESS.test(hostname);
}

// — internal —

/** As `URL` writes them, whatever their spelling was: 127.0.0.0/8, 0.0.0.0, ::1, :: and the same in IPv6's clothes. */
const OWN_ADDRESS = /^(?:127\.[\d.]+|0\.0\.0\.0|\[::1?\]|\[::(?:ffff:)?(?:7f[\da-f]{2}|0):[\da-f]{1,4}\])$/;
