import { QUIET_TARGETS_KEPT, TURN_MAX_MS, TURN_WAIT_MS } from '../input-limits.ts';
import type { Call } from './call.ts';
import { arm } from './emit.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { isOfTask } from './tasks.ts';

/**
 * Calls take turns where a question of the server could not be told to be the one's or the other's: on a legacy server without streams, for
 * hosts that can be asked. Of a tool that has never been called nobody knows whether it asks, so its first call is by itself; once it has
 * answered without asking it is quiet, and overlaps with others from then on.
 */

/** True when it may be sent now; else it is to wait in the queue, where those stand that came before it, and `onTurnTimer` looks again. */
export function takesTurn(core: Core, instance: Instance, link: ServerLink, call: Call): boolean {
  const streams = link.era === 'modern' || link.tellsAbout;
  call.need = streams ? 'no' : needOf(core, call);
  if (call.need === 'no' && (streams || (link.needy === 0 && instance.queue.size === 0))) return true;
  if (!collidesWithAny(call, link.calls.values()) && !collidesWithAny(call, instance.queue)) return true;
  call.waitingSince ??= core.now;
  // After that it goes all the same, and a question that comes meanwhile is refused.
  return hasWaitedTooLong(core, call) && !waitsForPerson(link, call);
}

/** It has waited too long for a call with which it must not overlap, while a person is asked for that one's sake. */
export function isRefusedNow(core: Core, link: ServerLink, call: Call): boolean {
  return hasWaitedTooLong(core, call) && waitsForPerson(link, call);
}

/** It waits for its turn. */
export function awaitTurn(core: Core, instance: Instance, call: Call): void {
  instance.queue.add(call);
  lookAt(core, instance, (call.waitingSince ?? core.now) + patienceMs(core, call));
}

/** Something has changed for the calls that wait: they are looked at when this event is done with. */
export function lookAtQueue(core: Core, instance: Instance): void {
  if (instance.queue.size > 0) lookAt(core, instance, core.now);
}

/** It answered without asking anything: that is known of it from now on. */
export function noteQuiet(core: Core, call: Call): void {
  if (call.abilities.declared === '' || call.askedBack) return;
  const known = core.servers.get(call.server);
  if (known !== undefined && known.quiet.size < QUIET_TARGETS_KEPT) known.quiet.add(quietKey(call));
}

// — internal —

function needOf(core: Core, call: Call): Call['need'] {
  const known = core.servers.get(call.server);
  if (known === undefined || call.abilities.declared === '') return 'no';
  if (isOfTask(call)) return 'no';
  if (known.callsBackSince === null && known.quiet.has(quietKey(call))) return 'no';
  // A modern host is asked by ending its call, so it must be known which one.
  return call.hostEra === 'modern' ? 'alone' : 'alone-among-hosts';
}

function collidesWithAny(call: Call, others: Iterable<Call>): boolean {
  for (const other of others) if (collides(call, other)) return true;
  return false;
}

function collides(call: Call, other: Call): boolean {
  if (isOfTask(call) || isOfTask(other)) return false;
  if (call.need === 'alone' || other.need === 'alone') return true;
  return call.holder !== other.holder && (call.need !== 'no' || other.need !== 'no');
}

/** That may take long. */
function waitsForPerson(link: ServerLink, call: Call): boolean {
  for (const other of link.calls.values())
    if ((other.parked !== null || other.questions > 0) && collides(call, other)) return true;
  return false;
}

/** Tools, prompts and resources may have the same names. */
function quietKey({ method, target }: Call): string {
  return method === 'tools/call' ? target : `${method} ${target}`;
}

/** A server that is known to ask is worth a longer wait. */
function patienceMs(core: Core, { server }: Call): number {
  const { callsBackSince = null } = core.servers.get(server) ?? {};
  return callsBackSince === null ? TURN_WAIT_MS : TURN_MAX_MS;
}

function hasWaitedTooLong(core: Core, call: Call): boolean {
  return call.waitingSince !== null && core.now >= call.waitingSince + patienceMs(core, call);
}

/** One timer per instance, for the earliest of these times. */
function lookAt(core: Core, instance: Instance, at: number): void {
  if (instance.turnArmedFor !== null && instance.turnArmedFor <= at) return;
  instance.turnArmedFor = at;
  arm(core, `turn:${instance.key}`, at - core.now);
}
