import { notificationText } from '../protocol/jsonrpc.ts';
import { publishServer, toServer } from './emit.ts';
import { signal, wantUp } from './fleet.ts';
import { forgetIfGone } from './installed.ts';
import { isHeldBySomebody, isUnseen, placeFor } from './places.ts';
import type { Core, HostSession } from './state.ts';
import { neededForTasksUntil } from './tasks.ts';

/** What a host's coming and going means for the processes that are its own. */

/** It has left: what nobody else may come to is stopped. */
export function releasePlaces(core: Core, session: HostSession): void {
  for (const instance of session.places.values()) {
    if (instance.holder === null) continue;
    instance.lastHost = session.host;
    publishServer(core, instance.server);
  }
  session.places.clear();
  for (const instance of core.instances.values()) {
    if (instance.holder === null || instance.purpose.kind !== 'serve' || isHeldBySomebody(core, instance)) continue;
    // A client that comes with each request anew may come again: its processes stop when they are idle.
    // And tasks may be asked for by the same person's next session.
    if (instance.holder !== session.door.principal && neededForTasksUntil(core, instance) <= core.now) {
      instance.again = 'no';
      signal(core, instance, 'want-down', 'its host has left');
    }
    forgetIfGone(core, instance);
  }
}

/** Servers that list more to hosts like this one, though nobody has seen what: they are started to tell, and hosts hear of it. */
export function seeUnseen(core: Core, session: HostSession): void {
  const { abilities } = session;
  const { scope } = session.door;
  if (abilities.declared === '' || session.door.lasts !== 'connection') return;
  for (const known of core.servers.values()) {
    const { name, enabled, start } = known.definition;
    const isShown = scope.kind === 'all' || scope.server === name;
    if (!isShown || !enabled || start === 'manual' || !isUnseen(known.memory, abilities.declared)) continue;
    const instance = placeFor(core, session, abilities, known);
    if (instance !== null) wantUp(core, instance, 'its lists for such hosts are not known yet');
  }
}

/** Its roots have changed: the servers that asked for them are told. */
export function tellRootsChanged(core: Core, session: HostSession): void {
  for (const instance of session.places.values()) {
    const { link } = instance;
    if (link?.step !== 'ready' || link.era !== 'legacy' || !link.abilities.roots.listChanged) continue;
    toServer(core, instance, notificationText('notifications/roots/list_changed', null));
  }
}
