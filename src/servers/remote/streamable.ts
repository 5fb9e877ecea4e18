import { setTimeout as delay } from 'node:timers/promises';
import { SERVER_QUEUE_BYTES_MAX } from '../../limits.ts';
import type { Frame, RawId } from '../../protocol/frame.ts';
import { resultText } from '../../protocol/jsonrpc.ts';
import { REMOTE_GOODBYE_MS, REMOTE_LINGER_MS, REMOTE_RATE_RETRIES_MAX } from '../../remote-limits.ts';
import { discard, readShort } from './body.ts';
import { contentTypeOf, Exchange, withId } from './exchange.ts';
import { faultOf, RemoteFault } from './fault.ts';
import { type Answered, type Asking, learnTools } from './learning.ts';
import { NoticeStream } from './notice-stream.ts';
import { frameOf, type Outgoing, type OutgoingRequest, readOutgoing, routingHeaders } from './outgoing.ts';
import { type Channel, type ChannelPorts, causeOfFault, failureFrame, listNotices } from './ports.ts';
import { waitAsked } from './rate-limit.ts';
import { lockOf, RemoteLock } from './requester.ts';
import { resume } from './resuming.ts';
import type { HttpAnswer } from './sender.ts';
import { LegacySession } from './session.ts';
import { answersSomething, isHeaderMismatch, isSessionLost, jsonRpcErrorIn, statusFault } from './status.ts';

/**
 * Streamable HTTP, of both eras: each message is a POST, and its answer comes as one JSON text or as a stream of its own. A request that
 * fails costs the others nothing; only a server that cannot be reached any more, with nothing left open, ends the connection.
 */
export class StreamableChannel implements Channel {
  readonly #ports: ChannelPorts;
  readonly #session = new LegacySession();
  readonly #notices: NoticeStream;
  readonly #open = new Map<RawId, Exchange>();
  /** Bytes of messages whose answer has not begun. */
  #unansweredBytes = 0;
  /** What comes after `initialized` is sent when that has arrived: servers refuse it before. */
  #greeted: Promise<void> = Promise.resolve();
  #renewing: Promise<void> | null = null;
  /** A stream of notices was cut, and none has begun since. */
  #hasMissed = false;
  /** The server has answered something: what fails from now on fails alone. */
  #isMet = false;
  /** Why the last connection could not be made; null since one could. */
  #gone: RemoteFault | null = null;

  constructor(ports: ChannelPorts) {
    this.#ports = ports;
    this.#notices = new NoticeStream(ports, this.#session);
  }

  send(out: Outgoing): 'ok' | 'full' {
    if (this.#unansweredBytes + out.length > SERVER_QUEUE_BYTES_MAX) return 'full';
    if (out.kind === 'request') void this.#request(out);
    else if (out.kind === 'notification' && out.cancels !== null) this.#cancel(out, out.cancels);
    else void this.#tell(out);
    return 'ok';
  }

  async leave(): Promise<void> {
    const { id } = this.#session;
    if (id === null) return;
    const signal = AbortSignal.timeout(REMOTE_GOODBYE_MS);
    try {
      const order = {
        method: 'DELETE',
        headers: this.#session.headers(),
        body: null,
        repeatable: true,
        signal,
      } as const;
      const answer = await this.#ports.requester.send({ ...order, headTimeoutMs: REMOTE_GOODBYE_MS });
      answer.body.destroy();
    } catch {
      // The session ends there by itself, sooner or later.
    }
  }

  /** A modern request is taken back by closing its stream; a legacy one by a notification, and may be answered until then. */
  #cancel(out: Outgoing, id: RawId): void {
    const exchange = this.#open.get(id);
    if (exchange === undefined) return;
    if (exchange.out.revision !== null) return exchange.abandon('now');
    exchange.abandon('soon');
    void this.#tell(out);
  }

