import type { AskOptions, Host } from './host.ts';
import type { Message } from './message.ts';

export const MODERN_REVISION = '2026-07-28';

export interface ModernOptions extends AskOptions {
  capabilities?: Record<string, unknown>;
  protocolVersion?: string;
  /** Further members of `_meta`, such as `progressToken`. */
  meta?: Record<string, unknown>;
}

/** The `_meta` that every request of the stateless revision carries. */
function envelope(options: ModernOptions = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': options.protocolVersion ?? MODERN_REVISION,
    'io.modelcontextprotocol/clientCapabilities': options.capabilities ?? {},
    'io.modelcontextprotocol/clientInfo': { name: 'scripted-host', version: '1.0.0' },
    ...options.meta,
  };
}

/** `host.ask` as a modern host does it: no handshake before, the envelope in each request. */
export function askModern(
  host: Host,
  method: string,
  params: Record<string, unknown> = {},
  options: ModernOptions = {},
): Promise<Message> {
  return host.ask(method, { ...params, _meta: envelope(options) }, options);
}

export interface Listening {
  id: string;
  /** Resolves when the other side ends the subscription by itself. */
  ended: Promise<Message>;
  /** Notifications of this subscription, the acknowledgement first. */
  received(): Message[];
  /** Ends it, as a stdio host does. */
  end(): void;
}

let listens = 0;

/** Opens `subscriptions/listen` with a filter such as `{ toolsListChanged: true, resourceSubscriptions: [uri] }`. */
export function listenModern(host: Host, filter: Record<string, unknown>, options: ModernOptions = {}): Listening {
  const id = `listen-${++listens}`;
  const ended = host.expect(id, options.timeoutMs ?? 600_000, 'subscriptions/listen').then(({ message }) => message);
  // A test that closes the host with an open subscription has nothing to wait for.
  ended.catch(() => {});
  host.send({ id, method: 'subscriptions/listen', params: { notifications: filter, _meta: envelope(options) } });
  return {
    id,
    ended,
    received: () => host.notifications.filter((notification) => subscriptionOf(notification) === id),
    end: () => host.notify('notifications/cancelled', { requestId: id, _meta: envelope(options) }),
  };
}

// — internal —

function subscriptionOf(notification: Message): unknown {
  const meta = notification.params?.['_meta'];
  return typeof meta === 'object' && meta !== null
    ? (meta as Record<string, unknown>)['io.modelcontextprotocol/subscriptionId']
    : undefined;
}
