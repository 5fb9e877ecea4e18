import type { ServerResponse } from 'node:http';
import type { Scope } from '../../core/model.ts';
import { HTTP_RESUME_AFTER_MS, HTTP_SESSION_IDLE_MS, HTTP_STREAMS_MAX } from '../../http-limits.ts';
import { idKey, join } from '../../protocol/bytes.ts';
import type { Bytes, Envelope, Frame, RawId } from '../../protocol/frame.ts';
import { errorText, INTERNAL_ERROR } from '../../protocol/jsonrpc.ts';
import { member, text } from '../../protocol/members.ts';
import { featuresOf } from '../../protocol/revisions.ts';
import type { MessageClass } from '../outbox.ts';
import { type Form, formOf } from './admission.ts';
import type { Guest, Sink, Wire } from './door.ts';
import { Exchange } from './exchange.ts';
import { EventTrack, KeptEvents, readEventId } from './kept-events.ts';
import { badRequest, idInUse, type Problem } from './problem.ts';
import { respondEmpty, respondProblem } from './respond.ts';
import { StandingStreams } from './standing-streams.ts';

type Request = Extract<Envelope, { kind: 'request' }>;

/** A session of a legacy host: its open POSTs, its GET streams, and what it may still ask for. */
export class HttpSession implements Sink {
  /** What the host calls it by. */
  readonly id: string;
  readonly client: string;
  readonly scope: Scope;
  readonly #wire: Wire;
  readonly #kept = new KeptEvents();
  readonly #open = new Map<string, Exchange>();
  readonly #streams: StandingStreams;
  #trackCount = 0;
  #protocolVersion: string | null = null;
  #usedAt: number;
  #isOver = false;

  constructor(id: string, client: string, scope: Scope, wire: Wire) {
    this.id = id;
    this.client = client;
    this.scope = scope;
    this.#wire = wire;
    this.#usedAt = wire.now();
    this.#streams = new StandingStreams(() => this.#newTrack());
  }

  /** Monotonic milliseconds since which nothing is open; null while something is. */
  get idleSince(): number | null {
    return this.#open.size > 0 || this.#streams.count > 0 ? null : this.#usedAt;
  }

  /** One message of the host. */
  take({ outgoing, head, headers }: Guest, frame: Frame): void {
    this.#usedAt = this.#wire.now();
    const { envelope } = frame;
    if (envelope.kind !== 'request') {
      this.#report(frame);
      if (envelope.kind === 'notification') this.#callOff(frame, envelope);
      return respondEmpty(outgoing, 202, headers);
    }
    const key = idKey(envelope.id);
    if (this.#open.has(key)) return respondProblem(outgoing, idInUse(envelope.id), headers);
    this.#open.set(key, this.#exchange(envelope, outgoing, formOf(head.accept) ?? 'json', headers));
    this.#report(frame);
  }

  /** A GET: a stream for what belongs to no request, or one that goes on where it broke. */
  listen({ outgoing, head, headers }: Guest): void {
    const now = this.#wire.now();
    this.#usedAt = now;
    if (head.lastEventId !== null) {
      const problem = this.#resume(outgoing, head.lastEventId, headers, now);
      if (problem !== null) respondProblem(outgoing, problem, headers);
    } else if (this.#streams.count >= HTTP_STREAMS_MAX) {
      const message = `this session has ${HTTP_STREAMS_MAX} streams open already`;
      respondProblem(outgoing, { ...badRequest(message), status: 409 }, headers);
    } else {
      const retryMs = this.#primes() ? HTTP_RESUME_AFTER_MS : null;
      this.#streams.open(outgoing, headers, retryMs, now);
    }
  }

  send(bytes: Bytes, kind: MessageClass, id: RawId | null, about: RawId | null): void {
    const now = this.#wire.now();
    if (kind === 'answer' && id !== null) return this.#answer(bytes, idKey(id), now);
    const exchange = about === null ? undefined : this.#open.get(idKey(about));
    if (exchange?.tell(bytes, kind, id, now)) return;
    if (this.#streams.tell(bytes, kind, id, now) || kind !== 'question' || id === null) return;
    this.#wire.report({ type: 'host-deaf', at: now, session: this.#wire.session, question: id });
  }

  end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const now = this.#wire.now();
    for (const exchange of this.#open.values())
      exchange.answer([Buffer.from(errorText(exchange.id, INTERNAL_ERROR, reason))], 200, now);
    this.#open.clear();
    this.#streams.end();
    this.#wire.over();
    this.#wire.report({ type: 'host-closed', at: now, session: this.#wire.session });
  }

  drain(): void {
    // What is open is still answered; the streams end with the session.
  }

  look(now: number): void {
    for (const exchange of this.#open.values()) exchange.look(now);
    this.#streams.look(now);
    const { idleSince } = this;
    if (idleSince !== null && now - idleSince >= HTTP_SESSION_IDLE_MS) this.end('the session was idle for too long');
  }

  // — internal —

  /** Whether its host knows events without data. */
  #primes(): boolean {
    return this.#protocolVersion !== null && featuresOf(this.#protocolVersion).primedStreams;
  }

  #newTrack(): EventTrack {
    return new EventTrack(this.#kept, ++this.#trackCount);
  }

  #exchange({ id, method }: Request, outgoing: ServerResponse, form: Form, headers: Guest['headers']): Exchange {
    const exchange = new Exchange({
      id,
      method,
      outgoing,
      form,
      headers,
      newTrack: () => this.#newTrack(),
      primes: this.#primes(),
      now: this.#wire.now(),
    });
    // A legacy host that hangs up has not called anything off.
    outgoing.once('close', () => exchange.left(outgoing));
    return exchange;
  }

  #report(frame: Frame): void {
    this.#wire.report({ type: 'host-message', at: this.#wire.now(), session: this.#wire.session, frame });
  }