  /** A message that has no answer. */
  async #tell(out: Outgoing): Promise<void> {
    const isReady = out.kind === 'notification' && out.method === 'notifications/initialized';
    const told = this.#greeted.then(() => this.#post(out));
    if (isReady) this.#greeted = told.catch(() => undefined); // told below; what follows fails by itself, with its own reason
    try {
      await told;
      if (isReady) this.#notices.open();
    } catch (thrown) {
      if (this.#ports.closed.aborted) return;
      const fault = faultOf(thrown, this.#ports.requester.place);
      if (fault instanceof RemoteLock) return this.#ports.locked(fault.lock);
      if (fault.isUnsent) this.#gone = fault;
      this.#ports.log('warn', `a message was not taken: ${fault.message}`);
      this.#leaveIfGone();
    }
  }

  async #post(out: Outgoing): Promise<void> {
    const { requester, closed, headTimeoutMs } = this.#ports;
    const headers = { ...JSON_POST, ...this.#session.headers() };
    const order = { method: 'POST', headers, body: out.bytes, repeatable: false, signal: closed } as const;
    const answer = await requester.send({ ...order, headTimeoutMs });
    await discard(answer.body);
    if (answer.status >= 300) throw statusFault(answer.status, requester.place, '');
  }

  async #request(out: OutgoingRequest): Promise<void> {
    this.#unansweredBytes += out.length;
    const exchange = this.#exchange(out, (frame, headers) => {
      if (frame.envelope.kind === 'result') {
        if (out.method === 'initialize') this.#session.begin(out, frame, headers);
        else if (out.revision === null) this.#session.note(out);
      }
      this.#isMet = true;
      this.#ports.deliver(this.#listed(out, frame), out.id);
      if (out.method === LISTEN) this.#heardAgain();
    });
    this.#open.set(out.id, exchange);
    try {
      await this.#greeted;
      await this.#carryOut(exchange);
    } catch (thrown) {
      if (!exchange.signal.aborted) this.#failed(out, faultOf(thrown, this.#ports.requester.place));
    } finally {
      exchange.end();
      this.#unansweredBytes -= out.length;
      if (this.#open.get(out.id) === exchange) this.#open.delete(out.id);
      this.#leaveIfGone();
    }
  }

  #exchange(out: OutgoingRequest, onFrame: (frame: Frame, headers: HttpAnswer['headers']) => void): Exchange {
    const { lineBytesMax, closed, noise } = this.#ports;
    return new Exchange(out, lineBytesMax, closed, { onFrame, onNoise: noise });
  }

  /** A page of tools without those whose definitions are invalid over HTTP. */
  #listed(out: OutgoingRequest, frame: Frame): Frame {
    if (out.method !== 'tools/list' || out.revision === null) return frame;
    return this.#ports.toolHeaders.learn(frame, (tool, why) =>
      this.#ports.log('warn', `the tool ${tool.slice(0, 100)} is left out: ${why}`),
    );
  }

  /** Until its answer is there. @throws {RemoteFault} it will not come */
  async #carryOut(exchange: Exchange): Promise<void> {
    const { requester, headTimeoutMs } = this.#ports;
    for (;;) {
      await this.#renewing;
      const sessionId = this.#session.id;
      const answer = await this.#send(exchange);
      this.#gone = null;
      if (answer.status < 300) {
        await exchange.read(answer, requester.place, headTimeoutMs);
        if (!exchange.answered) await resume(exchange, this.#ports, this.#session);
        return;
      }
      const again = await this.#refused(exchange, answer, sessionId);
      if (!again) return;
    }
  }

  async #send({ out, signal }: Exchange): Promise<HttpAnswer> {
    const { requester, toolHeaders, callTimeoutMs, headTimeoutMs } = this.#ports;
    const isModern = out.revision !== null;
    const headers = {
      ...JSON_POST,
      ...(isModern ? routingHeaders(out) : out.method === 'initialize' ? {} : this.#session.headers()),
      ...(isModern && out.method === 'tools/call' ? toolHeaders.of(out.view) : {}),
    };
    const isCall = CALLS.has(out.method);
    // The core's own deadline comes first, and says more.
    const timeoutMs = isCall ? callTimeoutMs + REMOTE_LINGER_MS : headTimeoutMs;
    const order = { method: 'POST', headers, body: out.bytes, repeatable: !isCall, signal } as const;
    return requester.send({ ...order, headTimeoutMs: timeoutMs });
  }

  /** An answer that is an error of HTTP. True when the request is to be sent again: it was not begun. @throws {RemoteFault} */
  async #refused(exchange: Exchange, answer: HttpAnswer, sessionId: string | null): Promise<boolean> {
    const { out, again } = exchange;
    const { place } = this.#ports.requester;
    const { status } = answer;
    const body = await readShort(answer.body, place);
    const error = contentTypeOf(answer) === 'application/json' ? jsonRpcErrorIn(body) : null;
    if (status === 429) {
      const waitMs = waitAsked(answer.headers['retry-after'], Date.now(), place);
      if (again.rate++ >= REMOTE_RATE_RETRIES_MAX) throw statusFault(status, place, '');
      await delay(waitMs, undefined, { signal: exchange.signal });
      return true;
    }
    if (isSessionLost(status, error, body, out, sessionId)) {
      if (again.session++ > 0)
        throw new RemoteFault('session_lost', `${place} forgets its sessions at once`, { status });
      await this.#renewed(sessionId);
      return true;
    }
    // An error with our id answers us. One without says that nobody here takes a POST, as pages and plain words do.
    const mayBeElsewhere = MEANS_OTHER_TRANSPORT.has(status) && out.method === 'initialize' && !answersSomething(error);
    if (mayBeElsewhere && (await this.#ports.fallBack(out))) return false;
    if (error !== null) {
      if (isHeaderMismatch(error, out) && again.headers++ === 0 && (await learnTools(out, this.#asking()))) return true;
      this.#ports.deliver(withId(error, out.id), out.id);
      return false;
    }
    throw statusFault(status, place, this.#ports.requester.quoted(body));
  }

  /** Begins a new session where the server has forgotten this one; once for all requests that meet it. @throws {RemoteFault} */
  async #renewed(lost: string | null): Promise<void> {
    // Another request has been here before.
    if (this.#renewing === null && this.#session.id !== lost) return;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    const { requester, log, deliver } = this.#ports;
    const renewal = this.#session.renewal();
    if (renewal === null) throw new RemoteFault('session_lost', `${requester.place} knows the session no more`);
    log('info', 'the server has forgotten the session: a new one is begun');
    this.#notices.close();
    const { hello, ready, standing } = renewal;
    const answer = await this.#asking().ask(hello);
    if (answer?.frame.envelope.kind !== 'result')
      throw new RemoteFault('session_lost', `${requester.place} knows the session no more, and begins no new one`);
    this.#session.begin(hello, answer.frame, answer.headers);
    await this.#post(readOutgoing(ready));
    for (const out of standing) await this.#asking().ask(out);
    this.#notices.open();
    // It may be another server by now: whatever it lists is read again.
    for (const notice of listNotices()) deliver(notice, null);
  }

  /** Requests of the connection's own, whose answers nobody else sees. */
  #asking(): Asking {
    return {
      ownId: () => this.#session.ownId(),
      learn: (out: OutgoingRequest, frame: Frame) => this.#listed(out, frame),
      knows: (out: OutgoingRequest) => Object.keys(this.#ports.toolHeaders.of(out.view)).length > 0,
      ask: async (out: OutgoingRequest) => {
        const seen: Answered[] = [];
        const exchange = this.#exchange(out, (frame, headers) => {
          if (frame.envelope.kind === 'result' || frame.envelope.kind === 'error') seen.push({ frame, headers });
        });
        await exchange.within(this.#ports.headTimeoutMs, async () => {
          const answer = await this.#send(exchange);
          if (answer.status < 300) await exchange.read(answer, this.#ports.requester.place, this.#ports.headTimeoutMs);
          else answer.body.destroy();
        });
        return seen.at(-1) ?? null;
      },
    };
  }

  #failed(out: OutgoingRequest, fault: RemoteFault): void {
    const { server, deliver, lost, locked, log } = this.#ports;
    if (fault.isUnsent) this.#gone = fault;
    // The first words: without them there is no connection. A probe is answered by an error where that may mean another era.
    const isFirst =
      out.method === 'initialize' || (!this.#isMet && out.method === 'server/discover' && fault.isPassing);
    const lock = lockOf(fault, out.method);
    if (lock !== null) {
      if (CALLS.has(out.method)) deliver(failureFrame(server, out.id, out.method, fault), out.id);
      return locked(lock);
    }
    if (isFirst) return lost(causeOfFault(fault));
    log('warn', `${out.method} failed: ${fault.message}`);
    if (out.method === LISTEN && fault.isPassing) {
      this.#hasMissed = true;
      // As if the server had ended it, which is what makes the core ask again; an error would mean that there is no such thing.
      return deliver(frameOf([Buffer.from(resultText(out.id, '{"resultType":"complete"}'))]), out.id);
    }
    deliver(failureFrame(server, out.id, out.method, fault), out.id);
  }

  /** What a modern server said while its stream was cut is made up for. */
  #heardAgain(): void {
    if (!this.#hasMissed) return;
    this.#hasMissed = false;
    for (const notice of listNotices()) this.#ports.deliver(notice, null);
  }

  #leaveIfGone(): void {
    if (this.#gone !== null && this.#open.size === 0) this.#ports.lost(causeOfFault(this.#gone));
  }
}

// — internal —

const JSON_POST = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } as const;
const LISTEN = 'subscriptions/listen';
/** What may have an effect, and may take its time. */
const CALLS = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete', 'tasks/result']);
/** Of a server that knows HTTP+SSE alone, to a POST at the address of its stream. */
const MEANS_OTHER_TRANSPORT = new Set([400, 404, 405]);
