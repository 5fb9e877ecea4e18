import { BACKOFF_WAIT_MAX_MS, DRAIN_MS, EXITS_KEPT, FAILED_TRIAL_EVERY_MS, START_SLOT_HELD_MS } from '../limits.ts';
import { finishWithRefusal, openCallsOf } from './calls.ts';
import { arm, disarm, enter, log } from './emit.ts';
import { newLink } from './links.ts';
import type { ExitReport } from './model.ts';
import { notStarted, outcomeUnknown, type Refusal } from './refusals.ts';
import type { Call, Core, Instance } from './state.ts';
import { dispatchCall } from './subscriptions.ts';
import { type Action, afterExit, type Signal, TABLE } from './supervision.ts';

/** Moves instances through the table of supervision.ts and carries out what the moves ask for. */

export function signal(core: Core, instance: Instance, what: Signal, reason: string | null = null): void {
  const move = TABLE[instance.phase][what];
  if (move === 'stay' || move === 'settle') return;
  const [to, ...actions] = move;
  enter(core, instance, to, reason);
  for (const action of actions) perform(core, instance, action, reason);
  fillStartSlots(core);
}

/** Why a call must not wait for this instance, or null when it may. Starts the instance if that is what it takes. */
export function wantForCall(core: Core, instance: Instance): Refusal | null {
  const lastExit = instance.exits.at(-1) ?? null;
  switch (instance.phase) {
    case 'running':
    case 'queued':
    case 'starting':
      return null;
    case 'stopped': {
      const waitMs = instance.notBefore - core.now;
      if (waitMs <= 0) {
        signal(core, instance, 'want-up', null);
        return null;
      }
      if (waitMs > BACKOFF_WAIT_MAX_MS) return notStarted(instance.server, whyDown(instance), lastExit, waitMs);
      enter(core, instance, 'backoff', instance.reason);
      arm(core, `backoff:${instance.key}`, waitMs);
      return null;
    }
    case 'backoff': {
      const waitMs = instance.notBefore - core.now;
      return waitMs > BACKOFF_WAIT_MAX_MS ? notStarted(instance.server, whyDown(instance), lastExit, waitMs) : null;
    }
    case 'failed': {
      const nextTrialAt = (instance.lastTrialAt ?? instance.since) + FAILED_TRIAL_EVERY_MS;
      if (core.now < nextTrialAt)
        return notStarted(instance.server, whyDown(instance), lastExit, nextTrialAt - core.now);
      instance.lastTrialAt = core.now;
      signal(core, instance, 'want-up', 'one trial after it had failed');
      return null;
    }
    case 'draining':
    case 'stopping':
      // A server that is being restarted, or stopped for idleness, comes back for the call.
      if (core.mode !== 'serving') return notStarted(instance.server, 'mcpd is stopping', null, null);
      instance.again = true;
      return null;
  }
}

/** Its process exists. */
export function onSpawned(core: Core, instance: Instance, pid: number): void {
  instance.pid = pid;
  log(core, instance, 'info', `process ${pid} started`);
}

/** Its process is gone, with all of its group. Calls that were sent fail; then the table's `settle` is decided. */
export function onExited(core: Core, instance: Instance, exit: ExitReport): void {
  const readyMs = instance.readyAt === null ? 0 : core.now - instance.readyAt;
  const report = instance.fault === null ? exit : { ...exit, cause: `${instance.fault} (${exit.cause})` };
  const asked = (instance.phase === 'stopping' || instance.phase === 'draining') && instance.fault === null;
  const sent = sentCalls(instance);
  forgetProcess(core, instance);
  for (const call of sent) finishWithRefusal(core, instance, call, outcomeUnknown(instance.server, report), 'lost');
  if (!asked) {
    instance.exits = [...instance.exits, report].slice(-EXITS_KEPT);
    log(core, instance, 'error', `ended: ${report.cause}`);
  }
  const again = instance.again;
  instance.again = false;
  instance.fault = null;
  const needed = core.mode === 'serving' && (instance.held || again || instance.queue.length > 0);
  const { random } = core.config;
  const next = afterExit({ asked, needed, readyMs, unstable: instance.unstable, now: core.now, random: random() });
  instance.unstable = next.unstable;
  instance.notBefore = next.notBefore;
  enter(core, instance, next.phase, asked ? null : report.cause);
  if (next.phase === 'queued') perform(core, instance, 'enqueue', null);
  if (next.phase === 'backoff') arm(core, `backoff:${instance.key}`, next.notBefore - core.now);
  if (next.phase === 'failed' || next.phase === 'stopped') perform(core, instance, 'refuse-calls', report.cause);
  if (next.phase === 'backoff') refuseImpatient(core, instance);
  fillStartSlots(core);
}

