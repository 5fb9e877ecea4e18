import { ALL_ABILITIES } from '../protocol/abilities.ts';
import { signal } from './fleet.ts';
import { isAtRest, newInstance } from './instance.ts';
import { sameLists } from './learning.ts';
import type { ServerDefinition } from './model.ts';
import type { Core, Instance } from './state.ts';

/** Trials: a definition is started to see whether it works and what it lists, before it is installed. */

export function beginTrial(core: Core, trial: string, definition: ServerDefinition): void {
  const key = `${definition.name}@trial-${trial}`;
  const instance = newInstance(core, key, definition, { kind: 'trial', trial });
  if (core.mode !== 'serving') {
    instance.verdict = { ok: false, step: 'start', reason: 'mcpd is stopping' };
    return reportTrial(core, instance, trial);
  }
  core.instances.set(key, instance);
  signal(core, instance, 'start-now', 'trial');
}

export function cancelTrial(core: Core, trial: string): void {
  for (const instance of core.instances.values()) {
    if (instance.purpose.kind !== 'trial' || instance.purpose.trial !== trial) continue;
    instance.verdict = { ok: false, step: 'start', reason: 'it was cancelled' };
    const comparison = comparisonOf(core, instance);
    for (const one of comparison === undefined ? [instance] : [comparison]) {
      signal(core, one, 'hurry', 'cancelled');
      goOnWithTrial(core, one);
    }
  }
}

/** Once its process is gone a trial is compared or reported, and leaves nothing behind. */
export function goOnWithTrial(core: Core, instance: Instance): void {
  const { purpose } = instance;
  if (purpose.kind === 'serve' || !isAtRest(instance)) return;
  if (purpose.kind === 'trial' && beginComparison(core, instance)) return;
  core.instances.delete(instance.key);
  if (purpose.kind === 'trial') reportTrial(core, instance, purpose.trial);
  else endComparison(core, instance, purpose.for);
}

// — internal —

/**
 * Legacy servers are tried twice: some list more to clients that declare more. True while that goes on. The second process starts when the
 * first is gone, since some servers lock what they work on.
 */
function beginComparison(core: Core, trial: Instance): boolean {
  if (comparisonOf(core, trial) !== undefined) return true;
  const { verdict } = trial;
  if (core.mode !== 'serving' || verdict?.ok !== true || verdict.memory.era === 'modern' || trial.compared)
    return false;
  trial.compared = true;
  const key = `${trial.key}-compared`;
  const whose = { holder: null, folder: null, abilities: ALL_ABILITIES };
  const instance = newInstance(core, key, trial.definition, { kind: 'compare', for: trial.key }, whose);
  core.instances.set(key, instance);
  signal(core, instance, 'start-now', 'to see what it lists to clients that can do more');
  return true;
}

function comparisonOf(core: Core, trial: Instance): Instance | undefined {
  return core.instances.get(`${trial.key}-compared`);
}

function endComparison(core: Core, comparison: Instance, key: string): void {
  const trial = core.instances.get(key);
  if (trial === undefined) return;
  // Where the second start fails, the lists of the first are what is known.
  if (trial.verdict?.ok === true && comparison.verdict?.ok === true) {
    const { memory } = trial.verdict;
    const lists = sameLists(memory.lists, comparison.verdict.memory.lists) ? [] : comparison.verdict.memory.lists;
    const variants = [{ declared: ALL_ABILITIES.declared, lists }];
    trial.verdict = { ...trial.verdict, memory: { ...memory, variants } };
  }
  goOnWithTrial(core, trial);
}

function reportTrial(core: Core, instance: Instance, trial: string): void {
  const { verdict } = instance;
  const exit = instance.exits.at(-1) ?? null;
  if (verdict?.ok === true) {
    const { memory, findings } = verdict;
    core.out.push({
      type: 'trial-finished',
      trial,
      outcome: { ok: true, memory, findings, durationMs: core.now - instance.spawnedAt },
    });
    return;
  }
  const { step, reason } = verdict ?? { step: 'start' as const, reason: exit?.cause ?? 'it ended' };
  core.out.push({ type: 'trial-finished', trial, outcome: { ok: false, step, reason, exit } });
}
