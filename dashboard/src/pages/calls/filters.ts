/** What the history is asked for, as the address says it: a link to a question works again. Pure. */

export const OUTCOMES = ['failed', 'ok', 'tool-error', 'error', 'cancelled', 'timeout', 'lost'] as const;
export const AGES = ['hour', 'day', 'week'] as const;
export const ORDERS = ['newest', 'slowest'] as const;

export interface CallFilters {
  host: string;
  server: string;
  target: string;
  outcome: (typeof OUTCOMES)[number] | 'any';
  /** How long ago a call came at most. */
  age: (typeof AGES)[number] | 'any';
  order: (typeof ORDERS)[number];
}

export const NO_FILTERS: CallFilters = {
  host: '',
  server: '',
  target: '',
  outcome: 'any',
  age: 'any',
  order: 'newest',
};

const HOUR_MS = 3_600_000;
const AGE_MS: Record<(typeof AGES)[number], number> = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS };

/** Of an address; what is no filter of ours is none. */
export function filtersOf(query: ReadonlyMap<string, string>): CallFilters {
  return {
    host: query.get('host') ?? '',
    server: query.get('server') ?? '',
    target: query.get('target') ?? '',
    outcome: OUTCOMES.find((one) => one === query.get('outcome')) ?? 'any',
    age: AGES.find((one) => one === query.get('age')) ?? 'any',
    order: ORDERS.find((one) => one === query.get('order')) ?? 'newest',
  };
}

/** For the address: only what was chosen. */
export function queryOf(filters: CallFilters): Record<string, string | null> {
  const entries = Object.entries(filters) as [keyof CallFilters, string][];
  return Object.fromEntries(entries.map(([name, value]) => [name, value === NO_FILTERS[name] ? null : value]));
}

/** For the daemon; `before` is where the page before ended. */
export function pathOf(
  filters: CallFilters,
  { now, limit, before }: { now: number; limit: number; before: string | null },
): string {
  const search = new URLSearchParams({ limit: String(limit), order: filters.order });
  for (const name of ['host', 'server', 'target'] as const) if (filters[name] !== '') search.set(name, filters[name]);
  if (filters.outcome !== 'any') search.set('outcome', filters.outcome);
  if (filters.age !== 'any') search.set('since', String(now - AGE_MS[filters.age]));
  if (before !== null) search.set('before', before);
  return `/api/calls?${search}`;
}

/** Whether some calls are not shown; another order leaves none out. */
export function isFiltered(filters: CallFilters): boolean {
  return !takesNewCalls({ ...filters, order: NO_FILTERS.order });
}

/** Whether a call that just ended belongs on top: only where nothing is filtered can the page tell by itself. */
export function takesNewCalls(filters: CallFilters): boolean {
  return Object.values(queryOf(filters)).every((value) => value === null);
}
