import type { CompletionRequest, ServerOffer } from '../../src/api/contract/offers.ts';
import type { TryAnswer, TryEvent, TryRequest } from '../../src/api/contract/tries.ts';
import type { OffersControl } from '../../src/api/offers-control.ts';

type Trying = (tell: (event: TryEvent) => void, signal: AbortSignal) => Promise<void>;

/** What a server offers that is not there; a try of it goes as a test says. */
export class PlainOffers implements OffersControl {
  /** What a try does after it was asked. */
  trying: Trying = async (tell) =>
    tell({ type: 'result', result: '{}', isCut: false, bytes: 2, isError: false, durationMs: 1 });
  offer: ServerOffer = {
    lists: { tools: [], prompts: [], resources: [], templates: [] },
    completes: false,
    isWhole: true,
  };
  readonly #check: (server: string) => void;
  readonly #asked: string[];

  /** @param check throws for a server that is not known */
  constructor(check: (server: string) => void, asked: string[]) {
    this.#check = check;
    this.#asked = asked;
  }

  of(server: string): ServerOffer {
    this.#check(server);
    return this.offer;
  }

  async readAnew(server: string): Promise<ServerOffer> {
    this.#asked.push(`read anew ${server}`);
    return this.of(server);
  }

  async complete(server: string, request: CompletionRequest) {
    this.#check(server);
    this.#asked.push(`complete ${server} ${JSON.stringify(request)}`);
    return { values: [request.value], hasMore: false };
  }

  async try(server: string, request: TryRequest, tell: (event: TryEvent) => void, signal: AbortSignal) {
    this.#check(server);
    this.#asked.push(`try ${server} ${JSON.stringify(request)}`);
    await this.trying(tell, signal);
  }

  async answer(id: string, question: string, answer: TryAnswer) {
    this.#asked.push(`answer ${id} ${question} ${JSON.stringify(answer)}`);
  }
}
