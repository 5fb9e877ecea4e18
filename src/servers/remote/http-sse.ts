import type { Readable } from 'node:stream';
import { SERVER_QUEUE_BYTES_MAX } from '../../limits.ts';
import type { Frame } from '../../protocol/frame.ts';
import { errorText, METHOD_NOT_FOUND } from '../../protocol/jsonrpc.ts';
import { discard, readBody, readShort } from './body.ts';
import { EventStream } from './event-stream.ts';
import { contentTypeOf, unexpectedType } from './exchange.ts';
import { faultOf, placeOf, RemoteFault } from './fault.ts';
import { FrameFeed } from './frame-feed.ts';
import { frameOf, type Outgoing } from './outgoing.ts';
import { type Channel, type ChannelPorts, causeOfFault, failureFrame } from './ports.ts';
import { lockOf } from './requester.ts';
import { statusFault } from './status.ts';

/**
 * HTTP+SSE of 2024-11-05: one stream brings everything, its first event says where messages are posted to. When the stream ends the
 * connection ends: what was on its way cannot be had any more.
 */
export class SseChannel implements Channel {
  readonly #ports: ChannelPorts;
  readonly #endpoint: URL;
  #unansweredBytes = 0;

  private constructor(ports: ChannelPorts, endpoint: URL) {
    this.#ports = ports;
    this.#endpoint = endpoint;
  }

  /** Opens the stream. @throws {RemoteFault} there is none, or it does not say where to post */
  static async open(ports: ChannelPorts): Promise<SseChannel> {
    const { requester, closed, headTimeoutMs } = ports;
    const headers = { accept: 'text/event-stream' };
    const order = { method: 'GET', headers, body: null, repeatable: true, signal: closed, headTimeoutMs } as const;
    const answer = await requester.send(order);
    const place = placeOf(answer.url);
    if (answer.status >= 300)
      throw statusFault(answer.status, place, requester.quoted(await readShort(answer.body, place)));
    const type = contentTypeOf(answer);
    if (type !== 'text/event-stream') {
      answer.body.destroy();
      throw unexpectedType(answer.status, type, place);
    }
    const endpoint = await endpointOn(answer.body, answer.url, ports);
    return new SseChannel(ports, endpoint);
  }

  send(out: Outgoing): 'ok' | 'full' {
    if (this.#unansweredBytes + out.length > SERVER_QUEUE_BYTES_MAX) return 'full';
    this.#unansweredBytes += out.length;
    // Not from inside this call.
    setImmediate(() => void this.#post(out));
    return 'ok';
  }

  async leave(): Promise<void> {
    // The end of the stream is the end of the session.
  }

  async #post(out: Outgoing): Promise<void> {
    const { requester, closed, headTimeoutMs, deliver, server, log, locked } = this.#ports;
    try {
      if (out.kind === 'request' && out.method === 'server/discover') return deliver(noSuchEra(out.id), null);
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const order = { method: 'POST', url: this.#endpoint, headers, body: out.bytes, signal: closed } as const;
      const answer = await requester.send({ ...order, repeatable: false, headTimeoutMs });
      const place = placeOf(this.#endpoint);
      if (answer.status >= 300)
        throw statusFault(answer.status, place, requester.quoted(await readShort(answer.body, place)));
      await discard(answer.body);
    } catch (thrown) {
      if (closed.aborted) return;
      const fault = faultOf(thrown, placeOf(this.#endpoint));
      const lock = lockOf(fault, out.kind === 'request' ? out.method : '');
      if (lock !== null) return locked(lock);
      log('warn', `a message was not taken: ${fault.message}`);
      if (out.kind === 'request') deliver(failureFrame(server, out.id, out.method, fault), null);
    } finally {
      this.#unansweredBytes -= out.length;
    }
  }
}

// — internal —

/** Follows the stream; resolves with its first event, the address for messages. */
function endpointOn(body: Readable, url: URL, ports: ChannelPorts): Promise<URL> {
  const { lineBytesMax, deliver, noise, lost, closed, headTimeoutMs } = ports;
  const place = placeOf(url);
  return new Promise((resolve, reject) => {
    let isOpen = false;
    let tooLong: string | null = null;
    const late = new RemoteFault('timeout', `${place} did not say where to post to within ${headTimeoutMs / 1000} s`);
    const timer = setTimeout(() => body.destroy(late), headTimeoutMs);
    const feed = new FrameFeed(lineBytesMax, {
      onFrame: (frame) => deliver(frame, null),
      onNoise: (one) => noise(one, one.asks ? null : one.id),
    });
    const events = new EventStream({
      eventBytesMax: lineBytesMax,
      onEvent: ({ type, data }) => {
        if (type === 'endpoint' && !isOpen) {
          const endpoint = endpointFrom(data.toString(), url);
          if (endpoint instanceof RemoteFault) return body.destroy(endpoint);
          isOpen = true;
          clearTimeout(timer);
          return resolve(endpoint);
        }
        if (type !== 'message' || !isOpen) return;
        feed.push(data);
        feed.end();
      },
      onTooLong: () => {
        tooLong = `a message on its stream is longer than ${lineBytesMax} bytes`;
      },
    });
    const take = (chunk: Uint8Array) => {
      events.push(chunk);
      return tooLong === null ? ('go-on' as const) : ('stop' as const);
    };
    const abort = () => body.destroy();
    closed.addEventListener('abort', abort, { once: true });
    void readBody(body, { place, pauseMs: null, take })
      .then(() => new RemoteFault('cut', tooLong ?? `${place} ended its stream`))
      .catch((thrown: unknown) => faultOf(thrown, place))
      .then((fault) => {
        clearTimeout(timer);
        closed.removeEventListener('abort', abort);
        if (isOpen) lost(causeOfFault(fault));
        else reject(fault);
      });
  });
}

/** Another origin would get what is meant for this one. */
function endpointFrom(text: string, url: URL): URL | RemoteFault {
  const why = `it says ${JSON.stringify(text.slice(0, 100))}`;
  if (!URL.canParse(text, url.href))
    return new RemoteFault('not_mcp', `${placeOf(url)} names no address for messages`, { why });
  const endpoint = new URL(text, url);
  if (endpoint.origin === url.origin) return endpoint;
  return new RemoteFault('redirect', `${placeOf(url)} wants its messages at another server`, { why });
}

/** That era came after this transport. */
function noSuchEra(id: string): Frame {
  return frameOf([Buffer.from(errorText(id, METHOD_NOT_FOUND, 'HTTP+SSE servers have no server/discover'))]);
}
