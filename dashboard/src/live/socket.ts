import type { LiveEvent } from '../../../src/api/contract.ts';

/** Close code of the daemon for a wrong token: trying again would not help. */
const NO_TOKEN = 4401;
/** Between two attempts: short after the first loss, since the daemon may only restart, and growing. */
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 2000;

export interface LiveHandlers {
  event(event: LiveEvent): void;
  /** The connection is gone; it is being tried again. */
  lost(): void;
  /** The token is not (or no longer) right. */
  refused(): void;
}

/** Keeps the live stream open for as long as the page is. Each connection begins with a snapshot, so nothing is missed. */
export function keepLive(token: string, handlers: LiveHandlers): void {
  let retryMs = RETRY_FIRST_MS;
  const connect = () => {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.addEventListener('open', () => socket.send(token));
    socket.addEventListener('message', ({ data }) => {
      retryMs = RETRY_FIRST_MS;
      handlers.event(JSON.parse(String(data)) as LiveEvent);
    });
    // An error is always followed by a close.
    socket.addEventListener('close', ({ code }) => {
      if (code === NO_TOKEN) {
        handlers.refused();
        return;
      }
      handlers.lost();
      setTimeout(connect, retryMs);
      retryMs = Math.min(RETRY_MAX_MS, retryMs * 2);
    });
  };
  connect();
}
