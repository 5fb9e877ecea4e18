import { finishWithRefusal } from './calls.ts';
import { dispatchCall } from './dispatch.ts';
import { wantForCall } from './fleet.ts';
import { turnTaken } from './input-refusals.ts';
import { serverNotEnabled } from './refusals.ts';
import type { Core, Instance } from './state.ts';
import { isRefusedNow } from './turns.ts';

/** Looks at the calls that wait at an instance which may be running: each is sent, goes on waiting, or has waited long enough. */
export function onTurnTimer(core: Core, instance: Instance): void {
  instance.turnArmedFor = null;
  const { link, phase, queue } = instance;
  if (queue.size === 0) return;
  if (phase !== 'running' || link === null || link.deaf) {
    const isEnabled = core.servers.get(instance.server)?.definition.enabled === true;
    const refusal = isEnabled ? wantForCall(core, instance) : serverNotEnabled(instance.server);
    if (refusal !== null) for (const call of [...queue]) finishWithRefusal(core, instance, call, refusal, 'error');
    return;
  }
  const waiting = [...queue];
  // Each finds those in the queue that came before it and wait on.
  queue.clear();
  for (const call of waiting) {
    if (isRefusedNow(core, link, call)) finishWithRefusal(core, instance, call, turnTaken(call.server), 'error');
    else dispatchCall(core, instance, link, call);
  }
}
