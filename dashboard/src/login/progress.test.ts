import { expect, test } from 'vitest';
import { ApiError } from '../api.ts';
import { afterLoginEvent, brokenOff, type LoginProgress } from './progress.ts';

const link = (url: string) => afterLoginEvent({ type: 'link', url, expiresInMs: 600_000, joined: false }, 1000);

test('a link says where it leads and what is asked for there, and how long it is good', () => {
  expect(link('https://login.example:8443/auth?scope=mcp%3Aread+mcp%3Awrite&state=x')).toEqual({
    state: 'waiting',
    place: {
      href: 'https://login.example:8443/auth?scope=mcp%3Aread+mcp%3Awrite&state=x',
      host: 'login.example:8443',
      scopes: ['mcp:read', 'mcp:write'],
    },
    until: 601_000,
    joined: false,
  });
  expect(link('https://login.example/auth')).toMatchObject({ place: { scopes: [] } });
});

test.each([
  ['javascript:alert(1)'],
  ['file:///etc/passwd'],
  ['data:text/html,<script>1</script>'],
  ['https://bank.example@evil.example/'],
  ['no address'],
])('%s is not to be opened', (url) => {
  expect(what(link(url))).toContain('is not opened');
});

test('what the daemon says of the end is shown, and so is an answer that breaks off', () => {
  const error = { code: 'LOGIN_REFUSED', what: 'the login was refused', why: 'access_denied' } as const;
  expect(what(afterLoginEvent({ type: 'failed', error }, 0))).toBe('the login was refused');
  expect(what(brokenOff(new TypeError('network error')))).toBe('the daemon went away in the middle');
  expect(what(brokenOff(new ApiError({ code: 'SERVER_UNKNOWN', what: 'no such server' })))).toBe('no such server');
});

function what(progress: LoginProgress): string | null {
  return progress.state === 'failed' && progress.thrown instanceof ApiError ? progress.thrown.report.what : null;
}
