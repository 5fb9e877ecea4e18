import {
  BACKOFF_WAIT_MAX_MS,
  DRAIN_MS,
  EXITS_KEPT,
  FAILED_TRIAL_EVERY_MS,
  STABLE_UPTIME_MS,
  START_TIMEOUT_MS,
} from '../limits.ts';
import { finishWithRefusal } from './calls.ts';
import { flushCalls } from './dispatch.ts';
import { arm, disarm, enter, log } from './emit.ts';
import { callsAtServer, newLink } from './instance.ts';
import { type ExitReport, LIST_KINDS } from './model.ts';
import { declaredBy } from './places.ts';
import { withdrawAll } from './question-table.ts';
import { letsNobodyIn, notStarted, outcomeUnknown, type Refusal } from './refusals.ts';
import { fillSlots, leaveSlot } from './start-slots.ts';
import type { Core, Instance } from './state.ts';
import { type Action, afterExit, type Signal, TABLE } from './supervision.ts';

/** Moves instances through the table of supervision.ts and carries out what the moves ask for. */

export function signal(core: Core, instance: Instance, what: Signal, reason: string | null = null): void {
  // Once mcpd stops, nothing begins any more.
  if (core.mode !== 'serving' && (what === 'want-up' || what === 'start-now')) return;
  move(core, instance, what, reason);
  fillStartSlots(core);
}

/** Why a call must not wait for this instance, or null when it may. Starts the instance if that is what it takes. */
export function wantForCall(core: Core, instance: Instance): Refusal | null {
  if (core.mode !== 'serving') return notStarted(instance.server, 'mcpd is stopping', null, null);
  const waitMs = waitBeforeStart(core, instance);
  const patienceMs = instance.phase === 'failed' ? 0 : BACKOFF_WAIT_MAX_MS;
  if (waitMs > patienceMs) return notStarted(instance.server, whyDown(instance), lastExit(instance), waitMs);
  wantUp(core, instance, null);
  return null;
}

/** Somebody needs it: it is started, as soon as it may be. */
export function wantUp(core: Core, instance: Instance, reason: string | null): void {
  if (core.mode !== 'serving') return;
  const waitMs = waitBeforeStart(core, instance);
  switch (instance.phase) {
    case 'stopped':
      if (waitMs <= 0) return signal(core, instance, 'want-up', reason);
      enter(core, instance, 'backoff', instance.reason);
      return arm(core, `backoff:${instance.key}`, waitMs);
    case 'failed':
      if (waitMs <= 0) return signal(core, instance, 'want-up', 'one trial after it had failed');
      return planTrial(core, instance);
    case 'draining':
    case 'stopping':
      // One that is being restarted, or stopped for idleness, comes back.
      if (instance.again === 'no') instance.again = 'needed';
      return;
    default:
      return;
  }
}

/** A failed server that is wanted is tried again by the clock; another one by a call. */
export function planTrial(core: Core, instance: Instance): void {
  if (instance.phase !== 'failed') return;
  if (core.mode === 'serving' && isWanted(core, instance))
    arm(core, `backoff:${instance.key}`, waitBeforeStart(core, instance));
  else disarm(core, `backoff:${instance.key}`);
}

/** The time has come for its next start, or for the trial of a failed one that is still wanted. */
export function onBackoffOver(core: Core, instance: Instance): void {
  if (instance.phase !== 'failed' || isWanted(core, instance)) signal(core, instance, 'timer', instance.reason);
}

/** Its process exists, or the way to it is open. */
export function onSpawned(core: Core, instance: Instance, pid: number | null): void {
  instance.pid = pid;
  log(core, instance, 'info', pid === null ? 'reached' : `process ${pid} started`);
}

