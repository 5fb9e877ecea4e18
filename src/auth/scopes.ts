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

export function scopesOf(list: string | null): string[] {
  return (list ?? '').split(/\s+/).filter((scope) => scope !== '');
}
