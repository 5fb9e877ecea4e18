import { OWN_PROCESSES_MAX } from '../input-limits.ts';
import { type Abilities, ALL_ABILITIES, NO_ABILITIES, SHARED_ABILITIES } from '../protocol/abilities.ts';
import { publishServer } from './emit.ts';
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
  const instance =
    holder === null ? (core.instances.get(name) ?? null) : ownInstance(core, session, known, holder, abilities);
  if (instance === null) return null;
  // One that lasts a single request is placed by what is known at its time.
  if (session.door.lasts === 'connection') session.places.set(name, instance);
  if (instance.holder !== null && instance.lastHost !== session.host) {
    instance.lastHost = session.host;
    publishServer(core, name);
  }
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

/**
 * The process of this holder. A client that comes with each request anew may declare something else each time, and need not come back for
 * a call that waits for its input: it gets a process for each declaration, and a further one while a call waits in the last.
 */
function ownInstance(
  core: Core,
  session: HostSession,
  { definition }: KnownServer,
  holder: string,
  abilities: Abilities,
): Instance {
  const comesAnew = session.door.lasts === 'request';
  const whose = comesAnew ? `${holder}/${abilities.declared}` : holder;
  const first = `${definition.name}@${KEY.test(whose) ? whose : core.config.digest(Buffer.from(whose)).slice(0, 12)}`;
  for (let nth = 1; ; nth++) {
    const key = nth === 1 ? first : `${first}.${nth}`;
    const found = core.instances.get(key);
    if (found !== undefined && comesAnew && nth < OWN_PROCESSES_MAX && waitsForInput(found)) continue;
    if (found !== undefined) return found;
    const folder = holder === session.holder ? null : holder;
    const instance = newInstance(core, key, definition, { kind: 'serve' }, { holder, folder, abilities });
    core.instances.set(key, instance);
    return instance;
  }
}

/** A call is open in it whose host has been asked for input, and may never come back: others must not overlap with it there. */
function waitsForInput({ link }: Instance): boolean {
  if (link?.tellsAbout === true) return false;
  for (const { parked } of link?.calls.values() ?? []) if (parked !== null) return true;
  return false;
}

/** What may stand in an instance's key: timers are named by it. */
const KEY = /^[A-Za-z0-9:._-]{1,64}$/;
