import type { McpServer } from '@modelcontextprotocol/server';

export const ITEMS_URI = 'todo://items';
export const STATUS_URI = 'internal://server/status';

/** Tells who subscribed that an item, and with it the list and the counts, has changed. */
export type Announce = (id: number) => void;

/**
 * The legacy era subscribes by requests, which are answered here. In the modern era the SDK keeps the filters of
 * `subscriptions/listen` and lets through what somebody listens to, so every change is handed to it.
 */
export function announcing(server: McpServer, era: 'legacy' | 'modern'): Announce {
  const subscribed = new Set<string>();
  if (era === 'legacy') {
    server.server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
      subscribed.add(uri);
      return {};
    });
    server.server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
      subscribed.delete(uri);
      return {};
    });
  }
  return (id) => {
    for (const uri of [ITEMS_URI, itemUri(id), STATUS_URI]) {
      if (era === 'modern' || subscribed.has(uri)) send(server, uri);
    }
  };
}

// — internal —

function itemUri(id: number): string {
  return `${ITEMS_URI}/${id}`;
}

function send(server: McpServer, uri: string): void {
  server.server.sendResourceUpdated({ uri }).catch((error: unknown) => {
    // The change is made and its answer follows; only the notice is lost, with the pipe to the host.
    process.stderr.write(`no notice of ${uri}: ${String(error)}\n`);
  });
}
