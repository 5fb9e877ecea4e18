import { IDLE_STOP_MS, REST_AFTER_LISTING_MS } from '../limits.ts';
import { arm } from './emit.ts';
import { openCallsOf } from './instance.ts';
import type { Core, Instance } from './state.ts';

/** When a server that nobody uses is stopped. */

/** Arms the idle stop of an on-demand server, unless it is armed: when it fires, `usedAt` tells whether the time has really come. */
export function armIdle(core: Core, instance: Instance): void {
  if (instance.idleArmed || instance.held || instance.phase !== 'running' || instance.purpose.kind !== 'serve') return;
  instance.idleArmed = true;
  arm(core, `idle:${instance.key}`, idleStopMs(instance) - (core.now - instance.usedAt));
}

/** A server that was only started to tell its lists, and that nobody has called since, need not wait for its idle stop. */
export function restSoon(core: Core, instance: Instance): void {
  if (instance.held || instance.counters.calls > 0 || openCallsOf(instance) > 0) return;
  instance.usedAt = core.now - idleStopMs(instance);
  instance.idleArmed = true;
  arm(core, `idle:${instance.key}`, REST_AFTER_LISTING_MS);
}

export function idleStopMs(instance: Instance): number {
  return instance.definition.limits.idleStopMs ?? IDLE_STOP_MS;
}
