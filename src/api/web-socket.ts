import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { LIVE_QUEUE_BYTES_MAX, WS_MESSAGE_BYTES_MAX, WS_TOKEN_TIMEOUT_MS } from '../operation-limits.ts';
import { encoded, type Listener } from './answer.ts';
import type { DaemonControl } from './daemon-control.ts';
import { type LiveWatch, watchLive } from './live.ts';
import { sameSecret } from './token.ts';

/** Close codes of our own (4000 and above are free for applications); the page knows them. */
const NO_TOKEN = 4401;
const STOPPING = 1001;

export interface LiveSockets {
  /** Takes over the connection of a request that the guard let through. */
  accept(listener: Listener, request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

/** `/ws`: the stream of `GET /api/live`. A page cannot send headers with it, so its first message is the token. */
export function createLiveSockets(control: DaemonControl, token: string): LiveSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: WS_MESSAGE_BYTES_MAX, perMessageDeflate: false });
  return {
    accept: (listener, request, socket, head) => {
      server.handleUpgrade(request, socket, head, (page) => {
        // Whatever fails, `close` follows.
        page.on('error', () => undefined);
        if (listener === 'local') stream(control, page, listener);
        else awaitToken(page, token, () => stream(control, page, listener));
      });
    },
    close: () => {
      for (const page of server.clients) {
        page.close(STOPPING);
        page.terminate();
      }
    },
  };
}

// — internal —

function awaitToken(page: WebSocket, token: string, then: () => void): void {
  const refuse = () => page.close(NO_TOKEN, 'the first message must be the token');
  const timer = setTimeout(refuse, WS_TOKEN_TIMEOUT_MS);
  timer.unref();
  page.once('close', () => clearTimeout(timer));
  page.once('message', (data, isBinary) => {
    clearTimeout(timer);
    if (!isBinary && sameSecret(String(data), token)) then();
    else refuse();
  });
}

function stream(control: DaemonControl, page: WebSocket, listener: Listener): void {
  const watch: LiveWatch = watchLive(control, {
    waitingBytes: () => page.bufferedAmount,
    write: (event) => {
      if (page.bufferedAmount > LIVE_QUEUE_BYTES_MAX) page.terminate();
      // Called when it went out; an error is told by `close`, too.
      else if (page.readyState === page.OPEN) page.send(encoded(event, listener), () => watch.taken());
    },
  });
  page.once('close', () => watch.stop());
}
