import type { IncomingHttpHeaders } from 'node:http';
import { join } from '../../protocol/bytes.ts';
import type { Frame, RawId } from '../../protocol/frame.ts';
import type { Noise } from '../../protocol/framing.ts';
import { text } from '../../protocol/members.ts';
import { REMOTE_LINGER_MS } from '../../remote-limits.ts';
import { readBody } from './body.ts';
import { EventStream } from './event-stream.ts';
import { RemoteFault } from './fault.ts';
import { FrameFeed } from './frame-feed.ts';
import { frameOf, type OutgoingRequest } from './outgoing.ts';
import type { HttpAnswer } from './sender.ts';

export interface ExchangeTakes {
  /** Messages on the request's own stream, its answer among them. */
  onFrame(frame: Frame, headers: IncomingHttpHeaders): void;
  /** `answered`: the request that it was to answer, where that is known. */
  onNoise(noise: Noise, answered: RawId | null): void;
}

/** One request from being sent to its answer, over as many HTTP answers as that takes. */
export class Exchange {
  readonly out: OutgoingRequest;
  /** Raised when the connection ends, or nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly events: EventStream;
  answered = false;
  /** So often it was sent again because of: too many requests, a lost session, headers that were missing. */
  readonly again = { rate: 0, session: 0, headers: 0 };
  readonly #cancel = new AbortController();
  readonly #closed: AbortSignal;
  readonly #onClosed = () => this.#cancel.abort();
  readonly #takes: ExchangeTakes;
  readonly #lineBytesMax: number;
  #headers: IncomingHttpHeaders = {};
  #timer: NodeJS.Timeout | null = null;
  #isTooLong = false;
  #eventFeed: FrameFeed | null = null;

  constructor(out: OutgoingRequest, lineBytesMax: number, closed: AbortSignal, takes: ExchangeTakes) {
    this.out = out;
    this.#takes = takes;
    this.#lineBytesMax = lineBytesMax;
    this.signal = this.#cancel.signal;
    this.#closed = closed;
    if (closed.aborted) this.#cancel.abort();
    else closed.addEventListener('abort', this.#onClosed, { once: true });
    this.events = new EventStream({
      eventBytesMax: lineBytesMax + EVENT_FIELDS_BYTES_MAX,
      onEvent: ({ type, data }) => type === 'message' && this.#event(data),
      onTooLong: () => this.#tooLong(),
    });
  }

  /** At once, or when a late answer has had its chance. */
  abandon(when: 'now' | 'soon'): void {
    if (when === 'now') this.#cancel.abort();
    else this.#timer ??= setTimeout(() => this.#cancel.abort(), REMOTE_LINGER_MS);
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#closed.removeEventListener('abort', this.#onClosed);
  }

  /** For a request of the connection's own: others wait for it, and nothing else bounds a stream that stays silent. */
  async within(timeoutMs: number, work: () => Promise<void>): Promise<void> {
    const late = setTimeout(() => this.abandon('now'), timeoutMs);
    try {
      await work();
    } finally {
      clearTimeout(late);
      this.end();
    }
  }

  /** Reads an answer with status 200. @throws {RemoteFault} */
  async read(answer: HttpAnswer, place: string, pauseMs: number): Promise<void> {
    this.#headers = answer.headers;
    const type = contentTypeOf(answer);
    if (type === 'application/json') return this.#readJson(answer, place, pauseMs);
    if (type === 'text/event-stream') return this.#readEvents(answer, place);
    answer.body.destroy();
    throw unexpectedType(answer.status, type, place);
  }

  async #readJson(answer: HttpAnswer, place: string, pauseMs: number): Promise<void> {
    const feed = this.#feed(this.out.id);
    let length = 0;
    const take = (chunk: Uint8Array) => {
      length += chunk.length;
      feed.push(chunk);
      return length > this.#lineBytesMax ? 'stop' : 'go-on';
    };
    await readBody(answer.body, { place, pauseMs, take });
    feed.end();
    if (this.answered) return;
    throw new RemoteFault('not_mcp', `${place} answered without an answer`, {
      why: length === 0 ? 'the body is empty' : 'what it sent is no answer to this request',
    });
  }

  /** Returns when the stream has ended, or its answer is there. */
  async #readEvents(answer: HttpAnswer, place: string): Promise<void> {
    const { body } = answer;
    let linger: NodeJS.Timeout | null = null;
    const take = (chunk: Uint8Array) => {
      this.events.push(chunk);
      if (this.answered) linger ??= setTimeout(() => body.destroy(), REMOTE_LINGER_MS);
      return this.#isTooLong ? 'stop' : 'go-on';
    };
    this.events.restart();
    try {
      await readBody(body, { place, pauseMs: null, take });
    } catch (thrown) {
      // How a stream ends behind its answer is nobody's concern.
      if (!this.answered) throw thrown;
    } finally {
      if (linger !== null) clearTimeout(linger);
    }
  }

  #event(data: Uint8Array): void {
    this.#eventFeed ??= this.#feed(null);
    this.#eventFeed.push(data);
    this.#eventFeed.end();
  }

  /** `answered`: what the noise in a body of its own must have been. */
  #feed(answered: RawId | null): FrameFeed {
    return new FrameFeed(this.#lineBytesMax, {
      onFrame: (frame) => this.#take(frame),
      onNoise: (noise) => {
        const meant = noise.asks ? null : (noise.id ?? answered);
        if (meant !== null && this.#isOwn(meant)) this.answered = true;
        this.#takes.onNoise(noise, meant);
      },
    });
  }

  #take(frame: Frame): void {
    const { envelope } = frame;
    const isAnswer = envelope.kind === 'result' || envelope.kind === 'error';
    if (!isAnswer) return this.#takes.onFrame(frame, this.#headers);
    // An error that names no request, on the stream of one.
    const named = envelope.kind === 'error' && envelope.id === null ? withId(frame, this.out.id) : frame;
    if (envelope.id === null || this.#isOwn(envelope.id)) this.answered = true;
    this.#takes.onFrame(named, this.#headers);
  }

  #isOwn(id: RawId): boolean {
    return id === this.out.id || id === `"${this.out.id}"`;
  }

  #tooLong(): void {
    this.#isTooLong = true;
    this.answered = true;
    const bytes = this.#lineBytesMax + 1;
    this.#takes.onNoise({ reason: 'too-long', id: this.out.id, asks: false, bytes, sample: EMPTY }, this.out.id);
  }
}

/** An error that answers this request, its bytes as they came. */
export function withId(frame: Frame, id: RawId): Frame {
  const { envelope } = frame;
  if (envelope.kind !== 'error') return frame;
  const error = text(join(frame.bytes), envelope.error);
  return frameOf([Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${error}}`)]);
}

export function contentTypeOf(answer: Pick<HttpAnswer, 'headers'>): string {
  return (answer.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function unexpectedType(status: number, type: string, place: string): RemoteFault {
  if (type === 'text/html') {
    const fix = 'is that the address of an MCP server? It often ends in /mcp or /sse';
    return new RemoteFault('not_mcp', `${place} answered with a web page`, {
      why: `${status}, text/html`,
      fix,
      status,
    });
  }
  const what =
    status === 202 || status === 204 ? 'took the request and gave no answer' : 'answered with something else';
  const why = `${status}, ${type === '' ? 'without a content type' : type.slice(0, 80)}`;
  return new RemoteFault('not_mcp', `${place} ${what}`, { why, status });
}

// — internal —

/** Ids, names and comments around the data of one event. */
const EVENT_FIELDS_BYTES_MAX = 4096;
const EMPTY = new Uint8Array(0);
