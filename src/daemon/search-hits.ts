import { type CatalogEntry, inputsOf, originText } from '../../registry/catalog.ts';
import { readablePublished } from '../../registry/official/published-listing.ts';
import type { Asking, Found } from '../../registry/official/registries.ts';
import { inputsOfPackage, inputsOfRemote, type Published } from '../../registry/published.ts';
import type { RegistryAsking, SearchHit } from '../api/contract/search.ts';
import type { CatalogHit, InputSpec } from '../api/contract.ts';
import type { ServerSource } from '../core/model.ts';
import { inPreference } from '../install/choice.ts';
import { inputSpec } from '../install/inputs.ts';

/** What a search shows. Pure. */

/** By what installed servers are known where they come from: names of the catalog and of MCP registries. */
export function installedNames(sources: readonly ServerSource[]): Set<string> {
  return new Set(
    sources.flatMap(({ kind, ref }) => {
      if (kind === 'catalog') return [ref];
      return kind === 'registry' ? [ref.slice(0, ref.lastIndexOf('@'))] : [];
    }),
  );
}

export function catalogHit(entry: CatalogEntry, installed: ReadonlySet<string>): CatalogHit {
  const { name, published } = entry;
  return {
    name,
    title: published.title,
    description: published.description,
    origin: originText(entry),
    inputs: inputsOf(entry).map(inputSpec),
    installed: installed.has(name),
  };
}

export function bundledHit(entry: CatalogEntry, installed: ReadonlySet<string>): SearchHit {
  const { published } = entry;
  return {
    ...catalogHit(entry, installed),
    source: 'catalog',
    registry: null,
    version: published.version,
    ...factsOf(published),
  };
}

/** One whose description cannot be read is shown by its name alone: an install says why. */
export function registryHit(
  { listing, registry }: Found['listings'][number],
  installed: ReadonlySet<string>,
): SearchHit {
  const { name, version, status, statusMessage } = listing;
  const published = readablePublished(listing);
  const facts = {
    name,
    installed: installed.has(name),
    source: 'registry' as const,
    registry: registry.address,
    version,
  };
  if (published !== null) {
    const { title, description } = published;
    return { ...facts, title, description, ...offerOf(published), ...factsOf(published) };
  }
  const nothing = {
    description: '',
    origin: '',
    inputs: [],
    publisher: null,
    repository: null,
    licence: null,
    kinds: [],
  };
  return { ...facts, title: name, ...nothing, status: status === 'active' ? status : 'deprecated', statusMessage };
}

export function shownAsking({ address, place, at, fault, hasMore, warnings }: Asking): RegistryAsking {
  const state = fault === null ? 'asked' : at === null ? 'unreachable' : 'kept';
  return { address, place, state, at, error: fault?.report() ?? null, hasMore, warnings };
}

// — internal —

function factsOf({ publisher, repository, licence, packages, remotes, status, statusMessage }: Published) {
  const kinds = [...inPreference(packages).map(({ kind }) => kind), ...remotes.map(() => 'remote')];
  return {
    publisher,
    repository,
    licence,
    kinds: [...new Set<string>(kinds)],
    status: status === 'active' ? status : ('deprecated' as const),
    statusMessage,
  };
}

/** What an install would take, and ask for. */
function offerOf({ packages, remotes }: Published): { origin: string; inputs: InputSpec[] } {
  const [pack] = inPreference(packages);
  if (pack !== undefined)
    return { origin: `${pack.kind}:${pack.identifier}`, inputs: inputsOfPackage(pack).map(inputSpec) };
  const [remote] = remotes;
  return remote === undefined
    ? { origin: '', inputs: [] }
    : { origin: remote.url, inputs: inputsOfRemote(remote).map(inputSpec) };
}
