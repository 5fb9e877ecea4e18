import { QUIET_TARGETS_KEPT, TURN_MAX_MS, TURN_WAIT_MS } from '../limits.ts';
import type { Call } from './call.ts';
import { arm } from './emit.ts';
import type { Core, Instance, ServerLink } from './state.ts';

/**
 * Calls take turns where a question of the server could not be told to be the one's or the other's: on a legacy server without streams, for
 * hosts that can be asked. Of a tool that has never been called nobody knows whether it asks, so its first call is by itself; once it has
 * answered without asking it is quiet, and overlaps with others from then on.
 */

/** True when it may be sent now; else it is to wait in the queue, and `onTurnTimer` looks again. */
export function takesTurn(core: Core, link: ServerLink, call: Call): boolean {
  if (link.era === 'modern' || link.tellsAbout) return true;
  call.need = needOf(core, call);
  if (call.need === 'no' && link.needy === 0) return true;
  if (![...link.calls.values()].some((other) => collides(call, other))) return true;
  const { callsBackSince = null } = core.servers.get(call.server) ?? {};
  call.turnAt ??= core.now + (callsBackSince === null ? TURN_WAIT_MS : TURN_MAX_MS);
  // After that it goes all the same, and a question that comes meanwhile is refused.
  return core.now >= call.turnAt && !waitsForPerson(link, call);
}

/** A call that it must not overlap with waits for what a person is asked, and may do so for long. */
export function waitsForPerson(link: ServerLink, call: Call): boolean {
  for (const other of link.calls.values())
    if ((other.parked !== null || other.questions > 0) && collides(call, other)) return true;
  return false;
}

/** It waits for its turn. */
export function awaitTurn(core: Core, instance: Instance, call: Call): void {
  instance.queue.add(call);
  if (instance.turnArmed) return;
  instance.turnArmed = true;
  arm(core, `turn:${instance.key}`, TURN_WAIT_MS);
}

/** Something has changed for the calls that wait: they are looked at when this event is done with. */
export function lookAtQueue(core: Core, instance: Instance): void {
  if (instance.queue.size === 0) return;
  instance.turnArmed = true;
  arm(core, `turn:${instance.key}`, 0);
}

/** It answered without asking anything: that is known of it from now on. */
export function noteQuiet(core: Core, call: Call): void {
  const known = core.servers.get(call.server);
  if (call.abilities.declared === '' || call.askedBack) return;
  if (known !== undefined && known.quiet.size < QUIET_TARGETS_KEPT) known.quiet.add(call.target);
}

export function hasWaitedTooLong(core: Core, call: Call): boolean {
  return call.turnAt !== null && core.now >= call.turnAt;
}

// — internal —

function needOf(core: Core, call: Call): Call['need'] {
  const known = core.servers.get(call.server);
  if (known === undefined || call.abilities.declared === '') return 'no';
  if (known.callsBackSince === null && known.quiet.has(call.target)) return 'no';
  // A modern host is asked by ending its call, so it must be known which one.
  return call.hostEra === 'modern' ? 'alone' : 'alone-among-hosts';
}

function collides(call: Call, other: Call): boolean {
  if (call.need === 'alone' || other.need === 'alone') return true;
  return call.holder !== other.holder && (call.need !== 'no' || other.need !== 'no');
}
