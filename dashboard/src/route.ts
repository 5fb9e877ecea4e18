import { signal } from '@preact/signals';

/**
 * Where the page is, as the address says behind its `#`: `#/servers/weather/logs?level=error`. There it reaches no server, and a link
 * to any place works again after a reload.
 */
export interface Route {
  /** The first part: `servers`. */
  page: string;
  /** What follows it: `['weather', 'logs']`. */
  parts: readonly string[];
  query: ReadonlyMap<string, string>;
}

const FIRST_PAGE = 'servers';

export const route = signal<Route>(routeOf(typeof location === 'undefined' ? '' : location.hash));

/** The page for an address; whatever is no address of ours is the first page. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...parts] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  return { page: page === '' ? FIRST_PAGE : page, parts, query: new Map(new URLSearchParams(query)) };
}

/** The address of a place: `hrefOf('servers', 'weather', 'logs')` is `#/servers/weather/logs`. */
export function hrefOf(page: string, ...parts: string[]): string {
  return `#/${[page, ...parts].map(encodeURIComponent).join('/')}`;
}

/** The same with a query; what is empty is left out. */
export function withQuery(href: string, query: Record<string, string | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return text === '' ? href : `${href}?${text}`;
}

/** Goes there, as a click on a link would. */
export function goTo(href: string): void {
  location.hash = href;
}

/** Changes the address without a new step in the history: for filters and the like. */
export function replaceWith(href: string): void {
  history.replaceState(null, '', href);
  route.value = routeOf(href);
}

/** Begins to follow the address. */
export function followAddress(): void {
  addEventListener('hashchange', () => {
    // `mcpd dashboard` may open its link in a tab that shows this page already.
    if (location.hash.startsWith('#code=')) location.reload();
    else route.value = routeOf(location.hash);
  });
  route.value = routeOf(location.hash);
}

// — internal —

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A person typed a lone `%`: then it means itself.
    return part;
  }
}
