import type { Completion, CompletionRequest, ServerOffer } from './contract/offers.ts';
import type { TryAnswer, TryEvent, TryRequest } from './contract/tries.ts';

/** What servers offer, and a person who tries it. All throw SERVER_UNKNOWN, with the closest names. */
export interface OffersControl {
  of(server: string): ServerOffer;
  /** Starts the server for it; an aborted `signal` calls it off. @throws McpdError SERVER_DISABLED, SERVER_START_FAILED and the like */
  readAnew(server: string, signal: AbortSignal): Promise<ServerOffer>;
  /** @throws McpdError as a call does, TRIES_FULL */
  complete(server: string, request: CompletionRequest, signal: AbortSignal): Promise<Completion>;
  /** Resolves after the last event was given to `tell`; an aborted `signal` cancels the call. @throws McpdError TRIES_FULL */
  try(server: string, request: TryRequest, tell: (event: TryEvent) => void, signal: AbortSignal): Promise<void>;
  /** @throws McpdError TRY_UNKNOWN when nobody waits for that answer (any more) */
  answer(id: string, question: string, answer: TryAnswer): Promise<void>;
}
