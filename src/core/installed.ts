import { RECYCLE_RETRY_MS } from '../limits.ts';
import { finishWithRefusal } from './calls.ts';
import { arm, disarm, find, log, publishServer } from './emit.ts';
import { forgive, giveUp, planTrial, signal, wantUp } from './fleet.ts';
import { armIdle } from './idle.ts';
import { isAtRest, newInstance, openCallsOf } from './instance.ts';
import { takeNames } from './learning.ts';
import type { ServerDefinition, ServerLock, ServerMemory, ServerName, Wish } from './model.ts';
import { announceLists } from './notices.ts';
import { instancesOf, isHeldBySomebody } from './places.ts';
import { notStarted } from './refusals.ts';
import type { Core, Instance, KnownServer } from './state.ts';
import { restoreWatches } from './subscriptions.ts';
import { neededForTasksUntil } from './tasks.ts';
import { goOnWithTrial } from './trials.ts';

/** What follows when the registry or a person changes a server, and what is left when it goes. */

/** The registry has this server now: new, changed, enabled or disabled. */
export function define(
  core: Core,
  definition: ServerDefinition,
  memory: ServerMemory | null,
  said: Wish = core.servers.get(definition.name)?.wish ?? null,
): void {
  const before = core.servers.get(definition.name) ?? null;
  // What this very launch has told is known, even if the registry could not write it down.
  const told = before?.memory?.fingerprint === definition.fingerprint ? before.memory : null;
  const remembered = memory ?? told;
  const known: KnownServer = {
    definition,
    memory: remembered,
    keys: NO_KEYS,
    extensions: {},
    quiet: before?.quiet ?? new Set(),
    taskTools: new Set(),
    extensionTools: before?.extensionTools ?? new Set(),
    callsBackSince: remembered?.callsBack === true ? Number.NEGATIVE_INFINITY : null,
    locked: before?.locked ?? null,
    drift: before?.definition.fingerprint === definition.fingerprint ? before.drift : [],
    wish: said,
  };
  core.servers.set(definition.name, known);
  takeNames(core, known);
  announceLists(core);
  const instance = core.instances.get(definition.name) ?? openInstance(core, definition);
  const relaunch = instance.definition.fingerprint !== definition.fingerprint;
  if (relaunch) {
    known.quiet.clear();
    known.extensionTools.clear();
  } else known.callsBackSince = before?.callsBackSince ?? known.callsBackSince;
  if (before !== null && before.definition.sharing !== definition.sharing) placeAnew(core, known);
  for (const one of instancesOf(core, definition.name)) {
    one.definition = definition;
    if (relaunch) forgive(one);
  }
  // A new start mode, as far as it says whether it is up, is said later than what was said before; so is `disable`.
  const modeChanged = before !== null && (before.definition.start === 'always') !== (definition.start === 'always');
  if (modeChanged || !definition.enabled) wish(core, known, null);
  instance.held = isHeldUp(known);
  for (const one of instancesOf(core, definition.name)) {
    planTrial(core, one);
    if (definition.enabled) {
      if (relaunch) restart(core, one, 'its settings changed');
      armIdle(core, one);
    } else {
      one.again = 'no';
      signal(core, one, 'want-down', 'disabled');
    }
  }
  if (definition.enabled && instance.held)
    wantUp(core, instance, known.wish === 'up' ? 'it was started by hand' : 'it is always up');
  else if (definition.enabled && known.memory === null && definition.start === 'on-demand')
    wantUp(core, instance, 'its lists are not known yet');
  publishServer(core, definition.name);
}

/** What it lists was compared with what a person agreed to. */
export function drifted(core: Core, name: ServerName, drift: readonly string[]): void {
  const known = core.servers.get(name);
  if (known === undefined || known.drift.join('\n') === drift.join('\n')) return;
  const fresh = drift.filter((text) => !known.drift.includes(text));
  known.drift = drift;
  const instance = core.instances.get(name);
  if (instance !== undefined) for (const text of fresh) log(core, instance, 'warn', text);
  publishServer(core, name);
}