/** Its process is gone, with all of its group. Calls that were sent fail; then the table's `settle` is decided. */
export function onExited(core: Core, instance: Instance, exit: ExitReport): void {
  const readyMs = instance.readyAt === null ? 0 : core.now - instance.readyAt;
  const report = instance.fault === null ? exit : { ...exit, cause: `${instance.fault} (${exit.cause})` };
  const stopped = (instance.phase === 'stopping' || instance.phase === 'draining') && instance.fault === null;
  const sent = callsAtServer(instance);
  forgetProcess(core, instance);
  for (const call of sent) finishWithRefusal(core, instance, call, outcomeUnknown(instance.server, report), 'lost');
  if (!stopped) {
    instance.exits = [...instance.exits, report].slice(-EXITS_KEPT);
    log(core, instance, 'error', `ended: ${report.cause}`);
  }
  // A person's word makes up for a fault.
  // Nor is it a fault of a server that it lets nobody in who has not logged in: it is tried again when somebody has.
  const locked = core.servers.get(instance.server)?.locked ?? null;
  const asked = stopped || instance.again === 'by-hand' || locked !== null;
  const needed = core.mode === 'serving' && locked === null && isNeeded(core, instance, stopped);
  if (asked || readyMs >= STABLE_UPTIME_MS) instance.halfOpen = false;
  const { halfOpen, unstable } = instance;
  const next = afterExit({ asked, needed, halfOpen, readyMs, unstable, now: core.now, random: core.config.random() });
  instance.again = 'no';
  instance.fault = null;
  instance.unstable = next.unstable;
  instance.notBefore = next.notBefore;
  enter(core, instance, next.phase, asked ? null : report.cause);
  settle(core, instance, core.mode === 'serving' ? report.cause : 'mcpd is stopping');
  fillStartSlots(core);
}

/** The start slot is held for the CPU-heavy first second only, so that servers which never answer block nobody. */
export function releaseSlot(core: Core, instance: Instance): void {
  leaveSlot(core, instance);
  fillStartSlots(core);
}

/** Starts the process once more, as part of the same start: the era probe ended the first. */
export function respawnLegacy(core: Core, instance: Instance): void {
  instance.legacyFirst = true;
  forgetProcess(core, instance);
  log(core, instance, 'info', 'the era probe ended it, as it does some legacy servers: started again with initialize');
  perform(core, instance, 'spawn', null);
}

/** Its own fault: ends it, and the exit counts as a failure. */
export function giveUp(core: Core, instance: Instance, fault: string): void {
  if (instance.fault !== null || instance.link === null) return;
  instance.fault = fault;
  signal(core, instance, 'gave-up', fault);
}

/** Its failures so far count no longer: a person wants it started, or it is not what it was. */
export function forgive(instance: Instance): void {
  instance.unstable = [];
  instance.notBefore = 0;
  instance.halfOpen = false;
  instance.legacyFirst = false;
}

// — internal —

function move(core: Core, instance: Instance, what: Signal, reason: string | null): void {
  const next = TABLE[instance.phase][what];
  if (next === 'stay' || next === 'settle') return;
  const [to, ...actions] = next;
  if (instance.phase === 'failed' && to === 'queued') instance.halfOpen = what !== 'start-now';
  enter(core, instance, to, reason);
  for (const action of actions) perform(core, instance, action, reason);
}

function perform(core: Core, instance: Instance, action: Action, reason: string | null): void {
  switch (action) {
    case 'enqueue':
      disarm(core, `backoff:${instance.key}`);
      core.startQueue.add(instance.key);
      return;
    case 'dequeue':
      core.startQueue.delete(instance.key);
      return;
    case 'spawn':
      instance.generation += 1;
      instance.counters.starts += 1;
      instance.spawnedAt = core.now;
      instance.heardAt = core.now;
      instance.link = newLink(instance.definition.fingerprint, declaredBy(core, instance));
      core.out.push({
        type: 'spawn',
        instance: instance.key,
        generation: instance.generation,
        definition: instance.definition,
      });
      return;
    case 'flush-calls':
      return instance.link === null ? undefined : flushCalls(core, instance, instance.link);
    case 'refuse-calls':
      disarm(core, `backoff:${instance.key}`);
      // During a restart they wait for what comes after it.
      if (instance.again === 'no') refuseCalls(core, instance, reason ?? whyDown(instance));
      return;
    case 'drain':
      arm(core, `drain:${instance.key}`, callsAtServer(instance).length === 0 ? 0 : DRAIN_MS);
      return;
    case 'stop-child':
    case 'kill-child':
      core.out.push({
        type: 'stop-child',
        instance: instance.key,
        generation: instance.generation,
        kill: action === 'kill-child',
      });
      return;
  }
}

