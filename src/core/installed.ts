import { openCallsOf } from './calls.ts';
import { find, log, publishServer } from './emit.ts';
import { giveUp, signal } from './fleet.ts';
import { newInstance } from './instance.ts';
import { entriesOf, rebuildUris, takeNames } from './learning.ts';
import { LIST_KINDS, type ListKind, type ServerDefinition, type ServerMemory, type ServerName } from './model.ts';
import { announceLists } from './notices.ts';
import type { Core, Instance, KnownServer } from './state.ts';

/** What follows when the registry or a person changes a server. */

/** The registry has this server now: new, changed, enabled or disabled. */
export function define(core: Core, definition: ServerDefinition, memory: ServerMemory | null): void {
  const before = core.servers.get(definition.name) ?? null;
  const shown = visibleLists(before);
  core.servers.set(definition.name, { definition, memory });
  takeNames(core, definition.name, memory);
  announceLists(core, union(shown, visibleLists({ definition, memory })));
  const instance =
    core.instances.get(definition.name) ?? newInstance(core, definition.name, definition, { kind: 'serve' });
  core.instances.set(definition.name, instance);
  const relaunch = instance.definition.fingerprint !== definition.fingerprint;
  instance.definition = definition;
  if (relaunch) relaunchWith(core, instance, 'its settings changed');
  if (!definition.enabled) {
    instance.held = false;
    instance.again = false;
    signal(core, instance, 'want-down', 'disabled');
  } else if (definition.start === 'always') {
    instance.held = true;
    wantUp(core, instance, 'it is always up');
  } else if (memory === null && definition.start === 'on-demand') {
    wantUp(core, instance, 'its lists are not known yet');
  }
  publishServer(core, definition.name);
}

export function remove(core: Core, name: ServerName): void {
  const before = core.servers.get(name) ?? null;
  core.servers.delete(name);
  const added = rebuildUris(core);
  if (added.length > 0) core.out.push({ type: 'save-names', names: added });
  announceLists(core, visibleLists(before));
  const instance = core.instances.get(name);
  if (instance !== undefined) {
    instance.held = false;
    instance.again = false;
    signal(core, instance, 'want-down', 'uninstalled');
    forgetIfGone(core, instance);
  }
  publishServer(core, name);
}

/** An uninstalled server and a finished trial leave nothing behind once their process is gone. */
export function forgetIfGone(core: Core, instance: Instance): void {
  const atRest = instance.phase === 'stopped' || instance.phase === 'failed' || instance.phase === 'backoff';
  if (!atRest) return;
  if (instance.purpose.kind === 'trial') {
    core.instances.delete(instance.key);
    reportTrial(core, instance, instance.purpose.trial);
  } else if (!core.servers.has(instance.server)) {
    core.instances.delete(instance.key);
    publishServer(core, instance.server);
  }
}

/** A person's word. */
export function command(core: Core, instance: Instance, what: 'start' | 'stop' | 'restart'): void {
  log(core, instance, 'info', `asked to ${what}`);
  if (what === 'stop') {
    instance.held = false;
    instance.again = false;
    return signal(core, instance, 'want-down', 'stopped by hand');
  }
  if (what === 'start') instance.held = true;
  instance.unstable = [];
  instance.notBefore = 0;
  instance.legacyFirst = false;
  if (what === 'restart') return relaunchWith(core, instance, 'restart') ? undefined : startNow(core, instance);
  startNow(core, instance);
}

/** Starts a definition that is not installed yet, to see whether it works and what it lists. */
export function beginTrial(core: Core, trial: string, definition: ServerDefinition): void {
  const key = `${definition.name}@trial-${trial}`;
  const instance = newInstance(core, key, definition, { kind: 'trial', trial });
  core.instances.set(key, instance);
  signal(core, instance, 'start-now', 'trial');
}

export function cancelTrial(core: Core, trial: string): void {
  for (const instance of [...core.instances.values()]) {
    if (instance.purpose.kind !== 'trial' || instance.purpose.trial !== trial) continue;
    instance.verdict = { ok: false, step: 'start', reason: 'it was cancelled' };
    signal(core, instance, 'want-down', 'cancelled');
    signal(core, instance, 'want-down', 'cancelled');
    forgetIfGone(core, instance);
  }
}

/** Too much memory: recycled when idle, ended at once over the hard limit. */
export function onMemory(core: Core, instance: Instance, limit: 'soft' | 'hard', bytes: number): void {
  const size = `${Math.round(bytes / 1024 / 1024)} MiB`;
  if (limit === 'hard') return giveUp(core, instance, `memory: ${size}, over its hard limit`);
  find(core, instance, 'memory', `memory: ${size}, over its soft limit; it is started afresh when idle`);
  recycleIfIdle(core, instance);
}

/** Tried again by a timer until no call is open. */
export function recycleIfIdle(core: Core, instance: Instance): void {
  if (instance.phase !== 'running' || !instance.findings.has('memory')) return;
  if (openCallsOf(instance) > 0) {
    core.out.push({ type: 'arm-timer', timer: `memory:${instance.key}`, afterMs: 5000 });
    return;
  }
  instance.findings.delete('memory');
  relaunchWith(core, instance, 'memory over its soft limit');
}

export function beginShutdown(core: Core, now: boolean): void {
  core.mode = 'stopping';
  for (const instance of core.instances.values()) {
    signal(core, instance, 'want-down', 'mcpd is stopping');
    if (now) signal(core, instance, 'want-down', 'mcpd is stopping');
  }
}

export function allAtRest(core: Core): boolean {
  return [...core.instances.values()].every((one) => one.phase === 'stopped' || one.phase === 'failed');
}

// — internal —

/** Stops it, to be started again if it was up; false when it was not. */
function relaunchWith(core: Core, instance: Instance, reason: string): boolean {
  switch (instance.phase) {
    case 'queued':
      // It has no process yet: the one it gets will have the new settings.
      return true;
    case 'running':
    case 'starting':
      instance.again = true;
      signal(core, instance, 'want-down', reason);
      return true;
    case 'draining':
    case 'stopping':
      instance.again = true;
      return true;
    case 'stopped':
    case 'backoff':
    case 'failed':
      return false;
  }
}

function startNow(core: Core, instance: Instance): void {
  if (instance.phase === 'draining' || instance.phase === 'stopping') instance.again = true;
  else signal(core, instance, 'start-now', null);
}

function wantUp(core: Core, instance: Instance, reason: string): void {
  if (instance.phase === 'draining' || instance.phase === 'stopping') instance.again = true;
  else if (instance.phase === 'stopped') signal(core, instance, 'want-up', reason);
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

function visibleLists(known: KnownServer | null): ListKind[] {
  return known?.definition.enabled === true
    ? LIST_KINDS.filter((kind) => entriesOf(known.memory, kind).length > 0)
    : [];
}

function union(a: readonly ListKind[], b: readonly ListKind[]): Set<ListKind> {
  return new Set([...a, ...b]);
}
