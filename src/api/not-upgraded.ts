import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Asks for a WebSocket, the one protocol there is to change to. */
export function wantsWebSocket(incoming: IncomingMessage): boolean {
  return /^\s*websocket\s*$/i.test(incoming.headers.upgrade ?? '');
}

/**
 * Has a request that asks for another protocol answered as if it had not: Java's client offers HTTP/2 so with whatever it asks (RFC 9110,
 * section 7.8, lets a server pass over it). Node hands over the bare connection where anybody listens for upgrades, so it is given back.
 */
export function answerAsItIs(server: Server, incoming: IncomingMessage, socket: Duplex, rest: Buffer): void {
  const { method = '', url = '', rawHeaders } = incoming;
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!OF_THE_CHANGE.test(name)) lines.push(`${name}: ${rawHeaders[i + 1] ?? ''}`);
  }
  // Once per connection: what Node has attached to it stays attached.
  lines.push('Connection: close', '', '');
  socket.unshift(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), rest]));
  server.emit('connection', socket);
}

// — internal —

const OF_THE_CHANGE = /^(?:connection|upgrade|http2-settings)$/i;
