import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { type Socket, connect as tcpConnect } from 'node:net';
import type { Readable } from 'node:stream';
import { errnoOf, McpdError } from '../../errors.ts';
import { byteLength } from '../../protocol/bytes.ts';
import type { Bytes } from '../../protocol/frame.ts';
import type { Proxies, ProxyServer } from '../../proxy.ts';
import {
  REMOTE_CONNECT_TIMEOUT_MS,
  REMOTE_HEADER_BYTES_MAX,
  REMOTE_IDLE_SOCKET_MS,
  REMOTE_REDIRECTS_MAX,
  REMOTE_STALE_RETRIES_MAX,
  REMOTE_TCP_KEEPALIVE_MS,
} from '../../remote-limits.ts';
import { forwardedRequest, openTunnel, proxyRefusal, proxyUnreachable, tunnelAgent } from '../../through-proxy.ts';
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
  #tunnels: HttpsAgent | null = null;
  readonly #proxies: Proxies;

  constructor(proxies: Proxies) {
    this.#proxies = proxies;
  }

  /** TLS is 3 MiB that a daemon without servers elsewhere does not have to carry, so it is loaded when it is needed. */
  #secureAgent(): HttpsAgent {
    this.#https ??= new (process.getBuiltinModule('node:https').Agent)(AGENT);
    return this.#https;
  }

  #agentThrough(proxy: ProxyServer | null): HttpsAgent {
    if (proxy === null) return this.#secureAgent();
    this.#tunnels ??= tunnelAgent(proxy, AGENT);
    return this.#tunnels;
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
      const proxy = status === 407 && url.protocol === 'http:' ? this.#proxies(url) : null;
      if (proxy !== null) {
        response.destroy();
        throw faultOf(proxyRefusal(proxy, status, url.host), placeOf(url));
      }
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
    try {
      const proxy = this.#proxies(url);
      const secure = url.protocol === 'https:';
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const port = Number(url.port || (secure ? 443 : 80));
      if (proxy === null) return await this.#connect({ host, port }, secure, url, signal);
      // By plain http it is the proxy that looks for the server, when there is a request.
      if (!secure) return await this.#connect({ host: proxy.host, port: proxy.port }, false, url, signal);
      await this.#connect({ host, port, socket: await openTunnel(proxy, host, port) }, true, url, signal);
    } catch (thrown) {
      throw this.#faultOf(thrown, url);
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https?.destroy();
    this.#tunnels?.destroy();
  }

  #connect(to: { host: string; port: number; socket?: Socket }, secure: boolean, url: URL, signal: AbortSignal) {
    return new Promise<void>((resolve, reject) => {
      const failed = (thrown: unknown) => {
        socket.destroy();
        clearTimeout(timer);
        reject(thrown);
      };
      const done = () => {
        signal.removeEventListener('abort', failed);
        clearTimeout(timer);
        socket.destroy();
        resolve();
      };
      const { host } = to;
      const socket = secure
        ? process
            .getBuiltinModule('node:tls')
            .connect({ ...to, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) }, done)
        : tcpConnect(to, done);
      const timer = setTimeout(() => failed(connectTimeout(url)), REMOTE_CONNECT_TIMEOUT_MS);
      socket.on('error', failed);
      signal.addEventListener('abort', failed, { once: true });
    });
  }

  /** By plain http it is the proxy that cannot be reached, not the server behind it. */
  #faultOf(thrown: unknown, url: URL): RemoteFault {
    const fault = faultOf(thrown, placeOf(url));
    if (thrown instanceof McpdError || fault.reason !== 'unreachable' || url.protocol === 'https:') return fault;
    const proxy = this.#proxies(url);
    return proxy === null ? fault : faultOf(proxyUnreachable(proxy, thrown), placeOf(url));
  }

  async #withRetries(order: HttpOrder): Promise<IncomingMessage> {
    for (let retry = 0; ; retry++) {
      const attempt = { reused: false };
      try {
        return await this.#once(order, attempt);
      } catch (thrown) {
        const isStale = attempt.reused && STALE.has(errnoOf(thrown) ?? '');
        if (isStale && order.repeatable && retry < REMOTE_STALE_RETRIES_MAX && !order.signal.aborted) continue;
        throw this.#faultOf(thrown, order.url);
      }
    }
  }

  #request(url: URL, options: RequestOptions & { headers: Record<string, string> }): ClientRequest {
    const proxy = this.#proxies(url);
    if (url.protocol === 'https:')
      return process.getBuiltinModule('node:https').request(url, { ...options, agent: this.#agentThrough(proxy) });
    if (proxy === null) return httpRequest(url, { ...options, agent: this.#http });
    const agent = proxy.protocol === 'https:' ? this.#secureAgent() : this.#http;
    return forwardedRequest(proxy, url, { ...options, agent });
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
      const request = this.#request(url, options);
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
