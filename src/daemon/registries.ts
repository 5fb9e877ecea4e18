import { searchCatalog } from '../../registry/catalog.ts';
import { askedRegistries, settingOf } from '../../registry/official/asked.ts';
import { placeOfRegistry } from '../../registry/official/exchange.ts';
import { KeptAnswers } from '../../registry/official/kept-answers.ts';
import { publishedListing } from '../../registry/official/published-listing.ts';
import { McpRegistries } from '../../registry/official/registries.ts';
import type { RegistriesInfo, RegistriesRequest, RegistryStanding, SearchAnswer } from '../api/contract/search.ts';
import type { RegistriesControl } from '../api/registries-control.ts';
import type { InstalledPackage } from '../core/model.ts';
import { asMcpdError } from '../errors.ts';
import { proxiesOf } from '../proxy.ts';
import { fetchThrough } from '../proxy-fetch.ts';
import type { Parts } from './parts.ts';
import { bundledHit, installedNames, registryHit, shownAsking } from './search-hits.ts';

const SETTING = 'mcp-registries';

/** The MCP registries, joined to the daemon's parts. */
export class DaemonRegistries implements RegistriesControl {
  readonly #parts: Parts;
  readonly #registries: McpRegistries;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#registries = new McpRegistries(() => this.#settings(), {
      fetch: fetchThrough(proxiesOf(process.env)),
      kept: new KeptAnswers(parts.paths.registryAnswers),
      now: () => Date.now(),
    });
  }

  async search(query: string, { catalog }: { catalog: boolean }): Promise<SearchAnswer> {
    const installed = installedNames(this.#parts.registry.allServers().map(({ source }) => source));
    const bundled = searchCatalog(query).map((entry) => bundledHit(entry, installed));
    if (catalog) return { hits: bundled, registries: [] };
    const { listings, askings } = await this.#registries.search(query, this.#parts.ending);
    const found = listings.map((one) => registryHit(one, installed));
    return { hits: [...bundled, ...found], registries: askings.map(shownAsking) };
  }

  /** For an install. @throws McpdError PACKAGE_UNKNOWN, VERSION_UNKNOWN, PACKAGE_DELETED, FETCH_FAILED, PROXY_FAILED, CONFIG_INVALID */
  async published(name: string, version: string | null, signal: AbortSignal) {
    const { listing, registry, warnings } = await this.#registries.resolve(name, version, signal);
    const published = publishedListing(listing);
    return { published: { ...published, warnings: [...warnings, ...published.warnings] }, place: registry.place };
  }

  standings(): Promise<RegistryStanding[]> {
    return Promise.all(
      this.#parts.registry.allServers().flatMap(({ name: server, source }) => {
        const [, name, version] = source.kind === 'registry' ? (/^(.+)@([^@]+)$/.exec(source.ref) ?? []) : [];
        if (source.kind !== 'registry' || name === undefined || version === undefined) return [];
        return [this.#standing(server, name, version, source.package)];
      }),
    );
  }

  info(): RegistriesInfo {
    const { addresses, from, fault } = this.#settings();
    const registries = addresses.map((address) => ({ address, place: placeOfRegistry(address) }));
    return { registries, from, error: fault?.report() ?? null };
  }

  set(request: RegistriesRequest | null): RegistriesInfo {
    this.#parts.registry.setSetting(SETTING, request === null ? null : settingOf(request.registries));
    return this.info();
  }

  async #standing(
    server: string,
    name: string,
    version: string,
    pack: InstalledPackage | null,
  ): Promise<RegistryStanding> {
    const unknown = { server, name, version: null, place: null, status: null, statusMessage: null, error: null };
    try {
      const standing = await this.#registries.standing(name, version, pack, this.#parts.ending);
      if (standing === null) return unknown;
      const { listing, place, fault } = standing;
      const { status, statusMessage } = listing;
      return { ...unknown, version: listing.version, place, status, statusMessage, error: fault?.report() ?? null };
    } catch (thrown) {
      return { ...unknown, error: asMcpdError(thrown, 'INTERNAL', `${name} could not be asked for`).report() };
    }
  }

  #settings() {
    return askedRegistries(this.#parts.registry.setting(SETTING), process.env);
  }
}
