import { LISTEN_AGAIN_MS } from '../limits.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
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
    ...(link.subscribedTasks.size === 0 ? {} : { taskIds: [...link.subscribedTasks] }),
  };
  const wantsLists = filter.toolsListChanged || filter.promptsListChanged || filter.resourcesListChanged;
  if (!wantsLists && link.subscribedTasks.size === 0) return endListen(core, instance, link);
  const old = link.listenId;
  link.listenId = ask(
    core,
    instance,
    link,
    { kind: 'listen' },
    'subscriptions/listen',
    `{"notifications":${JSON.stringify(filter)},"_meta":${ownMeta(core, link.subscribedTasks.size === 0 ? '{}' : TAKES_TASKS)}}`,
  );
  // Only now: between the two nothing is missed.
  if (old !== null) cancelListen(core, instance, link, old);
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

const TAKES_TASKS = JSON.stringify({ extensions: { [TASKS_EXTENSION]: {} } });

/** There is nothing more to listen for. */
function endListen(core: Core, instance: Instance, link: ServerLink): void {
  const { listenId } = link;
  link.listenId = null;
  if (listenId !== null) cancelListen(core, instance, link, listenId);
}

function cancelListen(core: Core, instance: Instance, link: ServerLink, id: number): void {
  abandon(link, id, 'unneeded');
  toServer(core, instance, notificationText('notifications/cancelled', JSON.stringify({ requestId: id })));
}

function declares(link: ServerLink, capability: string): boolean {
  return link.capabilities[capability] !== undefined;
}
