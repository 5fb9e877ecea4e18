import type { LoginEvent, LoginInfo } from '../../../src/api/contract/logins.ts';
import type { ServerStatus } from '../../../src/api/contract.ts';
import { ApiError } from '../api.ts';
import { safeLink } from '../text.ts';

/** How far a login at a remote server has come. `until`: milliseconds since 1970, when nobody waits for it any more. */
export type LoginProgress =
  | { state: 'asking' }
  | { state: 'waiting'; place: LoginPlace; until: number; joined: boolean }
  | { state: 'done'; login: LoginInfo; server: ServerStatus }
  | { state: 'failed'; thrown: unknown };

/** Where a person would go to log in. `scopes`: what is asked for there. */
interface LoginPlace {
  href: string;
  host: string;
  scopes: string[];
}

/** What an event of the daemon makes of it; `now` in milliseconds since 1970. Pure. */
export function afterLoginEvent(event: LoginEvent, now: number): LoginProgress {
  switch (event.type) {
    case 'link': {
      const place = loginPlace(event.url);
      if (place === null) return { state: 'failed', thrown: new ApiError(NO_WEB_ADDRESS) };
      return { state: 'waiting', place, until: now + event.expiresInMs, joined: event.joined };
    }
    case 'done':
      return { state: 'done', login: event.login, server: event.server };
    case 'failed':
      return { state: 'failed', thrown: new ApiError(event.error) };
  }
}

/** What is left when the daemon's answer breaks off; `thrown` is null when it only ended. */
export function brokenOff(thrown: unknown): LoginProgress {
  return { state: 'failed', thrown: thrown instanceof ApiError ? thrown : new ApiError(BROKEN_OFF) };
}

// — internal —

const NO_WEB_ADDRESS = {
  code: 'LOGIN_REFUSED',
  what: 'the address to log in at is no plain address of the web, and is not opened',
  why: 'it has to begin with https:// or http://, and may not carry a name or a password',
} as const;

const BROKEN_OFF = {
  code: 'DAEMON_LOST',
  what: 'the daemon went away in the middle',
  why: 'the connection ended before the login did; nobody was logged in by it',
  fix: 'mcpd status',
} as const;

function loginPlace(url: string): LoginPlace | null {
  const link = safeLink(url);
  if (link === null) return null;
  const scopes = new URL(link.href).searchParams.get('scope') ?? '';
  return { ...link, scopes: scopes.split(/\s+/).filter((scope) => scope !== '') };
}
