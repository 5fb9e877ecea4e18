import { HEALTH_MISSES_MAX, HEALTH_PROBE_EVERY_MS, HEALTH_PROBE_TIMEOUT_MS } from '../limits.ts';
import { abandonOwn, ask, ownMeta } from './asking.ts';
import { arm, disarm, publishServer } from './emit.ts';
import { giveUp } from './fleet.ts';
import { openCallsOf } from './instance.ts';
import type { Core, Instance } from './state.ts';

/**
 * Is a running server still there? A quiet one is asked now and then. Missed answers make it `silent`, no more: it is ended only when a
 * real call timed out too and nothing was heard since.
 */

/** The timer between two looks. */
export function onCheck(core: Core, instance: Instance): void {
  if (instance.phase !== 'running') return;
  arm(core, `check:${instance.key}`, HEALTH_PROBE_EVERY_MS);
  const { link } = instance;
  const quiet = core.now - instance.heardAt >= HEALTH_PROBE_EVERY_MS;
  // One that is at work is not bothered, unless it seems to have stopped.
  const atWork = openCallsOf(instance) > 0 && !callLost(instance);
  if (link?.step !== 'ready' || !quiet || atWork || link.probedAt !== null) return;
  link.probedAt = core.now;
  abandonOwn(link, (own) => own.kind === 'health');
  // `server/discover` is what modern servers have in the place of ping.
  const [method, params] =
    link.era === 'modern' ? ['server/discover', `{"_meta":${ownMeta(core)}}`] : (['ping', null] as const);
  ask(core, instance, link, { kind: 'health' }, method, params);
  arm(core, `health:${instance.key}`, HEALTH_PROBE_TIMEOUT_MS);
}

/** Anything that it says is a sign of life. */
export function onHeard(core: Core, instance: Instance): void {
  instance.heardAt = core.now;
  const { link } = instance;
  if (link !== null && link.probedAt !== null) {
    link.probedAt = null;
    disarm(core, `health:${instance.key}`);
  }
  if (instance.misses === 0) return;
  instance.misses = 0;
  publishServer(core, instance.server);
}

/** The probe was not answered in time. */
export function onHealthMiss(core: Core, instance: Instance): void {
  const { link } = instance;
  if (link === null || link.probedAt === null) return;
  link.probedAt = null;
  instance.misses += 1;
  publishServer(core, instance.server);
  if (instance.misses >= HEALTH_MISSES_MAX && callLost(instance))
    giveUp(core, instance, 'silent: it answers neither calls nor health probes');
}

// — internal —

function callLost({ timedOutAt, heardAt }: Instance): boolean {
  return timedOutAt !== null && timedOutAt > heardAt;
}
