import type { Completion, CompletionRequest, ServerOffer } from '../api/contract/offers.ts';
import type { TryAnswer, TryEvent, TryRequest } from '../api/contract/tries.ts';
import type { OffersControl } from '../api/offers-control.ts';
import type { ServerStatus } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import type { Parts } from './parts.ts';
import { knownServer } from './server-control.ts';
import { maskedEvent } from './try-masking.ts';
import { offerOf } from './views.ts';

/** What servers offer, carried out by the daemon's parts. */
export class Offers implements OffersControl {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  of(server: string): ServerOffer {
    this.#known(server);
    const { lists, ...offer } = offerOf(this.#parts.gateway, server);
    const mask = this.#parts.masks.of(server);
    const entries = Object.entries(lists).map(([kind, list]) => [
      kind,
      list.map((one) => ({ ...one, json: mask(one.json) })),
    ]);
    return { ...offer, lists: { ...lists, ...Object.fromEntries(entries) } };
  }

  async readAnew(server: string, signal: AbortSignal): Promise<ServerOffer> {
    if (!this.#known(server).enabled)
      throw new McpdError('SERVER_DISABLED', { what: `${server} is disabled`, fix: `mcpd enable ${server}` });
    await this.#parts.installs.readAnew(server, signal);
    return this.of(server);
  }

  async complete(server: string, request: CompletionRequest, signal: AbortSignal): Promise<Completion> {
    this.#known(server);
    return (await this.#parts.hosts.tries()).complete(server, request, signal);
  }

  async try(server: string, request: TryRequest, tell: (event: TryEvent) => void, signal: AbortSignal): Promise<void> {
    this.#known(server);
    await (await this.#parts.hosts.tries()).run(
      server,
      request,
      (event) => tell(maskedEvent(event, this.#parts.masks.of(server))),
      signal,
    );
  }

  async answer(id: string, question: string, answer: TryAnswer): Promise<void> {
    (await this.#parts.hosts.tries()).answer(id, question, answer);
  }

  #known(server: string): ServerStatus {
    return knownServer(this.#parts.gateway, server);
  }
}
