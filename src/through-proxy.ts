import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import type { AgentOptions, Agent as HttpsAgent, RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { errnoOf, McpdError } from './errors.ts';
import { type ProxyServer, proxyFix } from './proxy.ts';
import { REMOTE_CONNECT_TIMEOUT_MS } from './remote-limits.ts';

/**
 * A connection to `host` through the proxy (CONNECT, RFC 9110 section 9.3.6), on which nothing has been said yet.
 * @throws {McpdError} PROXY_FAILED: it cannot be reached, or does not let this through within REMOTE_CONNECT_TIMEOUT_MS
 */
export function openTunnel(proxy: ProxyServer, host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    const request = ask(proxy, authority);
    const timer = setTimeout(() => request.destroy(silent(proxy)), REMOTE_CONNECT_TIMEOUT_MS);
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      clearTimeout(timer);
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      reject(proxyRefusal(proxy, statusCode, authority));
    });
    request.once('error', (error) => {
      clearTimeout(timer);
      reject(error instanceof McpdError ? error : proxyUnreachable(proxy, error));
    });
    request.end();
  });
}

/** An agent for https whose connections go through the proxy; TLS is between mcpd and the server, and the proxy sees none of it. */
export function tunnelAgent(proxy: ProxyServer, options: AgentOptions): HttpsAgent {
  const agent = new (process.getBuiltinModule('node:https').Agent)(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, done) => {
    openTunnel(proxy, target.host ?? 'localhost', Number(target.port ?? 443)).then(
      (socket) => {
        const within: RequestOptions & { socket: Socket } = { ...target, socket };
        done?.(null, connect(within) as Socket);
      },
      // Node looks at nothing but the error then.
      (error: Error) => done?.(error, undefined as unknown as Socket),
    );
    return undefined;
  };
  return agent;
}

/** A request by plain http, which the proxy itself sends on: it is asked for the whole address. */
export function forwardedRequest(
  proxy: ProxyServer,
  url: URL,
  options: RequestOptions & { headers: OutgoingHttpHeaders },
): ClientRequest {
  const { protocol, host, port, authorization } = proxy;
  const login = authorization === null ? {} : { 'proxy-authorization': authorization };
  const headers = { ...options.headers, host: url.host, ...login };
  const path = `${url.origin}${url.pathname}${url.search}`;
  return clientFor(protocol).request({ ...options, headers, host, port, path });
}

/** What the proxy answers in the place of the server, for people. */
export function proxyRefusal({ place, variable }: ProxyServer, status: number, target: string): McpdError {
  if (status !== 407)
    return new McpdError('PROXY_FAILED', {
      what: `the proxy ${place} does not let ${target} through`,
      why: `it answered ${status}`,
      fix: proxyFix(variable),
    });
  return new McpdError('PROXY_FAILED', {
    what: `the proxy ${place} wants a user and a password`,
    why: 'it answered 407',
    fix: `set ${variable} to an address like http://USER:PASSWORD@proxy:3128 in a terminal, then there: mcpd restart`,
  });
}

export function proxyUnreachable({ place, variable }: ProxyServer, thrown: unknown): McpdError {
  const why = errnoOf(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown));
  return new McpdError('PROXY_FAILED', { what: `the proxy ${place} cannot be reached`, why, fix: proxyFix(variable) });
}

// — internal —

function ask({ protocol, host, port, authorization }: ProxyServer, authority: string) {
  const login = authorization === null ? {} : { 'proxy-authorization': authorization };
  return clientFor(protocol).request({
    method: 'CONNECT',
    host,
    port,
    path: authority,
    headers: { host: authority, ...login },
    agent: false,
  });
}

function silent(proxy: ProxyServer): McpdError {
  const why = `it did not answer within ${REMOTE_CONNECT_TIMEOUT_MS / 1000} s`;
  return new McpdError('PROXY_FAILED', {
    what: `the proxy ${proxy.place} lets nothing through`,
    why,
    fix: proxyFix(proxy.variable),
  });
}

/** TLS is loaded when it is needed. */
function clientFor(protocol: ProxyServer['protocol']) {
  return protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
}
