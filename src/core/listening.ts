import { LISTEN_AGAIN_MS } from '../limits.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { abandon, ask, ownMeta } from './asking.ts';
import { arm, toServer } from './emit.ts';
import type { Core, Instance, ServerLink } from './state.ts';

/** mcpd's own subscriptions/listen at a modern server: its list changes, and the URIs that hosts watch. A new one replaces the old. */
export function listen(core: Core, instance: Instance, link: ServerLink): void {
  if (link.era !== 'modern') return;
  const filter = {
    toolsListChanged: declares(link, 'tools'),
    promptsListChanged: declares(link, 'prompts'),
    resourcesListChanged: declares(link, 'resources'),
    ...(link.subscribed.size === 0 ? {} : { resourceSubscriptions: [...link.subscribed] }),
  };
  if (!filter.toolsListChanged && !filter.promptsListChanged && !filter.resourcesListChanged) return;
  const old = link.listenId;
  link.listenId = ask(
    core,
    instance,
    link,
    { kind: 'listen' },
    'subscriptions/listen',
    `{"notifications":${JSON.stringify(filter)},"_meta":${ownMeta(core)}}`,
  );
  if (old === null) return;
  // Only now: between the two nothing is missed.
  abandon(link, old, 'unneeded');
  toServer(core, instance, notificationText('notifications/cancelled', JSON.stringify({ requestId: old })));
}

/** The server ended the listen `id`. One that refused it is not asked again. */
export function onListenEnded(core: Core, instance: Instance, link: ServerLink, id: number, refused: boolean): void {
  if (link.listenId !== id) return;
  link.listenId = null;
  // Its answer may follow.
  if (link.pending.has(id)) abandon(link, id, 'unneeded');
  if (!refused) arm(core, `listen:${instance.key}`, LISTEN_AGAIN_MS);
}

// — internal —

function declares(link: ServerLink, capability: string): boolean {
  return link.capabilities[capability] !== undefined;
}
