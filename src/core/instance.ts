import { type Abilities, NO_ABILITIES } from '../protocol/abilities.ts';
import { taskSupportIn } from '../protocol/tasks.ts';
import type { Call } from './call.ts';
import type { InstanceKey, ServerDefinition } from './model.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { TransientMap } from './transient-map.ts';
import type { Whose } from './whose.ts';

export function newInstance(
  core: Core,
  key: InstanceKey,
  definition: ServerDefinition,
  purpose: Instance['purpose'],
  whose: { holder: string | null; folder: string | null; abilities: Abilities } = FOR_ALL,
): Instance {
  return {
    key,
    server: definition.name,
    definition,
    purpose,
    holder: whose.holder,
    folder: whose.folder,
    lastHost: '',
    abilities: whose.abilities,
    phase: 'stopped',
    since: core.now,
    reason: null,
    held: false,
    again: 'no',
    generation: 0,
    pid: null,
    spawnedAt: core.now,
    readyAt: null,
    link: null,
    queue: new Set(),
    asking: new Set(),
    subscriptions: new Map(),
    taskWatchers: new Map(),
    unstable: [],
    notBefore: 0,
    halfOpen: false,
    fault: null,
    legacyFirst: false,
    exits: [],
    counters: { calls: 0, errors: 0, starts: 0, noise: 0, ghosts: 0, late: 0 },
    findings: new Map(),
    misses: 0,
    heardAt: core.now,
    timedOutAt: null,
    deadlineArmedFor: null,
    usedAt: core.now,
    idleArmed: false,
    verdict: null,
    turnArmedFor: null,
    compared: false,
  };
}

/** Of a fresh process. `abilities` is what it is told that its clients can be asked. */
export function newLink(fingerprint: string, abilities: Abilities): ServerLink {
  return {
    fingerprint,
    abilities,
    step: 'probing',
    deaf: false,
    probe: 'unasked',
    refusal: null,
    lateGreeting: null,
    era: null,
    protocolVersion: '',
    serverInfo: '{}',
    capabilities: {},
    taskSupport: taskSupportIn({}),
    instructions: null,
    nextId: 1,
    calls: new TransientMap(),
    needy: 0,
    pending: new Map(),
    abandoned: new Map(),
    cancelled: new Map(),
    tasks: new Map(),
    reading: new Map(),
    read: new Map(),
    rereads: new Map(),
    logLevel: null,
    tellsAbout: false,
    asked: new Map(),
    elicitations: new Map(),
    subscribed: new Set(),
    subscribedTasks: new Set(),
    listenId: null,
    probedAt: null,
    flow: { since: 0, passed: 0, held: new Set() },
  };
}

/** Calls that its process works at. */
export function callsAtServer({ link, asking }: Instance): Call[] {
  const atTask = [...asking].filter(
    ({ phase, task }) => phase.name === 'polling' || (task?.kind === 'run' && task.task !== null),
  );
  return [...(link?.calls.values() ?? []), ...atTask];
}

/** Calls that were sent, wait to be, or wait for what their hosts are asked or for a task. */
export function openCallsOf(instance: Instance): number {
  return instance.queue.size + instance.asking.size + (instance.link?.calls.size ?? 0);
}

/** No process of it is there or on its way. */
export function isAtRest({ phase }: Instance): boolean {
  return phase === 'stopped' || phase === 'failed' || phase === 'backoff';
}

/** For whom it is there; costs a look at each session where it is for some. */
export function whoseIs(core: Core, instance: Instance): Whose {
  const { holder, folder, lastHost, server, purpose } = instance;
  if (purpose.kind !== 'serve') return { hosts: [], folder: null };
  if (holder === null) return { hosts: null, folder: null };
  const names = new Set<string>();
  for (const session of core.sessions.values())
    if (session.holder === holder || session.places.get(server) === instance) names.add(session.host);
  if (names.size === 0) names.add(lastHost);
  return { hosts: [...names].sort(), folder };
}

// — internal —

const FOR_ALL = { holder: null, folder: null, abilities: NO_ABILITIES };
