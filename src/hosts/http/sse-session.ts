import type { Scope } from '../../core/model.ts';
import { HTTP_KEEP_ALIVE_MS } from '../../http-limits.ts';
import type { Bytes, Frame, RawId } from '../../protocol/frame.ts';
import type { MessageClass } from '../outbox.ts';
import type { Guest, Sink, Wire } from './door.ts';
import { EventStream } from './event-stream.ts';

/**
 * A session of the first revision's HTTP+SSE: one stream carries everything to the host, which posts its messages to an address that the
 * stream named first. It lasts as long as the stream.
 */
export class SseSession implements Sink {
  readonly id: string;
  readonly client: string;
  readonly scope: Scope;
  readonly #wire: Wire;
  readonly #stream: EventStream;
  #isOver = false;

  /** `address`: where the host posts to. */
  constructor(id: string, { outgoing, headers, client, scope }: Guest, address: string, wire: Wire) {
    this.id = id;
    this.client = client;
    this.scope = scope;
    this.#wire = wire;
    this.#stream = new EventStream(outgoing, headers, wire.now());
    this.#stream.event('endpoint', address, wire.now());
    outgoing.once('close', () => this.#close());
  }

  take(frame: Frame): void {
    this.#wire.report({ type: 'host-message', at: this.#wire.now(), session: this.#wire.session, frame });
  }

  send(bytes: Bytes, kind: MessageClass, id: RawId | null): void {
    if (this.#isOver) return;
    const now = this.#wire.now();
    const fate = this.#stream.message(bytes, kind, id, null, now);
    if (fate === 'dropped' && kind === 'question' && id !== null)
      this.#wire.report({ type: 'host-deaf', at: now, session: this.#wire.session, question: id });
  }

  end(): void {
    this.#stream.end();
    this.#close();
  }

  drain(): void {
    // What is open is still answered; the stream ends with the session.
  }

  look(now: number): void {
    if (now - this.#stream.writtenAt >= HTTP_KEEP_ALIVE_MS) this.#stream.keepAlive(now);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wire.over();
    this.#wire.report({ type: 'host-closed', at: this.#wire.now(), session: this.#wire.session });
  }
}