/** Where `afterExit` has put it. */
function settle(core: Core, instance: Instance, cause: string): void {
  switch (instance.phase) {
    case 'queued':
      return perform(core, instance, 'enqueue', null);
    case 'backoff': {
      const waitMs = instance.notBefore - core.now;
      arm(core, `backoff:${instance.key}`, waitMs);
      return refuseImpatient(core, instance, waitMs);
    }
    case 'failed':
      refuseCalls(core, instance, cause);
      return planTrial(core, instance);
    default:
      return refuseCalls(core, instance, cause);
  }
}

/** A person who stopped it is contradicted by nobody but those who call it. */
function isNeeded(core: Core, instance: Instance, stopped: boolean): boolean {
  if (instance.held || instance.again !== 'no' || instance.queue.size > 0) return true;
  return !stopped && isWanted(core, instance);
}

/** It should be up, whether a call comes or not: held up, watched by a host, or with lists that nobody knows yet. */
function isWanted(core: Core, instance: Instance): boolean {
  if (instance.held) return true;
  const known = core.servers.get(instance.server);
  if (known === undefined || !known.definition.enabled || instance.purpose.kind !== 'serve') return false;
  return (
    instance.subscriptions.size > 0 ||
    (instance.holder === null && known.memory === null && known.definition.start === 'on-demand')
  );
}

/** Milliseconds until it may be started for somebody's sake. */
function waitBeforeStart(core: Core, instance: Instance): number {
  if (instance.phase === 'failed') return instance.since + FAILED_TRIAL_EVERY_MS - core.now;
  return instance.phase === 'stopped' || instance.phase === 'backoff' ? instance.notBefore - core.now : 0;
}

/** Servers that were let start get their processes. */
function fillStartSlots(core: Core): void {
  for (const instance of fillSlots(core)) move(core, instance, 'slot', null);
}

function refuseCalls(core: Core, instance: Instance, reason: string): void {
  const locked = core.servers.get(instance.server)?.locked ?? null;
  const refusal =
    locked === null
      ? notStarted(instance.server, reason, lastExit(instance), null)
      : letsNobodyIn(instance.server, locked);
  for (const call of instance.queue) finishWithRefusal(core, instance, call, refusal, 'error');
}

/** Calls that would have to wait too long for the next start, or have waited through a whole one, are told so now. */
function refuseImpatient(core: Core, instance: Instance, waitMs: number): void {
  const patienceMs = instance.definition.limits.startTimeoutMs ?? START_TIMEOUT_MS;
  const refusal = notStarted(instance.server, whyDown(instance), lastExit(instance), waitMs);
  for (const call of instance.queue) {
    if (waitMs > BACKOFF_WAIT_MAX_MS || core.now - call.openedAt >= patienceMs)
      finishWithRefusal(core, instance, call, refusal, 'error');
  }
}

function whyDown(instance: Instance): string {
  return instance.reason ?? lastExit(instance)?.cause ?? 'it is stopped';
}

function lastExit(instance: Instance): ExitReport | null {
  return instance.exits.at(-1) ?? null;
}

const PROCESS_TIMERS = [
  'start',
  'probe',
  'learn',
  'check',
  'health',
  'listen',
  'flow',
  'turn',
  'poll',
  'deadline',
  'idle',
  'drain',
  'memory',
] as const;
const LIST_TIMERS = ['list', 'relist', 'recheck'] as const;

/** Everything that belonged to the process that ended. */
function forgetProcess(core: Core, instance: Instance): void {
  for (const timer of PROCESS_TIMERS) disarm(core, `${timer}:${instance.key}`);
  for (const timer of LIST_TIMERS) for (const list of LIST_KINDS) disarm(core, `${timer}:${instance.key}/${list}`);
  leaveSlot(core, instance);
  if (instance.link !== null) withdrawAll(core, instance.link, 'the server has ended');
  instance.link = null;
  instance.pid = null;
  instance.readyAt = null;
  instance.deadlineArmedFor = null;
  instance.idleArmed = false;
  instance.turnArmedFor = null;
  instance.misses = 0;
  instance.timedOutAt = null;
  instance.findings.delete('memory');
}