/** A remote server lets nobody in before a person has acted; null: somebody has, and what had failed for it may start again. */
export function lock(core: Core, name: ServerName, next: ServerLock | null): void {
  const known = core.servers.get(name);
  if (known === undefined || isSameLock(known.locked, next)) return;
  known.locked = next;
  publishServer(core, name);
  if (next !== null) return;
  const { enabled, start } = known.definition;
  for (const instance of instancesOf(core, name)) {
    forgive(instance);
    const unseen = known.memory === null && start === 'on-demand' && instance.holder === null;
    if (enabled && (instance.held || unseen)) signal(core, instance, 'start-now', 'somebody has let it in');
  }
}

export function remove(core: Core, name: ServerName): void {
  core.servers.delete(name);
  core.uris.drop(name);
  announceLists(core);
  for (const session of core.sessions.values()) session.places.delete(name);
  for (const instance of instancesOf(core, name)) {
    instance.held = false;
    instance.again = 'no';
    signal(core, instance, 'want-down', 'uninstalled');
    forgetIfGone(core, instance);
  }
  publishServer(core, name);
}

/** An uninstalled server, a finished trial and the process of a host that has left leave nothing behind once their process is gone. */
export function forgetIfGone(core: Core, instance: Instance): void {
  if (instance.purpose.kind !== 'serve') return goOnWithTrial(core, instance);
  if (!isAtRest(instance)) return;
  if (core.servers.has(instance.server) && isHeldBySomebody(core, instance)) return;
  // What failed is remembered for a while, or it would be tried without end.
  if (core.servers.has(instance.server) && instance.phase !== 'stopped') return;
  endWaiting(core, instance, instance.reason ?? 'it is stopped');
  core.instances.delete(instance.key);
  addCounters(instance, core.instances.get(instance.server));
  publishServer(core, instance.server);
}

/** A person's word. */
export function command(core: Core, instance: Instance, what: 'start' | 'stop' | 'restart'): void {
  log(core, instance, 'info', `asked to ${what}`);
  const known = core.servers.get(instance.server);
  if (what === 'stop') {
    instance.held = false;
    if (known !== undefined && instance.holder === null)
      wish(core, known, known.definition.start === 'always' ? 'down' : null);
    instance.again = 'no';
    return signal(core, instance, 'want-down', 'stopped by hand');
  }
  // One that is disabled, or uninstalled and on its way out, is not called back.
  if (!instance.definition.enabled || known === undefined) return;
  forgive(instance);
  // Processes of one host come and go with it: only what runs is started afresh.
  if (instance.holder !== null) return void (what === 'restart' && restart(core, instance, 'restart'));
  if (what === 'start') {
    instance.held = true;
    wish(core, known, known.definition.start === 'always' ? null : 'up');
  }
  if (what === 'restart' && restart(core, instance, 'restart')) return;
  if (instance.phase === 'draining' || instance.phase === 'stopping') instance.again = 'by-hand';
  else signal(core, instance, 'start-now', null);
}

/** Too much memory: recycled when idle, ended at once over the hard limit. */
export function onMemory(core: Core, instance: Instance, limit: 'soft' | 'hard', bytes: number): void {
  const size = `${Math.round(bytes / 1024 / 1024)} MiB`;
  if (limit === 'hard') return giveUp(core, instance, `memory: ${size}, over its hard limit`);
  if (instance.phase !== 'running') return;
  find(core, instance, 'memory', `memory: ${size}, over its soft limit; it is started afresh when idle`);
  recycleIfIdle(core, instance);
}

/** Tried again by a timer until no call is open. */
export function recycleIfIdle(core: Core, instance: Instance): void {
  if (instance.phase !== 'running' || !instance.findings.has('memory')) return;
  const atWork = openCallsOf(instance) > 0 || neededForTasksUntil(core, instance) > core.now;
  if (atWork) return arm(core, `memory:${instance.key}`, RECYCLE_RETRY_MS);
  restart(core, instance, 'memory over its soft limit');
}

