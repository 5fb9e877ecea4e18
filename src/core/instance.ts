import type { InstanceKey, ServerDefinition, ServerName } from './model.ts';
import type { Core, Instance } from './state.ts';

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
    again: false,
    generation: 0,
    pid: null,
    spawnedAt: core.now,
    readyAt: null,
    link: null,
    queue: [],
    unstable: [],
    notBefore: 0,
    lastTrialAt: null,
    fault: null,
    legacyFirst: false,
    exits: [],
    counters: { calls: 0, errors: 0, starts: 0, noise: 0, ghosts: 0 },
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

/** The instance that serves a server's calls. One per server here; where a server has several, this is the place that chooses. */
export function servingInstance(core: Core, server: ServerName): Instance | null {
  return core.instances.get(server) ?? null;
}
