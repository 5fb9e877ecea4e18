const KEY = 'mcpd-token';

/**
 * The token of this tab: kept from before, or got for the one-time code behind the `#` of the address, which is removed at once. Null when
 * there is neither, or the code was used or too old.
 */
export async function takeToken(): Promise<string | null> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return sessionStorage.getItem(KEY);
  history.replaceState(null, '', location.pathname);
  const response = await fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (!response.ok) return sessionStorage.getItem(KEY);
  const { token } = (await response.json()) as { token: string };
  sessionStorage.setItem(KEY, token);
  return token;
}

export function keptToken(): string | null {
  return sessionStorage.getItem(KEY);
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}
