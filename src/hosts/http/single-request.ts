import { join } from '../../protocol/bytes.ts';
import type { Bytes, Frame, RawId } from '../../protocol/frame.ts';
import { errorText, INTERNAL_ERROR, resultText } from '../../protocol/jsonrpc.ts';
import { SUBSCRIPTION_ID_KEY } from '../../protocol/meta.ts';
import type { MessageClass } from '../outbox.ts';
import { statusOf } from './answer-status.ts';
import type { Sink, Wire } from './door.ts';
import type { Exchange } from './exchange.ts';

/** A request that is a session of its own: it ends with its answer, or when its client hangs up, which cancels it. */
export class SingleRequest implements Sink {
  readonly client: string;
  readonly #exchange: Exchange;
  readonly #wire: Wire;
  readonly #era: 'legacy' | 'modern';
  #isOver = false;

  constructor(client: string, exchange: Exchange, era: 'legacy' | 'modern', wire: Wire) {
    this.client = client;
    this.#exchange = exchange;
    this.#era = era;
    this.#wire = wire;
  }

  begin(frame: Frame): void {
    this.#wire.report({ type: 'host-message', at: this.#wire.now(), session: this.#wire.session, frame });
  }

  send(bytes: Bytes, kind: MessageClass, id: RawId | null, about: RawId | null): void {
    if (this.#isOver) return;
    const { report, now, session } = this.#wire;
    if (kind === 'answer' && !this.#isAcknowledgement(bytes)) {
      const status = this.#era === 'modern' ? statusOf(bytes) : 200;
      this.#exchange.answer(bytes, status, now());
      this.#end();
    } else if (kind === 'question') {
      if (id === null || this.#exchange.tell(bytes, kind, id, now())) return;
      report({ type: 'host-deaf', at: now(), session, question: id });
    } else if (about !== null) {
      // A client that reads no streams hears nothing before its answer.
      this.#exchange.tell(bytes, kind, id, now());
    }
  }

  /** The client has hung up. */
  left(): void {
    if (!this.#isOver) this.#end();
  }

  end(reason: string): void {
    if (this.#isOver) return;
    if (this.#isListen()) return this.drain();
    this.#exchange.answer([Buffer.from(errorText(this.#exchange.id, INTERNAL_ERROR, reason))], 200, this.#wire.now());
    this.#end();
  }

  drain(): void {
    if (this.#isOver || !this.#isListen()) return;
    const { id } = this.#exchange;
    const closing = resultText(id, `{"resultType":"complete","_meta":{"${SUBSCRIPTION_ID_KEY}":${id}}}`);
    this.#exchange.answer([Buffer.from(closing)], 200, this.#wire.now());
    this.#end();
  }

  look(now: number): void {
    this.#exchange.look(now);
  }

  #isListen(): boolean {
    return this.#era === 'modern' && this.#exchange.method === 'subscriptions/listen';
  }

  /** The core sends it as what must arrive, before everything else on a listen. */
  #isAcknowledgement(bytes: Bytes): boolean {
    return this.#isListen() && Buffer.from(join(bytes)).includes('"method":"notifications/subscriptions/acknowledged"');
  }

  #end(): void {
    this.#isOver = true;
    this.#wire.over();
    this.#wire.report({ type: 'host-closed', at: this.#wire.now(), session: this.#wire.session });
  }
}
