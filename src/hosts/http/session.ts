import type { ServerResponse } from 'node:http';
import type { Scope } from '../../core/model.ts';
import { HTTP_RESUME_AFTER_MS, HTTP_SESSION_IDLE_MS, HTTP_STREAMS_MAX } from '../../http-limits.ts';
import { BATCH_ANSWERS_BYTES_MAX, BATCH_ELEMENTS_MAX, JSON_DEPTH_MAX } from '../../limits.ts';
import { openBatch } from '../../protocol/batch.ts';
import { join } from '../../protocol/bytes.ts';
import type { BatchLine, Bytes, Frame, RawId } from '../../protocol/frame.ts';
import { errorText } from '../../protocol/jsonrpc.ts';
import { member, text } from '../../protocol/members.ts';
import { featuresOf } from '../../protocol/revisions.ts';
import type { MessageClass } from '../outbox.ts';
import { type Form, formOf } from './admission.ts';
import type { Guest, Sink, Wire } from './door.ts';
import { Exchange } from './exchange.ts';
import { EventTrack, KeptEvents, readEventId } from './kept-events.ts';
import { OpenRequests } from './open-requests.ts';
import { badRequest, idInUse, type Problem } from './problem.ts';
import { type Headers, respondEmpty, respondJson, respondProblem } from './respond.ts';
import { StandingStreams } from './standing-streams.ts';

/** A session of a legacy host: its open POSTs, its GET streams, and what it may still ask for. */
export class HttpSession implements Sink {
  /** What the host calls it by. */
  readonly id: string;
  readonly client: string;
  readonly scope: Scope;
  readonly #wire: Wire;
  readonly #kept = new KeptEvents();
  readonly #open = new OpenRequests();
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
      return respondEmpty(outgoing, 202, headers);
    }
    const { id, method } = envelope;
    if (this.#open.has(id)) return respondProblem(outgoing, idInUse(id), headers, { id });
    this.#open.add(id, this.#exchange(id, method, outgoing, formOf(head.accept) ?? 'json', headers), null);
    this.#report(frame);
  }

  /** An array of messages: null when it is taken, which hosts of one revision may expect. */
  takeBatch({ outgoing, head, headers }: Guest, line: BatchLine): Problem | null {
    if (this.#protocolVersion === null || !featuresOf(this.#protocolVersion).batches)
      return badRequest('batches are not part of the revision of this session; send one message per request');
    const now = this.#wire.now();
    this.#usedAt = now;
    const batch = openBatch(line, BATCH_BOUNDS);
    if (!('frames' in batch)) {
      respondJson(outgoing, 400, batch, headers, null);
      return null;
    }
    const exchange = this.#exchange('null', 'batch', outgoing, formOf(head.accept) ?? 'json', headers);
    const frames = batch.frames.filter(({ envelope }) => {
      if (envelope.kind !== 'request') return true;
      const { id } = envelope;
      const { code, message } = idInUse(id);
      const isFree = !this.#open.has(id);
      if (isFree) this.#open.add(id, exchange, batch.answers);
      else batch.answers.add(id, [Buffer.from(errorText(id, code, message))]);
      return isFree;
    });
    const refusals = batch.answers.take();
    if (refusals !== null) exchange.answer(refusals, 400, now);
    else if (!this.#open.exchanges().has(exchange)) exchange.callOff();
    for (const frame of frames) this.#report(frame);
    return null;
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
    if (kind === 'answer' && id !== null) return this.#answer(id, bytes, now);
    const exchange = about === null ? undefined : this.#open.exchangeOf(about);
    if (exchange?.tell(bytes, kind, id, now)) return;
    if (this.#streams.tell(bytes, kind, id, now) || kind !== 'question' || id === null) return;
    this.#wire.report({ type: 'host-deaf', at: now, session: this.#wire.session, question: id });
  }

  end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const now = this.#wire.now();
    this.#open.end(reason, now);
    this.#streams.end();
    this.#wire.over();
    this.#wire.report({ type: 'host-closed', at: now, session: this.#wire.session });
  }

  drain(): void {
    // What is open is still answered; the streams end with the session.
  }

  look(now: number): void {
    for (const exchange of this.#open.exchanges()) exchange.look(now);
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

  #exchange(id: RawId, method: string, outgoing: ServerResponse, form: Form, headers: Headers): Exchange {
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
    const { session, report, now } = this.#wire;
    report({ type: 'host-message', at: now(), session, frame });
    const id = calledOff(frame);
    // The core answers no request that its host called off.
    if (id !== null) this.#open.callOff(id, now());
  }

  #answer(id: RawId, bytes: Bytes, now: number): void {
    this.#usedAt = now;
    if (this.#open.exchangeOf(id)?.method !== 'initialize') {
      this.#open.answer(id, bytes, now);
      return;
    }
    this.#protocolVersion = agreedRevision(bytes);
    const isAgreed = this.#protocolVersion !== null;
    this.#open.answer(id, bytes, now, isAgreed ? ['mcp-session-id', this.id] : []);
    if (!isAgreed) this.end('the handshake failed');
  }

  #resume(outgoing: ServerResponse, lastEventId: string, headers: Headers, now: number): Problem | null {
    const seen = readEventId(lastEventId);
    if (seen === null || seen.stream > this.#trackCount)
      return badRequest('this event id was not given by this session');
    const exchange = [...this.#open.exchanges()].find(({ streamNumber }) => streamNumber === seen.stream);
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

/** The raw id of the request that this message calls off, or null. */
function calledOff({ bytes, envelope }: Frame): RawId | null {
  if (envelope.kind !== 'notification' || envelope.method !== 'notifications/cancelled') return null;
  const whole = join(bytes);
  const id = envelope.params === null ? null : member(whole, envelope.params, 'requestId');
  return id === null ? null : text(whole, id);
}

const BATCH_BOUNDS = {
  depthMax: JSON_DEPTH_MAX,
  elementsMax: BATCH_ELEMENTS_MAX,
  answersBytesMax: BATCH_ANSWERS_BYTES_MAX,
};
