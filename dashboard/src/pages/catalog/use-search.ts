import type { SearchAnswer } from '../../../../src/api/contract/search.ts';
import { withQuery } from '../../route.ts';
import { useAnswer } from '../../use-answer.ts';
import { useSettled } from '../../use-settled.ts';

/** The catalog is at hand, and asked almost at once. */
const CATALOG_TYPING_MS = 100;
/** A registry is somebody else's machine: it is asked when a person has stopped typing. */
const REGISTRY_TYPING_MS = 500;

interface Search {
  /** What the catalog has; null before its first answer. */
  catalog: SearchAnswer | null;
  /** What the registries have; null while they are asked, and when there is nothing to ask for. */
  registries: SearchAnswer | null;
  isAsking: boolean;
  thrown: unknown;
}

/** `query` in the catalog, at once, and in the MCP registries that are asked. `version` is another one when all may be. */
export function useSearch(query: string, version: unknown): Search {
  const soon = useSettled(query, CATALOG_TYPING_MS);
  const later = useSettled(query, REGISTRY_TYPING_MS);
  const near = useAnswer<SearchAnswer>(withQuery('/api/search', { query: soon, catalog: '1' }), version);
  // Without a word no registry is asked, and this is the catalog again.
  const path = withQuery('/api/search', { query: later });
  const far = useAnswer<SearchAnswer>(path, version);
  const isOfThese = later === query && far.to === path;
  return {
    catalog: near.answer,
    registries: query !== '' && isOfThese && far.thrown === null ? far.answer : null,
    isAsking: query !== '' && !isOfThese,
    thrown: near.thrown ?? (isOfThese ? far.thrown : null),
  };
}
