import { START_SLOT_HELD_MS } from '../limits.ts';
import { arm, disarm } from './emit.ts';
import type { Core, Instance } from './state.ts';

/** Who may start now: a few at a time in the CPU-heavy part, so that a hundred servers do not choke the machine. */

/**
 * The instances that have a slot from now on. Those with a waiting call go first, then trials, then the rest, each in the order they
 * came.
 */
export function fillSlots(core: Core): Instance[] {
  const chosen: Instance[] = [];
  while (core.startQueue.size > 0 && core.startSlots.size < core.config.startSlots) {
    const waiting = [...core.startQueue].flatMap((key) => core.instances.get(key) ?? []);
    const next =
      waiting.find((one) => one.queue.size > 0) ?? waiting.find((one) => one.purpose.kind === 'trial') ?? waiting[0];
    if (next === undefined) break;
    core.startQueue.delete(next.key);
    core.startSlots.add(next.key);
    arm(core, `slot:${next.key}`, START_SLOT_HELD_MS);
    chosen.push(next);
  }
  return chosen;
}

export function leaveSlot(core: Core, instance: Instance): void {
  if (core.startSlots.delete(instance.key)) disarm(core, `slot:${instance.key}`);
}
