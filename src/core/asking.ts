import { modernMeta } from '../protocol/handshake.ts';
import { requestText } from '../protocol/jsonrpc.ts';
import { toServer } from './emit.ts';
import type { ListKind } from './model.ts';
import type { Core, Instance, Pending, ServerLink } from './state.ts';

/** Requests of mcpd's own towards a server, and what may come of their answers. */

export type LinkNews =
  | { kind: 'none' }
  | { kind: 'ready' }
  | { kind: 'refused'; step: 'handshake' | 'list'; reason: string }
  /** It must be started afresh, with `initialize` first. */
  | { kind: 'respawn-legacy' }
  /** One of its lists has been read to its end. */
  | { kind: 'listed'; list: ListKind };

export const NO_NEWS: LinkNews = { kind: 'none' };

/** Sends a request of mcpd's own; returns its id. */
export function ask(
  core: Core,
  instance: Instance,
  link: ServerLink,
  pending: Pending,
  method: string,
  paramsJson: string | null,
): number {
  const id = link.nextId++;
  link.pending.set(id, pending);
  toServer(core, instance, requestText(id, method, paramsJson));
  return id;
}

/** JSON text of the `_meta` that mcpd's own requests carry towards a modern server. */
export function ownMeta(core: Core): string {
  return modernMeta(JSON.stringify(core.config.identity), null);
}
