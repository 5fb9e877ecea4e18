import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Proxies, ProxyServer } from './proxy.ts';
import { forwardedRequest, proxyRefusal, proxyUnreachable, tunnelAgent } from './through-proxy.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * `fetch` that takes the proxy where there is one: that of Node 20 knows none. Through a proxy it follows no redirect, and each request
 * has a connection of its own.
 * @throws {McpdError} PROXY_FAILED; else as `fetch`
 */
export function fetchThrough(proxies: Proxies): Fetch {
  return async (url, init) => {
    const address = new URL(url);
    const proxy = proxies(address);
    return proxy === null ? fetch(address, init) : through(proxy, new Request(address, init));
  };
}

// — internal —

/** Statuses whose answers have no body, which `Response` insists on. */
const EMPTY = [101, 204, 205, 304];

async function through(proxy: ProxyServer, request: Request): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer());
  const answer = await sent(proxy, request, body);
  const status = answer.statusCode ?? 0;
  const { protocol, host } = new URL(request.url);
  // By https it is the server that said it.
  if (status === 407 && protocol === 'http:') {
    answer.destroy();
    throw proxyRefusal(proxy, status, host);
  }
  const headers = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const hasBody = !EMPTY.includes(status);
  if (!hasBody) answer.resume();
  return new Response(hasBody ? (Readable.toWeb(answer) as ReadableStream) : null, { status, headers });
}

function sent(proxy: ProxyServer, { url, method, headers, signal }: Request, body: Buffer): Promise<IncomingMessage> {
  const target = new URL(url);
  const length = method === 'GET' ? {} : { 'content-length': String(body.length) };
  const options = {
    method,
    headers: { ...Object.fromEntries(headers), 'accept-encoding': 'identity', ...length },
    signal,
  };
  return new Promise((resolve, reject) => {
    const isSecure = target.protocol === 'https:';
    const request = isSecure
      ? process.getBuiltinModule('node:https').request(target, { ...options, agent: tunnelAgent(proxy, {}) })
      : // Of Node's own agent it might get a connection that the proxy is just closing.
        forwardedRequest(proxy, target, { ...options, agent: false });
    request.once('response', resolve);
    request.once('error', (error) => {
      if (signal.aborted) return reject(signal.reason);
      reject(isSecure ? error : proxyUnreachable(proxy, error));
    });
    request.end(body);
  });
}