/** Drains everything and lets nothing begin any more; `now` skips the drain. */
export function beginShutdown(core: Core, now: boolean): void {
  if (core.mode === 'stopped') return;
  core.mode = 'stopping';
  for (const instance of core.instances.values()) {
    instance.again = 'no';
    const passing = instance.purpose.kind !== 'serve';
    if (passing) instance.verdict ??= { ok: false, step: 'start', reason: 'mcpd is stopping' };
    signal(core, instance, now || passing ? 'hurry' : 'want-down', 'mcpd is stopping');
    forgetIfGone(core, instance);
  }
}

/** Once nothing is left of any process: whoever still waits is told, and so is the daemon. */
export function stopIfAtRest(core: Core): void {
  if (core.mode !== 'stopping') return;
  for (const instance of core.instances.values()) if (!isAtRest(instance)) return;
  for (const instance of core.instances.values()) endWaiting(core, instance, 'mcpd is stopping');
  core.mode = 'stopped';
  core.out.push({ type: 'all-stopped' });
}

// — internal —

const NO_KEYS: KnownServer['keys'] = { tools: [], prompts: [], resources: [], templates: [] };

function openInstance(core: Core, definition: ServerDefinition): Instance {
  const instance = newInstance(core, definition.name, definition, { kind: 'serve' });
  core.instances.set(definition.name, instance);
  const known = core.servers.get(definition.name);
  if (known !== undefined) restoreWatches(core, known);
  return instance;
}

/** Calls between two rounds of input are open at no process; they end with the instance. */
function endWaiting(core: Core, instance: Instance, reason: string): void {
  const refusal = notStarted(instance.server, reason, null, null);
  for (const call of [...instance.asking, ...instance.queue]) finishWithRefusal(core, instance, call, refusal, 'error');
  for (const timer of ['turn', 'again'] as const) disarm(core, `${timer}:${instance.key}`);
}

/** What people are shown of a server goes on counting what its hosts' own processes did. */
function addCounters({ counters }: Instance, to: Instance | undefined): void {
  if (to === undefined) return;
  to.counters.calls += counters.calls;
  to.counters.errors += counters.errors;
  to.counters.starts += counters.starts;
}

const SHARED_OTHERWISE = 'its sharing was changed';

/**
 * Hosts are placed once more, by other rules. Processes to which nobody comes any more are stopped; that of all hosts begins anew, because
 * what it is told of its clients may be something else now.
 */
function placeAnew(core: Core, known: KnownServer): void {
  const { name } = known.definition;
  for (const session of core.sessions.values()) session.places.delete(name);
  for (const instance of instancesOf(core, name)) {
    instance.subscriptions.clear();
    if (instance.holder === null) {
      if (instance.phase === 'running' || instance.phase === 'starting') restart(core, instance, SHARED_OTHERWISE);
      continue;
    }
    instance.again = 'no';
    signal(core, instance, 'want-down', SHARED_OTHERWISE);
    forgetIfGone(core, instance);
  }
  restoreWatches(core, known);
}

/** Up until somebody says otherwise. */
function isHeldUp({ definition, wish }: KnownServer): boolean {
  return definition.enabled && (wish === 'up' || (wish === null && definition.start === 'always'));
}

function wish(core: Core, known: KnownServer, said: Wish): void {
  if (known.wish === said) return;
  known.wish = said;
  core.out.push({ type: 'save-wish', server: known.definition.name, wish: said });
}

/** Ends its process, to be replaced by another one; false when there is none to replace, or it is going already. */
function restart(core: Core, instance: Instance, reason: string): boolean {
  switch (instance.phase) {
    case 'queued':
      // It has no process yet: the one it gets will have the new settings.
      return true;
    case 'running':
    case 'starting':
      instance.again = 'by-hand';
      signal(core, instance, 'want-down', reason);
      return true;
    case 'backoff':
      signal(core, instance, 'start-now', reason);
      return true;
    case 'failed':
      signal(core, instance, 'want-down', null);
      return false;
    case 'stopped':
    case 'draining':
    case 'stopping':
      return false;
  }
}

function isSameLock(one: ServerLock | null, other: ServerLock | null): boolean {
  return one?.reason === other?.reason && one?.fix === other?.fix;
}