/** The start slot is held for the CPU-heavy first second only, so that servers which never answer block nobody. */
export function releaseSlot(core: Core, instance: Instance): void {
  if (!core.startSlots.delete(instance.key)) return;
  disarm(core, `slot:${instance.key}`);
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
  if (instance.fault !== null) return;
  instance.fault = fault;
  signal(core, instance, 'gave-up', fault);
}

export function whyDown(instance: Instance): string {
  return instance.reason ?? instance.exits.at(-1)?.cause ?? 'it is stopped';
}

// — internal —

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
      instance.link = newLink();
      core.out.push({
        type: 'spawn',
        instance: instance.key,
        generation: instance.generation,
        definition: instance.definition,
      });
      return;
    case 'flush-calls':
      return flushCalls(core, instance);
    case 'refuse-calls': {
      disarm(core, `backoff:${instance.key}`);
      const refusal = notStarted(instance.server, reason ?? whyDown(instance), instance.exits.at(-1) ?? null, null);
      for (const call of [...instance.queue]) finishWithRefusal(core, instance, call, refusal, 'error');
      return;
    }
    case 'drain':
      arm(core, `drain:${instance.key}`, openCallsOf(instance) === 0 ? 0 : DRAIN_MS);
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

function flushCalls(core: Core, instance: Instance): void {
  const waiting = instance.queue;
  instance.queue = [];
  if (instance.link === null) return;
  for (const call of waiting) dispatchCall(core, instance, instance.link, call);
}

/** Servers with a waiting call go first, then trials, then the rest, each in the order they came. */
function fillStartSlots(core: Core): void {
  while (core.startQueue.size > 0 && core.startSlots.size < core.config.startSlots) {
    const waiting = [...core.startQueue].flatMap((key) => core.instances.get(key) ?? []);
    const next =
      waiting.find((one) => one.queue.length > 0) ?? waiting.find((one) => one.purpose.kind === 'trial') ?? waiting[0];
    if (next === undefined) {
      core.startQueue.clear();
      return;
    }
    core.startQueue.delete(next.key);
    core.startSlots.add(next.key);
    arm(core, `slot:${next.key}`, START_SLOT_HELD_MS);
    const move = TABLE[next.phase].slot;
    if (typeof move === 'string') {
      core.startSlots.delete(next.key);
      continue;
    }
    enter(core, next, move[0], null);
    perform(core, next, 'spawn', null);
  }
}

/** Calls that would have to wait too long for the next start are told so now. */
function refuseImpatient(core: Core, instance: Instance): void {
  const waitMs = instance.notBefore - core.now;
  if (waitMs <= BACKOFF_WAIT_MAX_MS) return;
  const refusal = notStarted(instance.server, whyDown(instance), instance.exits.at(-1) ?? null, waitMs);
  for (const call of [...instance.queue]) finishWithRefusal(core, instance, call, refusal, 'error');
}

function sentCalls(instance: Instance): Call[] {
  return [...(instance.link?.pending.values() ?? [])].flatMap((pending) =>
    pending.kind === 'call' ? [pending.call] : [],
  );
}

const PROCESS_TIMERS = ['start', 'probe', 'learn', 'check', 'health', 'deadline', 'idle', 'drain', 'memory'] as const;

/** Everything that belonged to the process that ended. */
function forgetProcess(core: Core, instance: Instance): void {
  for (const timer of PROCESS_TIMERS) disarm(core, `${timer}:${instance.key}`);
  for (const list of instance.link?.reading.keys() ?? []) disarm(core, `list:${instance.key}/${list}`);
  if (core.startSlots.delete(instance.key)) disarm(core, `slot:${instance.key}`);
  instance.link = null;
  instance.pid = null;
  instance.readyAt = null;
  instance.deadlineArmedFor = null;
  instance.idleArmed = false;
  instance.misses = 0;
  instance.timedOutAt = null;
}
