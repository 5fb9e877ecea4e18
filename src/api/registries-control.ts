import type { RegistriesInfo, RegistriesRequest, RegistryStanding, SearchAnswer } from './contract/search.ts';

/** What can be installed by name: the catalog, and the MCP registries that are asked. */
export interface RegistriesControl {
  /** With `catalog` no registry is asked. A registry that cannot be asked is told, and fails nothing. */
  search(query: string, options: { catalog: boolean }): Promise<SearchAnswer>;
  /** A registry that cannot be asked is told, and fails nothing. */
  standings(): Promise<RegistryStanding[]>;
  info(): RegistriesInfo;
  /** Null: what the environment says, else the official one. @throws McpdError INPUT_INVALID */
  set(request: RegistriesRequest | null): RegistriesInfo;
}
