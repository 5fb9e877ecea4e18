import * as z from 'zod/mini';
import type { ErrorReport } from '../../errors.ts';
import type { CatalogHit } from '../contract.ts';

/** A server that can be installed by its `name`, from the catalog or from an MCP registry. */
export interface SearchHit extends CatalogHit {
  source: 'catalog' | 'registry';
  /** Address of the MCP registry; null for the catalog. */
  registry: string | null;
  /** That an install takes; null where the package says it when it is fetched, or where it comes with mcpd. */
  version: string | null;
  /** Whose it is, as far as it is told. */
  publisher: string | null;
  repository: string | null;
  licence: string | null;
  /** What an install can take of it, in this order: kinds of packages, and `remote`. Empty: nothing that mcpd can install. */
  kinds: string[];
  status: 'active' | 'deprecated';
  statusMessage: string | null;
}

/** What of an install is known before it begins, beside its command line. */
export interface PlanFacts {
  /** Names of the variables that it is given. */
  variables: string[];
  /** The sha-256 that the file which is fetched must have, 64 hex digits; null where none was published. */
  fileSha256: string | null;
  /** Of what is fetched: one that never changes, or a tag or range that stands for others later. `none`: nothing is fetched. */
  versionIs: 'exact' | 'floating' | 'none';
}

/** One version of a server at an MCP registry. It is pinned: another version is another install. */
export interface PublishedAt {
  /** `io.github.acme/weather` */
  name: string;
  version: string;
  /** The host of the MCP registry. */
  place: string;
  publisher: string | null;
  repository: string | null;
}

/** How it went with one MCP registry. */
export interface RegistryAsking {
  address: string;
  /** Its host, for people. */
  place: string;
  /** `kept`: it could not be asked, and what it said at `at` serves. */
  state: 'asked' | 'kept' | 'unreachable';
  /** When it said what it said. */
  at: number | null;
  /** Why it could not be asked now. */
  error: ErrorReport | null;
  /** It has more than is shown. */
  hasMore: boolean;
  warnings: string[];
}

export interface SearchAnswer {
  /** The catalog's first; of each the best first. */
  hits: SearchHit[];
  /** Empty when none was asked: for an empty query, or with `catalog`. */
  registries: RegistryAsking[];
}

/** Which MCP registries are asked, in this order. */
export interface RegistriesInfo {
  registries: { address: string; place: string }[];
  /** `environment`: MCPD_REGISTRIES of the daemon. */
  from: 'settings' | 'environment' | 'default';
  /** Why what was set cannot be followed; then none is asked. */
  error: ErrorReport | null;
}

export const RegistriesRequest = z.object({
  /** Addresses, in the order in which they are asked; none asks none. */
  registries: z.array(z.string().check(z.maxLength(4096))).check(z.maxLength(64)),
});
export type RegistriesRequest = z.infer<typeof RegistriesRequest>;

/** What its MCP registry says by now of a server that was installed from it. */
export interface RegistryStanding {
  server: string;
  /** Its name there. */
  name: string;
  /** The version that is installed, as the registry calls it; null when no registry has it (any more). */
  version: string | null;
  /** Of the registry, for people; null as `version` is. */
  place: string | null;
  status: 'active' | 'deprecated' | 'deleted' | null;
  /** Why, in the publisher's words. */
  statusMessage: string | null;
  /** Why the registry could not be asked now; with a `status` that is what it said before. */
  error: ErrorReport | null;
}
