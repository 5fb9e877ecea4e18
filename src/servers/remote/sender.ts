import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { connect as tcpConnect } from 'node:net';
import type { Readable } from 'node:stream';
import { errnoOf } from '../../errors.ts';
import { byteLength } from '../../protocol/bytes.ts';
import type { Bytes } from '../../protocol/frame.ts';
import {
  REMOTE_CONNECT_TIMEOUT_MS,
  REMOTE_HEADER_BYTES_MAX,
  REMOTE_IDLE_SOCKET_MS,
  REMOTE_REDIRECTS_MAX,
  REMOTE_STALE_RETRIES_MAX,
  REMOTE_TCP_KEEPALIVE_MS,
} from '../../remote-limits.ts';
import { decoded } from './content-encoding.ts';
import { faultOf, placeOf, RemoteFault } from './fault.ts';
import { redirected } from './redirect.ts';

export interface HttpOrder {
  method: 'POST' | 'GET' | 'DELETE';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Bytes | null;
  /** From the request sent to the head of the answer. */
  headTimeoutMs: number;
  /** Doing it twice does no harm: it is sent again when an idle connection turns out to be closed. */
  repeatable: boolean;
  signal: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Decompressed. Must be read to its end or destroyed. */
  body: Readable;
  /** Where it came from, after redirects. */
  url: URL;
}

/** HTTP to one server, with connections kept for the next request. */
export class HttpSender {
  readonly #http = new HttpAgent(AGENT);
  #https: HttpsAgent | null = null;

  /** TLS is 3 MiB that a daemon without servers elsewhere does not have to carry, so it is loaded when it is needed. */
  #secureAgent(): HttpsAgent {
    this.#https ??= new (process.getBuiltinModule('node:https').Agent)(AGENT);
    return this.#https;
  }

  /**
   * Sends it and resolves with the head of the answer, whatever its status. Redirects are followed within the same origin, and from http
   * to https of the same host.
   * @throws {RemoteFault} there is no answer
   */
  async send(order: HttpOrder): Promise<HttpAnswer> {
    let { url, headers } = order;
    for (let hop = 0; ; hop++) {
      const response = await this.#withRetries({ ...order, url, headers });
      const status = response.statusCode ?? 0;
      const next = redirected(status, response.headers.location, url, headers);
      if (next === null) return { status, headers: response.headers, body: decoded(response, placeOf(url)), url };
      response.destroy();
      if (next instanceof RemoteFault) throw next;
      if (hop >= REMOTE_REDIRECTS_MAX) {
        const why = `it redirects more than ${REMOTE_REDIRECTS_MAX} times`;
        throw new RemoteFault('redirect', `${placeOf(order.url)} leads nowhere`, { why });
      }
      ({ url, headers } = next);
    }
  }

  /** Whether a connection can be made at all; that one is not used. @throws {RemoteFault} */
  async reach(url: URL, signal: AbortSignal): Promise<void> {
    const secure = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port || (secure ? 443 : 80));
    await new Promise<void>((resolve, reject) => {
      const failed = (thrown: unknown) => {
        socket.destroy();
        clearTimeout(timer);
        reject(faultOf(thrown, placeOf(url)));
      };
      const done = () => {
        signal.removeEventListener('abort', failed);
        clearTimeout(timer);
        socket.destroy();
        resolve();
      };
      const socket = secure
        ? process
            .getBuiltinModule('node:tls')
            .connect({ host, port, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) }, done)
        : tcpConnect({ host, port }, done);
      const timer = setTimeout(() => failed(connectTimeout(url)), REMOTE_CONNECT_TIMEOUT_MS);
      socket.on('error', failed);
      signal.addEventListener('abort', failed, { once: true });
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https?.destroy();
  }

  async #withRetries(order: HttpOrder): Promise<IncomingMessage> {
    for (let retry = 0; ; retry++) {
      const attempt = { reused: false };
      try {
        return await this.#once(order, attempt);
      } catch (thrown) {
        const isStale = attempt.reused && STALE.has(errnoOf(thrown) ?? '');
        if (isStale && order.repeatable && retry < REMOTE_STALE_RETRIES_MAX && !order.signal.aborted) continue;
        throw faultOf(thrown, placeOf(order.url));
      }
    }
  }

  #once({ method, url, headers, body, headTimeoutMs, signal }: HttpOrder, attempt: { reused: boolean }) {
    return new Promise<IncomingMessage>((resolve, reject) => {
      const secure = url.protocol === 'https:';
      const length = body === null ? {} : { 'content-length': String(byteLength(body)) };
      // No bound of its own: with the agent's a stream that is silent for a while would be told so.
      const timeout = 0;
      const options = {
        timeout,
        method,
        headers: { ...headers, ...length },
        maxHeaderSize: REMOTE_HEADER_BYTES_MAX,
        signal,
      };
      const request = secure
        ? process.getBuiltinModule('node:https').request(url, { ...options, agent: this.#secureAgent() })
        : httpRequest(url, { ...options, agent: this.#http });
      let timer = setTimeout(() => request.destroy(connectTimeout(url)), REMOTE_CONNECT_TIMEOUT_MS);
      const connected = () => {
        clearTimeout(timer);
        timer = setTimeout(() => request.destroy(headTimeout(url, headTimeoutMs)), headTimeoutMs);
      };
      request.once('socket', (socket) => {
        attempt.reused = request.reusedSocket;
        socket.setKeepAlive(true, REMOTE_TCP_KEEPALIVE_MS);
        if (request.reusedSocket) connected();
        else socket.once(secure ? 'secureConnect' : 'connect', connected);
      });
      request.once('response', (response) => {
        clearTimeout(timer);
        resolve(response);
      });
      // Also after the head: then the body breaks, and whoever reads it is told there.
      request.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      for (const piece of body ?? []) request.write(piece);
      request.end();
    });
  }
}

// — internal —

const AGENT = {
  keepAlive: true,
  keepAliveMsecs: REMOTE_TCP_KEEPALIVE_MS,
  // Of an idle connection: one with an open request only says so, and nobody listens.
  timeout: REMOTE_IDLE_SOCKET_MS,
} as const;

const STALE = new Set(['ECONNRESET', 'EPIPE']);

function connectTimeout(url: URL): RemoteFault {
  const why = `no connection within ${REMOTE_CONNECT_TIMEOUT_MS / 1000} s`;
  return new RemoteFault('unreachable', `could not reach ${placeOf(url)}`, { why });
}

function headTimeout(url: URL, afterMs: number): RemoteFault {
  return new RemoteFault('timeout', `${placeOf(url)} did not answer within ${afterMs / 1000} s`);
}
