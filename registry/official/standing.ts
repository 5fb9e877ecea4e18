import type { InstalledPackage } from '../../src/core/model.ts';
import type { McpdError } from '../../src/errors.ts';
import type { Listing } from './answers.ts';
import type { McpRegistry } from './client.ts';
import { readablePublished } from './published-listing.ts';

/** What a registry says by now of a version that was installed from it. */
export interface Standing {
  listing: Listing;
  /** For people. */
  place: string;
  /** Why the registry could not be asked now, so that this is what it said before; else null. */
  fault: McpdError | null;
}

/**
 * As for an install, the first registry that knows the name has the say. Null where none knows that version (any more), or the one that is
 * installed by now.
 * @param version as it was installed first; an update may have brought the package of another one
 * @throws {McpdError} FETCH_FAILED, PROXY_FAILED
 */
export async function standingOf(
  registries: readonly McpRegistry[],
  name: string,
  version: string,
  pack: InstalledPackage | null,
  signal: AbortSignal,
): Promise<Standing | null> {
  for (const registry of registries) {
    const told = await registry.version(name, version, signal);
    if (told.value !== null && isOf(told.value, pack))
      return { listing: told.value, place: registry.place, fault: told.fault };
    const all = await registry.versions(name, signal);
    const listing = all.value.listings.find((one) => isOf(one, pack));
    if (listing !== undefined) return { listing, place: registry.place, fault: all.fault };
    if (told.value !== null || all.value.listings.length > 0) return null;
  }
  return null;
}

// — internal —

function isOf(listing: Listing, pack: InstalledPackage | null): boolean {
  if (pack === null) return true;
  const packages = readablePublished(listing)?.packages ?? [];
  return packages.some(
    ({ kind, identifier, version }) =>
      kind === pack.kind && identifier === pack.identifier && (version === null || version === pack.version),
  );
}
