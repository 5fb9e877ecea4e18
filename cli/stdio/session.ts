/**
 * What a shim knows of its host's session: enough to bring it through the loss of its daemon. Pure: what it has to write itself gathers
 * in `toHost` and `toDaemon`.
 */
import { NOISE_ID_CHARS_MAX, SHIM_KEPT_LINE_BYTES_MAX } from '../../src/limits.ts';
import type { BatchAnswers } from '../../src/protocol/batch-answers.ts';
import { idKey } from '../../src/protocol/bytes.ts';
import type { BatchLine, Bytes, Frame, RawId } from '../../src/protocol/frame.ts';
import type { Noise } from '../../src/protocol/framing.ts';
import { headOf } from '../../src/protocol/gather.ts';
import { SUBSCRIPTION_ID_KEY } from '../../src/protocol/meta.ts';
import { encodeControl, type Resume } from '../../src/protocol/preamble.ts';
import { negotiateLegacy } from '../../src/protocol/revisions.ts';
import { type Cause, endedAnswer, idInUseAnswer, lostAnswer, unreachableAnswer, updatedNotice } from './answers.ts';
import { hostBatch } from './host-batch.ts';
import { type HostLine, hostLine, ownLine, parsedParams, stringParam } from './host-line.ts';
import { Questions } from './questions.ts';
import { Remembered } from './remembered.ts';
import { Renewals } from './renewals.ts';

