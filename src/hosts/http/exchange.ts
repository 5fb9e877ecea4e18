import type { ServerResponse } from 'node:http';
import { HTTP_KEEP_ALIVE_MS, HTTP_RESUME_AFTER_MS, HTTP_STREAM_AFTER_MS } from '../../http-limits.ts';
import type { Bytes, RawId } from '../../protocol/frame.ts';
import type { MessageClass } from '../outbox.ts';
import type { Form } from './admission.ts';
import { EventStream } from './event-stream.ts';
import type { EventTrack } from './kept-events.ts';
import { type Headers, respondEmpty, respondJson } from './respond.ts';

export interface ExchangeWay {
  /** Raw id of the request, and its method. */
  id: RawId;
  method: string;
  outgoing: ServerResponse;
  form: Form;
  headers: Headers;
  /** Makes what numbers and keeps its events, once it is a stream; null when nobody can resume it. */
  newTrack: (() => EventTrack) | null;
  /** Its client knows events without data. */
  primes: boolean;
  now: number;
}

/**
 * One POST and the way to its answer. It begins as JSON, and becomes a stream when something has to be said before the answer, or when
 * the answer takes long. A client that hung up may come back for a stream whose events have ids.
 */
export class Exchange {
  readonly id: RawId;
  readonly method: string;
  readonly #newTrack: (() => EventTrack) | null;
  readonly #form: Form;
  readonly #headers: Headers;
  readonly #primes: boolean;
  readonly #since: number;
  /** Null: the client has hung up. */
  #outgoing: ServerResponse | null;
  #stream: EventStream | null = null;
  #track: EventTrack | null = null;
  /** Its client has seen an event id. */
  #isResumable = false;

  constructor({ id, method, outgoing, form, headers, newTrack, primes, now }: ExchangeWay) {
    this.id = id;
    this.method = method;
    this.#newTrack = newTrack;
    this.#outgoing = outgoing;
    this.#form = form;
    this.#headers = headers;
    this.#primes = primes;
    this.#since = now;
  }

  /** Number of its stream in the session; null when it has none that could be resumed. */
  get streamNumber(): number | null {
    return this.#track?.stream ?? null;
  }

  /** A notice, a question, or the acknowledgement of a listen. False: it cannot be put here. */
  tell(bytes: Bytes, kind: MessageClass, id: RawId | null, now: number): boolean {
    if (this.#outgoing === null) {
      if (!this.#isResumable || this.#track === null) return false;
      this.#track.next(bytes);
      return true;
    }
    if (this.#stream === null && this.#form === 'json') return false;
    return this.#put(this.#streamed(this.#outgoing, now), bytes, kind, id, now) === 'taken';
  }

  /** The end of it. `headers` go out if nothing was said before. */
  answer(bytes: Bytes, status: number, now: number, headers: Headers = []): void {
    const outgoing = this.#outgoing;
    if (outgoing === null) {
      if (this.#isResumable) this.#track?.next(bytes);
    } else if (this.#stream === null && (this.#form !== 'stream' || status !== 200)) {
      // A stream has no status of its own for what went wrong.
      respondJson(outgoing, status, bytes, [...headers, ...this.#headers], this.id);
    } else {
      const stream = this.#streamed(outgoing, now, headers);
      this.#put(stream, bytes, 'answer', this.id, now);
      stream.end();
    }
    this.#outgoing = null;
  }

  /** Its client called it off: nobody waits for an answer, and there will be none. */
  callOff(): void {
    if (this.#stream !== null) this.#stream.end();
    else if (this.#outgoing !== null) respondEmpty(this.#outgoing, 202, this.#headers);
    this.#outgoing = null;
  }

  /** This response is not read any more. */
  left(outgoing: ServerResponse): void {
    if (this.#outgoing !== outgoing) return;
    this.#outgoing = null;
    this.#stream = null;
  }

  /** The client is back with another request, and has seen what came up to `place`. */
  resume(outgoing: ServerResponse, headers: Headers, place: number, now: number): void {
    this.#stream?.end();
    this.#outgoing = outgoing;
    this.#stream = new EventStream(outgoing, headers, now);
    this.#stream.replay(this.#track?.missedAfter(place) ?? [], now);
  }

  look(now: number): void {
    if (this.#outgoing === null) return;
    if (this.#stream !== null) {
      if (now - this.#stream.writtenAt >= HTTP_KEEP_ALIVE_MS) this.#stream.keepAlive(now);
    } else if (this.#form !== 'json' && now - this.#since >= HTTP_STREAM_AFTER_MS) {
      this.#streamed(this.#outgoing, now).keepAlive(now);
    }
  }

  #streamed(outgoing: ServerResponse, now: number, headers: Headers = []): EventStream {
    if (this.#stream !== null) return this.#stream;
    const stream = new EventStream(outgoing, [...headers, ...this.#headers], now);
    this.#stream = stream;
    this.#track = this.#newTrack?.() ?? null;
    if (this.#track !== null && this.#primes) {
      stream.prime(this.#track.start, HTTP_RESUME_AFTER_MS, now);
      this.#isResumable = true;
    }
    return stream;
  }

  #put(stream: EventStream, bytes: Bytes, kind: MessageClass, id: RawId | null, now: number): 'taken' | 'dropped' {
    const event = this.#track?.next(bytes) ?? null;
    if (event !== null) this.#isResumable = true;
    return stream.message(bytes, kind, id, event, now);
  }
}
