import { CALL_TOTAL_MS } from '../limits.ts';
import { abandonUpstream, armDeadline, callTimeout, finishWithRefusal } from './calls.ts';
import { callTimedOut, callTooLong } from './refusals.ts';
import type { Core, Instance } from './state.ts';

/** Calls over their time are cancelled at the server and refused at the host; arms the timer for the next one. */
export function sweepDeadlines(core: Core, instance: Instance): void {
  instance.deadlineArmedFor = null;
  const quietMs = callTimeout(instance);
  const totalMs = Math.max(CALL_TOTAL_MS, quietMs);
  let next = Number.POSITIVE_INFINITY;
  for (const call of instance.link?.calls.values() ?? []) {
    // Waiting for a person is a sign of life; that has limits of its own.
    if (call.questions > 0 || call.parked?.stage === 'with-host') call.aliveAt = core.now;
    const quietAt = call.aliveAt + quietMs;
    const totalAt = call.openedAt + totalMs;
    if (core.now < quietAt && core.now < totalAt) {
      next = Math.min(next, quietAt, totalAt);
      continue;
    }
    instance.timedOutAt = core.now;
    abandonUpstream(core, instance, call, 'timeout');
    const refusal = core.now >= quietAt ? callTimedOut(call.server, quietMs) : callTooLong(call.server, totalMs);
    finishWithRefusal(core, instance, call, refusal, 'timeout');
  }
  if (next !== Number.POSITIVE_INFINITY) armDeadline(core, instance, next);
}