  #answer(bytes: Bytes, key: string, now: number): void {
    const exchange = this.#open.get(key);
    if (exchange === undefined) return;
    this.#open.delete(key);
    this.#usedAt = now;
    if (exchange.method !== 'initialize') return exchange.answer(bytes, 200, now);
    this.#protocolVersion = agreedRevision(bytes);
    if (this.#protocolVersion !== null) return exchange.answer(bytes, 200, now, ['mcp-session-id', this.id]);
    exchange.answer(bytes, 200, now);
    this.end('the handshake failed');
  }

  /** The core answers no request that its host called off, so its POST ends here. */
  #callOff({ bytes }: Frame, { method, params }: Extract<Envelope, { kind: 'notification' }>): void {
    if (method !== 'notifications/cancelled' || params === null) return;
    const whole = join(bytes);
    const id = member(whole, params, 'requestId');
    const key = id === null ? '' : idKey(text(whole, id));
    const exchange = this.#open.get(key);
    if (exchange === undefined || exchange.method === 'initialize') return;
    this.#open.delete(key);
    exchange.callOff();
  }

  #resume(outgoing: ServerResponse, lastEventId: string, headers: Guest['headers'], now: number): Problem | null {
    const seen = readEventId(lastEventId);
    if (seen === null || seen.stream > this.#trackCount)
      return badRequest('this event id was not given by this session');
    const exchange = [...this.#open.values()].find(({ streamNumber }) => streamNumber === seen.stream);
    if (exchange === undefined) {
      const missed = this.#kept.after(seen.stream, seen.place);
      this.#streams.resume(outgoing, headers, { stream: seen.stream, missed }, now);
      return null;
    }
    exchange.resume(outgoing, headers, seen.place, now);
    outgoing.once('close', () => exchange.left(outgoing));
    return null;
  }
}

// — internal —

/** The revision in an answer to `initialize`, or null when that is an error. */
function agreedRevision(answer: Bytes): string | null {
  const message: unknown = JSON.parse(Buffer.from(join(answer)).toString());
  const revision = (message as { result?: { protocolVersion?: unknown } }).result?.protocolVersion;
  return typeof revision === 'string' ? revision : null;
}
