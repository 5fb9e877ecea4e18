import { errnoOf, McpdError } from '../../src/errors.ts';
import type { Fetch } from '../../src/proxy-fetch.ts';
import {
  REGISTRY_ANSWER_MS,
  REGISTRY_FRESH_MS,
  REGISTRY_PAGES_MAX,
  REGISTRY_QUESTION_MS,
} from '../../src/registry-limits.ts';
import { searchAddress, versionAddress, versionsAddress } from './addresses.ts';
import { type Listing, newestFirst, type Page, readListing, readPage } from './answers.ts';
import { askRegistry, placeOfRegistry } from './exchange.ts';
import type { KeptAnswer, KeptAnswers } from './kept-answers.ts';
import { LATEST } from './names.ts';

export interface RegistryPorts {
  fetch: Fetch;
  kept: KeptAnswers;
  /** Milliseconds since 1970. */
  now(): number;
}

/** An answer, and how good it is. */
export interface Told<T> {
  value: T;
  /** When the registry said it, milliseconds since 1970: the oldest part of it. */
  at: number;
  /** Why the registry could not be asked now, so that `value` is an older answer; null when it is fresh. */
  fault: McpdError | null;
  /** What a person should know besides. */
  warnings: string[];
}

export interface Listings {
  /** As the registry orders them. */
  listings: Listing[];
  /** There are more pages than are read. */
  hasMore: boolean;
}

/**
 * One MCP registry. What it said lately is not asked again; when it cannot be asked, what it said within REGISTRY_KEPT_MS serves.
 * @throws {McpdError} FETCH_FAILED, PROXY_FAILED of every method when it cannot be asked and has said nothing yet
 */
export class McpRegistry {
  /** Its address, as `registryAddress` writes it. */
  readonly address: string;
  /** For people. */
  readonly place: string;
  readonly #ports: RegistryPorts;

  constructor(address: string, ports: RegistryPorts) {
    this.address = address;
    this.place = placeOfRegistry(address);
    this.#ports = ports;
  }

  /** The newest version of each server whose name has `word` in it. */
  search(word: string, signal: AbortSignal): Promise<Told<Listings>> {
    return this.#pages((cursor) => searchAddress(this.address, word, cursor), signal);
  }

  /** All versions of a server, newest first; none when the registry does not know it. */
  async versions(name: string, signal: AbortSignal): Promise<Told<Listings>> {
    const told = await this.#pages((cursor) => versionsAddress(this.address, name, cursor), signal);
    const listings = told.value.listings.filter((listing) => listing.name === name);
    return { ...told, value: { ...told.value, listings: newestFirst(listings) } };
  }

  /** One version, or the newest (null); null when the registry does not know it. */
  version(name: string, version: string | null, signal: AbortSignal): Promise<Told<Listing | null>> {
    const address = versionAddress(this.address, name, version ?? LATEST);
    return this.#ask(address, (body) => readListing(body, { name, version }, this.place), signal, REGISTRY_ANSWER_MS);
  }

  async #pages(addressOf: (cursor: string | null) => string, signal: AbortSignal): Promise<Told<Listings>> {
    const endsAt = performance.now() + REGISTRY_QUESTION_MS;
    const walk = new Walk(this.place, this.#ports.now());
    for (let page = 0; page < REGISTRY_PAGES_MAX; page++) {
      const leftMs = Math.ceil(Math.min(REGISTRY_ANSWER_MS, endsAt - performance.now()));
      if (leftMs <= 0) break;
      let told: Told<Page | null>;
      try {
        told = await this.#ask(addressOf(walk.cursor), (body) => readPage(body, this.place), signal, leftMs);
      } catch (thrown) {
        if (page === 0 || !isFault(thrown)) throw thrown;
        walk.warnings.add(`only the first part of what ${this.place} has: ${thrown.message}`);
        break;
      }
      if (!walk.take(told)) break;
    }
    return walk.told();
  }

  /** Null when the registry says that there is no such thing. */
  async #ask<T>(
    address: string,
    read: (body: unknown) => T,
    signal: AbortSignal,
    answerMs: number,
  ): Promise<Told<T | null>> {
    const { fetch, kept, now } = this.#ports;
    const old = await kept.read(address, now());
    if (old !== null && now() - old.at <= REGISTRY_FRESH_MS) return toldOf(read(old.body), old.at);
    try {
      const exchanged = await askRegistry(fetch, address, signal, answerMs);
      if (exchanged.kind === 'nothing') {
        await kept.forget(address);
        return toldOf(null, now());
      }
      const value = read(exchanged.body);
      return toldOf(value, now(), await this.#keep(address, { at: now(), body: exchanged.body }));
    } catch (thrown) {
      if (old === null || !isFault(thrown)) throw thrown;
      return { ...toldOf(read(old.body), old.at), fault: thrown };
    }
  }

  /** Warnings: an answer that cannot be kept is an answer. */
  async #keep(address: string, answer: KeptAnswer): Promise<string[]> {
    try {
      await this.#ports.kept.keep(address, answer);
      return [];
    } catch (thrown) {
      const why = errnoOf(thrown) ?? String(thrown);
      return [`the answer of ${this.place} cannot be kept for when it is offline (${why})`];
    }
  }
}

// — internal —

/** Of the way there and of the registry itself: an older answer serves in their place. */
function isFault(thrown: unknown): thrown is McpdError {
  return thrown instanceof McpdError && (thrown.code === 'FETCH_FAILED' || thrown.code === 'PROXY_FAILED');
}

function toldOf<T>(value: T, at: number, warnings: string[] = []): Told<T> {
  return { value, at, fault: null, warnings };
}

/** What the pages of one question come to. */
class Walk {
  cursor: string | null = null;
  readonly warnings = new Set<string>();
  readonly #place: string;
  readonly #listings: Listing[] = [];
  readonly #cursors = new Set<string>();
  #at: number;
  #fault: McpdError | null = null;
  #passedOver = 0;

  constructor(place: string, at: number) {
    this.#place = place;
    this.#at = at;
  }

  /** False: there is no further page to ask for. */
  take({ value, at, fault, warnings }: Told<Page | null>): boolean {
    this.#at = Math.min(this.#at, at);
    this.#fault ??= fault;
    for (const warning of warnings) this.warnings.add(warning);
    this.#listings.push(...(value?.listings ?? []));
    this.#passedOver += value?.passedOver ?? 0;
    this.cursor = value?.nextCursor ?? null;
    if (this.cursor === null) return false;
    if (this.#cursors.has(this.cursor)) {
      this.cursor = null;
      this.warnings.add(`the pages of ${this.#place} lead in a circle, and each was read once`);
      return false;
    }
    this.#cursors.add(this.cursor);
    return true;
  }

  told(): Told<Listings> {
    const warnings = [...this.warnings];
    if (this.#passedOver > 0)
      warnings.push(
        `${this.#passedOver} of the servers of ${this.#place} are left out, since their names or versions cannot be right`,
      );
    const value = { listings: this.#listings, hasMore: this.cursor !== null };
    return { value, at: this.#at, fault: this.#fault, warnings };
  }
}
