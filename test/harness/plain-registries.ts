import type {
  RegistriesInfo,
  RegistriesRequest,
  RegistryStanding,
  SearchAnswer,
} from '../../src/api/contract/search.ts';
import type { RegistriesControl } from '../../src/api/registries-control.ts';

/** What can be installed by name, from plain data. */
export class PlainRegistries implements RegistriesControl {
  answer: SearchAnswer = { hits: [], registries: [] };
  readonly #asked: string[];
  #addresses: string[] | null = null;

  constructor(asked: string[]) {
    this.#asked = asked;
  }

  async search(query: string, { catalog }: { catalog: boolean }): Promise<SearchAnswer> {
    this.#asked.push(`search ${query} ${catalog}`);
    return this.answer;
  }

  async standings(): Promise<RegistryStanding[]> {
    return [];
  }

  info(): RegistriesInfo {
    const registries = (this.#addresses ?? []).map((address) => ({ address, place: new URL(address).host }));
    return { registries, from: this.#addresses === null ? 'default' : 'settings', error: null };
  }

  set(request: RegistriesRequest | null): RegistriesInfo {
    this.#addresses = request?.registries ?? null;
    return this.info();
  }
}
