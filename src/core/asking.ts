import { ABANDONED_IDS_KEPT } from '../limits.ts';
import { modernMeta } from '../protocol/handshake.ts';
import { requestText } from '../protocol/jsonrpc.ts';
import { toServer } from './emit.ts';
import type { ListKind } from './model.ts';
import type { OwnRequest, Unawaited } from './own-requests.ts';
import type { Core, Instance, ReadCause, ServerLink } from './state.ts';

/** Requests of mcpd's own towards a server, and what may come of their answers. */

export type LinkNews =
  | { kind: 'none' }
  | { kind: 'ready' }
  | { kind: 'refused'; step: 'handshake' | 'list'; reason: string }
  /** It must be started afresh, with `initialize` first. */
  | { kind: 'respawn-legacy' }
  /** The reading of one of its lists has come to its end, with or without success. */
  | { kind: 'listed'; list: ListKind; cause: ReadCause; failed: boolean };

export const NO_NEWS: LinkNews = { kind: 'none' };

/** Sends a request of mcpd's own; returns its id. */
export function ask(
  core: Core,
  instance: Instance,
  link: ServerLink,
  own: OwnRequest,
  method: string,
  paramsJson: string | null,
): number {
  const id = link.nextId++;
  link.pending.set(id, own);
  toServer(core, instance, requestText(id, method, paramsJson));
  return id;
}

/** Sends a request whose answer changes nothing. */
export function tell(core: Core, instance: Instance, link: ServerLink, method: string, paramsJson: string): void {
  const id = link.nextId++;
  abandon(link, id, 'unneeded');
  toServer(core, instance, requestText(id, method, paramsJson));
}

/** From here on nobody waits for the answer to this request. A server need not answer at all, so not many are kept. */
export function abandon(link: ServerLink, id: number, why: Unawaited): void {
  if ((link.calls.get(id)?.need ?? 'no') !== 'no') link.needy -= 1;
  link.calls.delete(id);
  link.pending.delete(id);
  link.abandoned.set(id, why);
  if (link.abandoned.size <= ABANDONED_IDS_KEPT) return;
  for (const oldest of link.abandoned.keys()) {
    link.abandoned.delete(oldest);
    return;
  }
}

/** Abandons mcpd's own open requests of one kind. */
export function abandonOwn(link: ServerLink, isMeant: (own: OwnRequest) => boolean): void {
  for (const [id, own] of link.pending) if (isMeant(own)) abandon(link, id, 'unneeded');
}

/** JSON text of the `_meta` that mcpd's own requests carry towards a modern server; `capabilities` is JSON too. */
export function ownMeta(core: Core, capabilities = '{}'): string {
  return modernMeta(JSON.stringify(core.config.identity), capabilities, null);
}
