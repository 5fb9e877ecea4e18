import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy as a company has one: names that only it can find, and perhaps a password. */
export interface TestProxy {
  /** `127.0.0.1:PORT` */
  place: string;
  /** What went through: `CONNECT far.example:443`, `POST http://far.example/mcp`. */
  seen: string[];
  close(): Promise<void>;
}

/** `ports`: by host and port as it is asked for, where that is on the loopback. `login`: `user:password` that it insists on. */
export async function startProxy(ports: Readonly<Record<string, number>>, login?: string): Promise<TestProxy> {
  const seen: string[] = [];
  const open = new Set<Socket>();
  const isLetIn = ({ headers }: IncomingMessage) =>
    login === undefined || headers['proxy-authorization'] === `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '');
    if (!isLetIn(incoming)) return void response.writeHead(407).end();
    const port = ports[`${url.hostname}:${url.port || 80}`];
    if (port === undefined) return void response.writeHead(502).end();
    seen.push(`${incoming.method} ${url.href}`);
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const onward = httpRequest({ port, method: incoming.method, path: `${url.pathname}${url.search}`, headers });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    const port = ports[incoming.url ?? ''];
    if (!isLetIn(incoming)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (port === undefined) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    seen.push(`CONNECT ${incoming.url}`);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    place: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
