import { CANCELLED_ASKS_MS } from '../input-limits.ts';
import type { Call } from './call.ts';
import type { Core, HostSession, Instance, ServerLink } from './state.ts';
import { isOfTask } from './tasks.ts';

/**
 * Whose a server's own request is. Over HTTP it comes on the stream of a call; on stdio nothing says so, and then it belongs to the only
 * host that it can belong to, or to nobody: one host must never be shown what another's call has caused.
 */
export type Owner =
  | { kind: 'call'; call: Call }
  /** Outside any call, or in one of several of the same legacy host, for which it makes no difference. */
  | { kind: 'session'; session: HostSession; calls: readonly Call[] }
  | { kind: 'nobody'; why: string };

export function ownerOf(core: Core, instance: Instance, link: ServerLink, about: number | null): Owner {
  const named = about === null ? undefined : link.calls.get(about);
  if (named !== undefined) return { kind: 'call', call: named };
  if (about !== null && link.cancelled.has(about)) return CANCELLED;
  if (about !== null) return ownerBetweenCalls(core, instance);
  const owner = ownerByCalls(core, instance, link);
  return owner.kind !== 'nobody' && othersMayAsk(core, link, owner) ? CANCELLED_MAY_ASK : owner;
}

// — internal —

const CANCELLED_MAY_ASK: Owner = {
  kind: 'nobody',
  why: 'a call of another host was just cancelled, and it may ask for the sake of that',
};

const CANCELLED: Owner = { kind: 'nobody', why: 'the call for which it asks was cancelled' };

/** A server may go on with what was cancelled, and ask. */
function othersMayAsk(core: Core, { cancelled }: ServerLink, owner: Exclude<Owner, { kind: 'nobody' }>): boolean {
  const { holder } = owner.kind === 'call' ? owner.call : owner.session;
  for (const one of cancelled.values()) if (one.holder !== holder && core.now - one.at < CANCELLED_ASKS_MS) return true;
  return false;
}

function ownerByCalls(core: Core, instance: Instance, link: ServerLink): Owner {
  const all = [...link.calls.values()];
  const plain = all.filter((call) => !isOfTask(call));
  // A server that forgets to name the task asks for the only calls that there are.
  const calls = plain.length > 0 ? plain : all;
  const [first] = calls;
  if (first === undefined) return ownerBetweenCalls(core, instance);
  if (calls.length === 1) return { kind: 'call', call: first };
  const session = core.sessions.get(first.session);
  const sameHost = calls.every((call) => call.session === first.session);
  if (sameHost && session !== undefined && first.hostEra === 'legacy') return { kind: 'session', session, calls };
  return { kind: 'nobody', why: 'calls of several hosts are open, and it does not say for which of them it asks' };
}

function ownerBetweenCalls(core: Core, instance: Instance): Owner {
  const session = instance.holder === null ? undefined : soleSession(core, instance);
  if (session !== undefined && session.era === 'legacy' && session.initialized)
    return { kind: 'session', session, calls: [] };
  return { kind: 'nobody', why: 'no call is open' };
}

function soleSession(core: Core, instance: Instance): HostSession | undefined {
  const own = core.sessions.get(instance.holder ?? '');
  if (own !== undefined) return own;
  const placed = [...core.sessions.values()].filter((one) => one.places.get(instance.server) === instance);
  return placed.length === 1 ? placed[0] : undefined;
}
