import type { InstanceKey, ServerDefinition, ServerName } from './model.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { TransientMap } from './transient-map.ts';

export function newInstance(
  core: Core,
  key: InstanceKey,
  definition: ServerDefinition,
  purpose: Instance['purpose'],
): Instance {
  return {
    key,
    server: definition.name,
    definition,
    purpose,
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
    subscriptions: new Map(),
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
  };
}

/** Of a fresh process. */
export function newLink(fingerprint: string): ServerLink {
  return {
    fingerprint,
    step: 'probing',
    deaf: false,
    probe: 'unasked',
    refusal: null,
    era: null,
    protocolVersion: '',
    serverInfo: '{}',
    capabilities: {},
    instructions: null,
    nextId: 1,
    calls: new TransientMap(),
    pending: new Map(),
    abandoned: new Map(),
    reading: new Map(),
    read: new Map(),
    rereads: new Map(),
    logLevel: null,
    subscribed: new Set(),
    listenId: null,
    probedAt: null,
    flow: { since: 0, passed: 0, held: new Set() },
  };
}

/** The instance that serves a server's calls. One per server here; where a server has several, this is the place that chooses. */
export function servingInstance(core: Core, server: ServerName): Instance | null {
  return core.instances.get(server) ?? null;
}

/** Calls that were sent or wait to be. */
export function openCallsOf(instance: Instance): number {
  return instance.queue.size + (instance.link?.calls.size ?? 0);
}
