import { AUTH_SCOPES_CHARS_MAX } from '../operation-limits.ts';

/** Every scope of the lists once, in the order of their first mention; null when there is none. Lists as in RFC 6749, section 3.3. */
export function scopeUnion(...lists: readonly (string | null)[]): string | null {
  const all = new Set(lists.flatMap(scopesOf));
  return all.size === 0 ? null : [...all].join(' ');
}

/** Whether `granted` has every scope of `needed`. What was granted is not known when it is null. */
export function includesScopes(granted: string | null, needed: string): boolean {
  const has = new Set(scopesOf(granted));
  return scopesOf(needed).every((scope) => has.has(scope));
}

/**
 * What a stranger calls a list of scopes: what can be none (RFC 6749, section 3.3) is left out, since people paste the rest into commands;
 * a list that is too long counts as none.
 */
export function namedScopes(list: string | null): string | null {
  if ((list?.length ?? 0) > AUTH_SCOPES_CHARS_MAX) return null;
  return scopeUnion(
    scopesOf(list)
      .filter((scope) => SCOPE.test(scope))
      .join(' '),
  );
}

export function scopesOf(list: string | null): string[] {
  return (list ?? '').split(/\s+/).filter((scope) => scope !== '');
}

// — internal —

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
