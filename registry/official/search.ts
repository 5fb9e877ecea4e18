import { SEARCH_CHARS_MAX, SEARCH_HITS_MAX } from '../../src/registry-limits.ts';
import type { Listing } from './answers.ts';

/** Which of a registry's servers fit a search, best first. Pure. */

/** A search as a registry is asked: it looks for one text within names, so it is given the longest word. Null: there is nothing to ask for. */
export function askedWord(query: string): string | null {
  return wordsOf(query).reduce<string | null>(
    (longest, word) => ((longest?.length ?? 0) >= word.length ? longest : word),
    null,
  );
}

/**
 * Those that have every word, each server once (its newest version), without the deleted ones. The word that the registry was asked for may
 * be anywhere in what it looks at, so it needs no second look.
 */
export function fitting(listings: readonly Listing[], query: string): { found: Listing[]; hasMore: boolean } {
  const words = wordsOf(query);
  const others = words.filter((word) => word !== askedWord(query));
  const best = new Map<string, Listing>();
  for (const listing of listings) {
    if (listing.status === 'deleted' || !others.every((word) => textOf(listing).includes(word))) continue;
    const before = best.get(listing.name);
    if (before === undefined || isNewer(listing, before)) best.set(listing.name, listing);
  }
  const all = [...best.values()];
  const distances = new Map(all.map((listing) => [listing, distanceOf(listing, words)]));
  all.sort((one, other) => (distances.get(one) ?? 0) - (distances.get(other) ?? 0) || (one.name < other.name ? -1 : 1));
  return { found: all.slice(0, SEARCH_HITS_MAX), hasMore: all.length > SEARCH_HITS_MAX };
}

// — internal —

function wordsOf(query: string): string[] {
  return query.slice(0, SEARCH_CHARS_MAX).toLowerCase().split(/\s+/).filter(Boolean);
}

function isNewer(listing: Listing, before: Listing): boolean {
  if (listing.isLatest !== before.isLatest) return listing.isLatest;
  return (listing.publishedAt ?? 0) > (before.publishedAt ?? 0);
}

function textOf({ name, server }: Listing): string {
  return [name, server['title'], server['description']]
    .filter((text) => typeof text === 'string')
    .join('\n')
    .toLowerCase();
}

/** The nearer to the name the better; what is deprecated comes last. */
function distanceOf({ name, status }: Listing, words: readonly string[]): number {
  const [publisher = '', own = ''] = name.toLowerCase().split('/');
  const distances = words.map((word): number => {
    if (own === word) return 0;
    if (own.startsWith(word)) return 1;
    if (own.includes(word)) return 2;
    return publisher.includes(word) ? 4 : 5;
  });
  return distances.reduce((sum, one) => sum + one, 0) + (status === 'deprecated' ? DEPRECATED : 0);
}

const DEPRECATED = 1000;
