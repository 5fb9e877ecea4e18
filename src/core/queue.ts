import { finishWithRefusal } from './calls.ts';
import { dispatchCall } from './dispatch.ts';
import { wantForCall } from './fleet.ts';
import { turnTaken } from './refusals.ts';
import type { Core, Instance } from './state.ts';
import { hasWaitedTooLong, waitsForPerson } from './turns.ts';

/** Looks at the calls that wait at an instance which may be running: each is sent, goes on waiting, or has waited long enough. */
export function onTurnTimer(core: Core, instance: Instance): void {
  instance.turnArmed = false;
  const { link, phase } = instance;
  if (instance.queue.size === 0) return;
  if (phase !== 'running' || link === null || link.deaf) {
    const refusal = wantForCall(core, instance);
    if (refusal !== null)
      for (const call of [...instance.queue]) finishWithRefusal(core, instance, call, refusal, 'error');
    return;
  }
  for (const call of [...instance.queue]) {
    if (hasWaitedTooLong(core, call) && waitsForPerson(link, call)) {
      finishWithRefusal(core, instance, call, turnTaken(call.server), 'error');
      continue;
    }
    instance.queue.delete(call);
    dispatchCall(core, instance, link, call);
  }
}
