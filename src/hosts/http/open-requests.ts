import type { BatchAnswers } from '../../protocol/batch-answers.ts';
import { idKey } from '../../protocol/bytes.ts';
import type { Bytes, RawId } from '../../protocol/frame.ts';
import { errorText, INTERNAL_ERROR } from '../../protocol/jsonrpc.ts';
import type { Exchange } from './exchange.ts';

interface OpenRequest {
  exchange: Exchange;
  /** Gathers its answer with those of its batch, which go back together. */
  batch: BatchAnswers | null;
}

/** The unanswered requests of a session, and the POSTs in which they came: several in one, if it was a batch. */
export class OpenRequests {
  readonly #open = new Map<string, OpenRequest>();

  get size(): number {
    return this.#open.size;
  }

  has(id: RawId): boolean {
    return this.#open.has(idKey(id));
  }

  add(id: RawId, exchange: Exchange, batch: BatchAnswers | null): void {
    this.#open.set(idKey(id), { exchange, batch });
  }

  /** The POST of this request. */
  exchangeOf(id: RawId): Exchange | undefined {
    return this.#open.get(idKey(id))?.exchange;
  }

  exchanges(): Set<Exchange> {
    return new Set([...this.#open.values()].map(({ exchange }) => exchange));
  }

  /** Answers the POST, as far as nothing else of it is open; `headers` go with a single answer. False: nobody asked. */
  answer(id: RawId, bytes: Bytes, now: number, headers: readonly string[] = []): boolean {
    const found = this.#take(id);
    if (found === undefined) return false;
    const { exchange, batch } = found;
    if (batch === null) {
      exchange.answer(bytes, 200, now, headers);
    } else {
      batch.add(id, bytes);
      finish(exchange, batch, now);
    }
    return true;
  }

  /** The host called it off, and no answer will come. */
  callOff(id: RawId, now: number): void {
    if (this.exchangeOf(id)?.method === 'initialize') return;
    const found = this.#take(id);
    if (found === undefined) return;
    found.batch?.drop();
    if (found.batch === null) found.exchange.callOff();
    else finish(found.exchange, found.batch, now);
  }

  /** The session ends. */
  end(reason: string, now: number): void {
    // The key of an id is one of its spellings, and as good as the host's own.
    for (const key of [...this.#open.keys()])
      this.answer(key, [Buffer.from(errorText(key, INTERNAL_ERROR, reason))], now);
  }

  #take(id: RawId): OpenRequest | undefined {
    const key = idKey(id);
    const found = this.#open.get(key);
    this.#open.delete(key);
    return found;
  }
}

// — internal —

function finish(exchange: Exchange, batch: BatchAnswers, now: number): void {
  const all = batch.take();
  if (all !== null) exchange.answer(all, 200, now);
}
