import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homeFault } from '../home.ts';
import { CALLBACK_PATH } from '../oauth-callback.ts';
import type { Callbacks } from './callbacks.ts';

/** Where the browser of one login is sent back to. */
export interface Redirect {
  uri: string;
  close(): void;
}

const HOSTNAME = '127.0.0.1';

/** On mcpd's own port, which hands such requests to `callbacks`; where it has none, on a free one for this login alone. */
export function openRedirect(port: number | null, callbacks: Callbacks): Promise<Redirect> {
  if (port !== null) return Promise.resolve({ uri: uriOn(port), close: () => undefined });
  const server = createServer((incoming, outgoing) => void answer(callbacks, incoming, outgoing));
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(homeFault(error, 'no port for the browser to come back to')));
    server.listen({ host: HOSTNAME, port: 0, exclusive: true }, () => {
      const own = (server.address() as AddressInfo).port;
      resolve({
        uri: uriOn(own),
        close: () => {
          server.close();
          // The last page may be on its way; what only waits is not.
          server.closeIdleConnections();
        },
      });
    });
  });
}

// — internal —

function uriOn(port: number): string {
  return `http://${HOSTNAME}:${port}${CALLBACK_PATH}`;
}

/** A stranger's page may send browsers here, but under another name than this address, or without a state that anybody expects. */
async function answer(callbacks: Callbacks, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method, headers, url: target = '' } = incoming;
  const isOurs = headers.host === `${HOSTNAME}:${incoming.socket.localPort}`;
  const fits = isOurs && method === 'GET' && target.split('?', 1)[0] === CALLBACK_PATH;
  const page = fits ? await callbacks.answer(target) : { status: 404, html: '' };
  outgoing.writeHead(page.status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  outgoing.end(page.html);
}