const NOTHING: Bytes = [];
/** What the daemon's own refusals say; they are short. */
const UNSENT = /"data":\{[^{}]*"sent":false/;
const REFUSAL_BYTES_MAX = 4096;

export class Session {
  /** Lines for the host that nobody else sends; whoever calls this class writes and empties it. */
  readonly toHost: Bytes[] = [];
  /** The same for the daemon: answers in place of the host. */
  readonly toDaemon: HostLine[] = [];
  /** Of the host, not yet answered, in the order in which they came. */
  readonly #open = new Map<RawId, HostLine>();
  readonly #questions = new Questions();
  readonly #remembered = new Remembered();
  readonly #renewals = new Renewals();
  /** Listens that the host saw acknowledged. */
  readonly #acknowledged = new Set<RawId>();
  /** Listens that were made again: the host saw their acknowledgement before. */
  readonly #relistened = new Set<RawId>();

  /** What to send of a message of the host, or null. `batch` gathers the answers of the one in which it came. */
  fromHost(frame: Frame, batch: BatchAnswers | null = null): HostLine | null {
    const { envelope } = frame;
    const line = hostLine(frame, batch);
    switch (envelope.kind) {
      case 'request':
        if (this.#open.has(envelope.id)) {
          this.#reply(batch, envelope.id, idInUseAnswer(envelope.id));
          return null;
        }
        this.#open.set(envelope.id, line);
        return line;
      case 'notification':
        return envelope.method === 'notifications/cancelled' && this.#withdrawn(line) ? null : line;
      case 'result':
      case 'error':
        return envelope.id === null || this.#questions.answered(envelope.id) ? line : null;
    }
  }

  /**
   * A batch of the host. The daemon is sent its messages one by one, so that each can be held back, sent again or taken back as any
   * other; what makes them a batch is that their answers leave here together.
   */
  batch(line: BatchLine): HostLine[] {
    const batch = hostBatch(line, this.#revision);
    if (batch === null) return [this.noise({ reason: 'batch', id: null, asks: false })];
    if (!('frames' in batch)) {
      this.toHost.push(batch);
      return [];
    }
    const lines = batch.frames.map((frame) => this.fromHost(frame, batch.answers));
    this.#sayWhole(batch.answers);
    return lines.filter((one) => one !== null);
  }

  /** A line of the host that is no message: the daemon is told, and answers it. */
  noise({ reason, id, asks }: Pick<Noise, 'reason' | 'id' | 'asks'>): HostLine {
    const isNamed = asks && id !== null && id.length <= NOISE_ID_CHARS_MAX && !this.#open.has(id);
    const request = isNamed ? id : null;
    const line = ownLine(encodeControl({ word: 'noise', reason, id: request }), request);
    if (request !== null) this.#open.set(request, line);
    return line;
  }

  /** The line is complete in the daemon's socket. */
  handed(line: HostLine): void {
    line.stage = 'handed';
    if (line.method === 'notifications/initialized') this.#remembered.initialized = line;
    // Only a daemon that stops may give it back, so a long one is not kept for that.
    else if (line.request && !line.repeatable && line.length > SHIM_KEPT_LINE_BYTES_MAX) line.bytes = NOTHING;
  }

  /** An answer of the daemon; `line` is all of it. True: it goes to the host. */
  answered(id: RawId, ok: boolean, line: Bytes): boolean {
    const question = this.#open.get(id);
    if (question === undefined) {
      const uri = this.#renewals.answered(id, ok);
      if (uri !== null && this.#remembered.subscriptions.has(uri)) this.toHost.push(updatedNotice(uri, null));
      return false;
    }
    this.#open.delete(id);
    this.#acknowledged.delete(id);
    this.#relistened.delete(id);
    if (ok) this.#remembered.accepted(question, line);
    if (question.batch === null) return true;
    this.#reply(question.batch, id, line);
    return false;
  }

  /**
   * A refusal of a daemon that stops. When nothing was done for the request, the next daemon is asked instead: then what to send it, and
   * the host need not know. Null: the host must be told.
   */
  unsent(id: RawId, answer: Bytes): HostLine | null {
    const question = this.#open.get(id);
    if (
      question === undefined ||
      question.bytes === NOTHING ||
      !UNSENT.test(headOf(answer, REFUSAL_BYTES_MAX).toString())
    )
      return null;
    question.stage = 'held';
    return question;
  }

  /** Any other message of the daemon. True: it goes to the host. */
  fromDaemon(frame: Frame): boolean {
    const { envelope } = frame;
    if (envelope.kind === 'request') {
      const refusal = this.#questions.asked(envelope.id);
      if (refusal !== null) this.toDaemon.push(refusal);
      return refusal === null;
    }
    if (envelope.kind === 'notification') {
      const { method } = envelope;
      const about = { bytes: frame.bytes, params: envelope.params };
      if (method === 'notifications/cancelled') this.#questions.withdrawn(idIn(parsedParams(about)['requestId']));
      return method !== 'notifications/subscriptions/acknowledged' || this.#acknowledges(parsedParams(about));
    }
    return envelope.id === null || this.answered(envelope.id, envelope.kind === 'result', frame.bytes);
  }

  /** The daemon has gone. Answers what may have taken effect, and returns what the next daemon is sent first, in order. */
  lost(): HostLine[] {
    this.toHost.push(...this.#questions.lost());
    const again: HostLine[] = this.#renewals.begin(this.#remembered.subscriptions);
    for (const [id, line] of this.#open) {
      if (line.stage !== 'handed') continue;
      if (!line.repeatable) {
        this.#open.delete(id);
        this.#reply(line.batch, id, lostAnswer(id, line.method ?? 'request'));
        continue;
      }
      line.stage = 'held';
      again.push(line);
      if (line.method === 'initialize' && this.#remembered.initialized !== null) {
        again.push({ ...this.#remembered.initialized, stage: 'held' });
      }
      if (this.#acknowledged.has(id)) this.#relistened.add(id);
    }
    return again;
  }

  /** The facts for the next daemon; null when it need not know any. `digest` is sha-256, as hex. */
  resume(digest: (bytes: Bytes) => string): Resume | null {
    return this.#remembered.resume(digest);
  }

  /** Some request has not left the shim. */
  get waiting(): boolean {
    for (const line of this.#open.values()) if (line.stage === 'held') return true;
    return false;
  }

  /** Nothing is under way with the daemon, in either direction. */
  get quiet(): boolean {
    if (this.#questions.open) return false;
    for (const line of this.#open.values()) {
      if (line.stage === 'handed' && line.method !== 'subscriptions/listen') return false;
    }
    return true;
  }

  /** Every request was answered, apart from listens, which never end by themselves. */
  get finished(): boolean {
    for (const line of this.#open.values()) if (line.method !== 'subscriptions/listen') return false;
    return true;
  }

  /** No daemon: answers all requests that have not left the shim. */
  giveUp(cause: Cause): void {
    for (const [id, line] of this.#open) {
      if (line.stage !== 'held') continue;
      line.stage = 'withdrawn';
      this.#open.delete(id);
      this.#reply(line.batch, id, unreachableAnswer(id, cause));
    }
  }

  /** The host has closed its end: what it asked may still be answered, but it is asked nothing more. */
  hostEnded(): void {
    this.toDaemon.push(...this.#questions.hostEnded());
  }

  /** The host has ended, and no time is left: answers all requests. */
  end(): void {
    for (const [id, { method, batch }] of this.#open)
      if (method !== 'subscriptions/listen') this.#reply(batch, id, endedAnswer(id));
    this.#open.clear();
  }

  /** The revision of the session: as agreed, or as it will be. Null before a handshake. */
  get #revision(): string | null {
    const agreed = this.#remembered.revision;
    if (agreed !== null) return agreed;
    for (const line of this.#open.values())
      if (line.method === 'initialize') return negotiateLegacy(stringParam(line, 'protocolVersion'));
    return null;
  }

  /** An answer to the host: at once, or with those of its batch. */
  #reply(batch: BatchAnswers | null, id: RawId, answer: Bytes): void {
    if (batch === null) {
      this.toHost.push(answer);
      return;
    }
    batch.add(id, answer);
    this.#sayWhole(batch);
  }

  #sayWhole(batch: BatchAnswers): void {
    const line = batch.take();
    if (line !== null) this.toHost.push(line);
  }

  /** The host takes a request back. True: the daemon never saw it and need not know. */
  #withdrawn(notice: HostLine): boolean {
    const requestId = idIn(parsedParams(notice)['requestId']);
    const [id, line] = this.#find(requestId);
    // `initialize` cannot be cancelled.
    if (line === undefined || line.method === 'initialize') return false;
    this.#open.delete(id);
    this.#acknowledged.delete(id);
    this.#relistened.delete(id);
    if (line.batch !== null) {
      line.batch.drop();
      this.#sayWhole(line.batch);
    }
    if (line.stage === 'handed') return false;
    line.stage = 'withdrawn';
    return true;
  }

  /** An id that came through a parser may be spelled otherwise than the host wrote it. */
  #find(id: RawId): [RawId, HostLine | undefined] {
    const direct = this.#open.get(id);
    if (direct !== undefined) return [id, direct];
    const key = idKey(id);
    return [...this.#open].find(([raw]) => idKey(raw) === key) ?? [id, undefined];
  }

  /** False: the host has seen it already. */
  #acknowledges(params: Record<string, unknown>): boolean {
    const meta = params['_meta'];
    const named =
      typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>)[SUBSCRIPTION_ID_KEY] : null;
    const [id, listen] = this.#find(idIn(named));
    if (listen === undefined) return true;
    this.#acknowledged.add(id);
    this.#remembered.accepted(listen, NOTHING);
    if (!this.#relistened.delete(id)) return true;
    for (const uri of listenedUris(listen)) this.toHost.push(updatedNotice(uri, id));
    return false;
  }
}

// — internal —

function idIn(value: unknown): RawId {
  return typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : '';
}

function listenedUris(listen: HostLine): string[] {
  const filter = parsedParams(listen)['notifications'];
  const uris =
    typeof filter === 'object' && filter !== null ? (filter as Record<string, unknown>)['resourceSubscriptions'] : [];
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}
