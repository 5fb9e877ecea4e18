import type { InstalledPackage } from '../../src/core/model.ts';
import { McpdError } from '../../src/errors.ts';
import type { Listing } from './answers.ts';
import type { AskedRegistries } from './asked.ts';
import { McpRegistry, type RegistryPorts, type Told } from './client.ts';
import { askedWord, fitting } from './search.ts';
import { type Standing, standingOf } from './standing.ts';

/** How it went with one registry. */
export interface Asking {
  address: string;
  /** For people. */
  place: string;
  /** When it said what it said, milliseconds since 1970; null when it said nothing. */
  at: number | null;
  /** Why it could not be asked now; with `at` an older answer serves. */
  fault: McpdError | null;
  hasMore: boolean;
  warnings: string[];
}

export interface Found {
  listings: { listing: Listing; registry: McpRegistry }[];
  askings: Asking[];
}

/** One version of a server, as the registry that has it lists it. */
export interface Resolved {
  listing: Listing;
  registry: McpRegistry;
  warnings: string[];
}

/** The registries that are asked, in their order. */
export class McpRegistries {
  readonly #asked: () => AskedRegistries;
  readonly #ports: RegistryPorts;

  /** `asked` is looked at for each question: it may be set anew at any time. */
  constructor(asked: () => AskedRegistries, ports: RegistryPorts) {
    this.#asked = asked;
    this.#ports = ports;
  }

  /** All at once; one that cannot be asked fails nothing. Nothing is asked for an empty query. */
  async search(query: string, signal: AbortSignal): Promise<Found> {
    const word = askedWord(query);
    if (word === null) return { listings: [], askings: [] };
    const { fault } = this.#asked();
    if (fault !== null)
      return { listings: [], askings: [{ ...UNASKED, address: '', place: 'the MCP registry', fault }] };
    const registries = this.#all();
    const answers = await Promise.all(registries.map((registry) => searched(registry, word, signal)));
    const names = new Set<string>();
    const found: Found = { listings: [], askings: [] };
    for (const { registry, told, asking } of answers) {
      const fits = fitting(told?.value.listings ?? [], query);
      found.askings.push({ ...asking, hasMore: asking.hasMore || fits.hasMore });
      // An install would take it from the first registry that has it.
      const news = fits.found.filter(({ name }) => !names.has(name));
      for (const listing of news) names.add(listing.name);
      found.listings.push(...news.map((listing) => ({ listing, registry })));
    }
    return found;
  }

  /**
   * The version that an install takes; null is the newest. The first registry that knows the name has the say. When one cannot be asked,
   * the next is not asked in its place: whoever keeps it from answering would choose what is run.
   * @throws {McpdError} PACKAGE_UNKNOWN, VERSION_UNKNOWN, PACKAGE_DELETED, FETCH_FAILED, PROXY_FAILED; INPUT_INVALID as they are set
   */
  async resolve(name: string, version: string | null, signal: AbortSignal): Promise<Resolved> {
    const registries = this.#all();
    for (const registry of registries) {
      const told = await registry.version(name, version, signal);
      const listing = told.value ?? (await this.#otherwise(registry, name, version, signal));
      if (listing === null) continue;
      if (listing.status === 'deleted') throw await this.#deleted(listing, registry, signal);
      return {
        listing,
        registry,
        warnings: [...staleWarning(registry, told), ...told.warnings, ...statusWarning(listing)],
      };
    }
    throw unknown(name, registries);
  }

  /** As `standingOf`. @throws {McpdError} FETCH_FAILED, PROXY_FAILED; INPUT_INVALID as they are set */
  standing(
    name: string,
    version: string,
    pack: InstalledPackage | null,
    signal: AbortSignal,
  ): Promise<Standing | null> {
    return standingOf(this.#all(), name, version, pack, signal);
  }

  #all(): McpRegistry[] {
    const { addresses, fault } = this.#asked();
    if (fault !== null) throw fault;
    return addresses.map((address) => new McpRegistry(address, this.#ports));
  }

  /** A registry may know the server and not what was asked for: `latest`, or a version that never was. Null: it does not know the server. */
  async #otherwise(registry: McpRegistry, name: string, version: string | null, signal: AbortSignal) {
    const { listings } = (await registry.versions(name, signal)).value;
    const [newest] = listings.filter(({ status }) => status !== 'deleted');
    if (version === null) return newest ?? listings[0] ?? null;
    const listed = listings.find((listing) => listing.version === version);
    if (listed !== undefined || listings.length === 0) return listed ?? null;
    const known = listings.slice(0, VERSIONS_SHOWN).map((listing) => listing.version);
    throw new McpdError('VERSION_UNKNOWN', {
      what: `${name} has no version ${version} at ${registry.place}`,
      why: `it has ${known.join(', ')}${listings.length > known.length ? ', …' : ''}`,
      fix: newest === undefined ? `mcpd search ${ownName(name)}` : `mcpd install ${name}@${newest.version}`,
    });
  }

  async #deleted(
    { name, version, statusMessage }: Listing,
    registry: McpRegistry,
    signal: AbortSignal,
  ): Promise<McpdError> {
    const { listings } = (await registry.versions(name, signal)).value;
    const other = listings.find((listing) => listing.status !== 'deleted' && listing.version !== version);
    return new McpdError('PACKAGE_DELETED', {
      what: `${name} ${version} was deleted from ${registry.place}, and is not installed`,
      ...(statusMessage === null ? {} : { why: statusMessage }),
      fix: other === undefined ? `mcpd search ${ownName(name)}` : `mcpd install ${name}@${other.version}`,
    });
  }
}

// — internal —

const VERSIONS_SHOWN = 5;

const UNASKED: Omit<Asking, 'address' | 'place'> = { at: null, fault: null, hasMore: false, warnings: [] };

async function searched(registry: McpRegistry, word: string, signal: AbortSignal) {
  const { address, place } = registry;
  const nothing = { ...UNASKED, address, place };
  try {
    const told = await registry.search(word, signal);
    const { at, fault, warnings } = told;
    return { registry, told, asking: { ...nothing, at, fault, warnings, hasMore: told.value.hasMore } };
  } catch (thrown) {
    if (!(thrown instanceof McpdError) || signal.aborted) throw thrown;
    return { registry, told: null, asking: { ...nothing, fault: thrown } };
  }
}

function staleWarning({ place }: McpRegistry, { fault, at }: Told<unknown>): string[] {
  if (fault === null) return [];
  return [`${fault.message}; what ${place} said on ${new Date(at).toISOString().slice(0, 10)} is used`];
}

function statusWarning({ version, status, statusMessage }: Listing): string[] {
  if (status !== 'deprecated') return [];
  return [`version ${version} is deprecated${statusMessage === null ? '' : `: ${statusMessage}`}`];
}

function unknown(name: string, registries: readonly McpRegistry[]): McpdError {
  if (registries.length === 0)
    return new McpdError('PACKAGE_UNKNOWN', {
      what: `${name} cannot be looked up`,
      why: 'no MCP registry is asked here',
      fix: 'mcpd registries',
    });
  return new McpdError('PACKAGE_UNKNOWN', {
    what: `${registries.map(({ place }) => place).join(', ')} ${registries.length === 1 ? 'has' : 'have'} no server ${name}`,
    fix: `mcpd search ${ownName(name)}`,
  });
}

/** The part that people search for. */
function ownName(name: string): string {
  return name.split('/')[1] ?? name;
}
