import { ALL_ABILITIES } from '../protocol/abilities.ts';
import { keysOf, listOf } from './listing.ts';
import type { Ability, ListKind } from './model.ts';
import type { KnownServer } from './state.ts';

/** Everything that a server lists, to whichever host: what people are shown, where a host gets the list that is for it. Pure. */

/** An entry of a list. */
export interface Offered {
  /** Raw JSON, as it is cached. */
  entry: string;
  /** What a host must be able to be asked to see it, the least that is known to be enough; null: every host sees it. */
  onlyFor: readonly Ability[] | null;
}

/** In the server's order; what only some hosts see comes last. */
export function offeredBy(known: KnownServer, kind: ListKind): Offered[] {
  const forAll = listOf(known, kind, '');
  const offered: Offered[] = forAll.map((entry) => ({ entry, onlyFor: null }));
  const variants = reachable(known);
  if (variants.length === 0) return offered;
  const seen = new Set(keysOf(kind, forAll));
  for (const { declared } of variants) {
    const entries = listOf(known, kind, declared);
    const keys = keysOf(kind, entries);
    for (const [at, entry] of entries.entries()) {
      const key = keys[at] ?? '';
      if (seen.has(key)) continue;
      seen.add(key);
      offered.push({ entry, onlyFor: declared.split('+') as Ability[] });
    }
  }
  return offered;
}

/** How many, without looking at each. */
export function offeredCount(known: KnownServer, kind: ListKind): number {
  return reachable(known).length === 0 ? listOf(known, kind, '').length : known.keys[kind].length;
}

/** Whether it was seen what it lists to hosts that can be asked everything: else there may be more than is known. */
export function isWholeOffer({ memory, definition }: KnownServer): boolean {
  if (memory === null) return false;
  if (memory.era === 'modern' || definition.sharing === 'shared') return true;
  return memory.variants.some(({ declared }) => declared === ALL_ABILITIES.declared);
}

// — internal —

/** The variants that a host can come to see, those that ask least of it first. One process for all declares the same to all. */
function reachable({ memory, definition }: KnownServer) {
  if (definition.sharing === 'shared') return [];
  const variants = memory?.variants.filter(({ lists }) => lists.length > 0) ?? [];
  return variants.sort((a, b) => weight(a.declared) - weight(b.declared) || (a.declared < b.declared ? -1 : 1));
}

function weight(declared: string): number {
  return declared.split('+').length;
}
