import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenProxy {
  /** Stands for the URL behind it. */
  url: string;
  close(): Promise<void>;
}

/**
 * Adds a bearer token to each request, which the suite cannot do by itself. Nothing else changes: status, headers, streams and their ends
 * pass, and so does a Host or Origin that is not the proxy's own.
 */
export async function tokenProxy(target: string, token: string): Promise<TokenProxy> {
  const behind = new URL(target);
  const server = createServer((incoming, outgoing) => pass(incoming, outgoing, behind, token));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${behind.pathname}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

// — internal —

function pass(incoming: IncomingMessage, outgoing: ServerResponse, behind: URL, token: string): void {
  const own = new Set([`127.0.0.1:${incoming.socket.localPort}`, `localhost:${incoming.socket.localPort}`]);
  const named = (value: string) => [...own].reduce((text, name) => text.replace(name, behind.host), value);
  const { host = '', origin, ...headers } = incoming.headers;
  const onward = request(
    {
      host: behind.hostname,
      port: behind.port,
      method: incoming.method,
      path: incoming.url,
      headers: {
        ...headers,
        host: named(host),
        ...(origin !== undefined && { origin: named(origin) }),
        authorization: `Bearer ${token}`,
      },
    },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('close', () => outgoing.end());
    },
  );
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
