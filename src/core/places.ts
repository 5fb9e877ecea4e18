import { type Abilities, ALL_ABILITIES, NO_ABILITIES, SHARED_ABILITIES } from '../protocol/abilities.ts';
import { newInstance } from './instance.ts';
import type { ServerMemory, ServerName } from './model.ts';
import type { Core, HostSession, Instance, KnownServer } from './state.ts';

/**
 * Which process of a server serves a host. One for all, as long as nothing speaks against it: a legacy server is told once and for all
 * what its client can be asked, and does not say which call a question belongs to.
 */

/** The instance for this session; one of its own is made when it must have one. Null while the server has none at all. */
export function placeFor(core: Core, session: HostSession, abilities: Abilities, known: KnownServer): Instance | null {
  const { name } = known.definition;
  const placed = session.places.get(name);
  if (placed !== undefined && core.instances.get(placed.key) === placed) return placed;
  const holder = holderFor(session, abilities, known);
  const instance = holder === null ? (core.instances.get(name) ?? null) : ownInstance(core, known, holder, abilities);
  // One that lasts a single request is placed by what is known at its time.
  if (instance !== null && session.door.lasts === 'connection') session.places.set(name, instance);
  return instance;
}

/** All processes that serve this server, that of all hosts first. */
export function instancesOf(core: Core, server: ServerName): Instance[] {
  const found: Instance[] = [];
  for (const instance of core.instances.values())
    if (instance.server === server && instance.purpose.kind === 'serve') found.push(instance);
  return found.sort((a, b) => (a.holder ?? '').localeCompare(b.holder ?? ''));
}

/** Whether some host may still come to it. */
export function isHeldBySomebody(core: Core, { holder, server, key }: Instance): boolean {
  if (holder === null) return true;
  for (const session of core.sessions.values())
    if (session.holder === holder || session.places.get(server)?.key === key) return true;
  return false;
}

/** What a fresh process is told of its clients. */
export function declaredBy(core: Core, instance: Instance): Abilities {
  if (instance.holder !== null || instance.purpose.kind !== 'serve') return instance.abilities;
  const known = core.servers.get(instance.server);
  return known?.definition.sharing === 'auto' && differs(known.memory, ALL_ABILITIES.declared)
    ? NO_ABILITIES
    : SHARED_ABILITIES;
}

/** Nobody has seen yet what it lists to such clients, though it lists more to those that can do everything. */
export function isUnseen(memory: ServerMemory | null, declared: string): boolean {
  return differs(memory, declared) && memory?.variants.every((one) => one.declared !== declared) === true;
}

// — internal —

/** Whether a legacy server lists something else to clients that declare this; as far as is known. */
function differs(memory: ServerMemory | null, declared: string): boolean {
  if (memory === null || memory.era === 'modern' || declared === '') return false;
  const variant =
    memory.variants.find((one) => one.declared === declared) ??
    memory.variants.find((one) => one.declared === ALL_ABILITIES.declared);
  return variant !== undefined && variant.lists.length > 0;
}

function holderFor(session: HostSession, abilities: Abilities, { definition, memory, callsBackSince }: KnownServer) {
  switch (definition.sharing) {
    case 'shared':
      return null;
    case 'per-session':
      return session.holder;
    case 'per-workspace':
      return session.door.cwd ?? session.holder;
    case 'auto': {
      if (memory?.era !== 'legacy' || abilities.declared === '') return null;
      const callsBack = callsBackSince !== null && session.openedAt >= callsBackSince;
      return callsBack || differs(memory, abilities.declared) ? session.holder : null;
    }
  }
}

function ownInstance(core: Core, { definition }: KnownServer, holder: string, abilities: Abilities): Instance {
  const key = `${definition.name}@${KEY.test(holder) ? holder : core.config.digest(Buffer.from(holder)).slice(0, 12)}`;
  const found = core.instances.get(key);
  if (found !== undefined) return found;
  const instance = newInstance(core, key, definition, { kind: 'serve' }, { holder, abilities });
  core.instances.set(key, instance);
  return instance;
}

/** What may stand in an instance's key: timers are named by it. */
const KEY = /^[A-Za-z0-9:._-]{1,64}$/;
