import { resultFor } from '../protocol/results.ts';
import { featuresOf } from '../protocol/revisions.ts';
import type { Call } from './call.ts';
import { finishWithRefusal, finishWithResult, sendCall } from './calls.ts';
import { MARK, mark } from './marks.ts';
import { noSubscriptions } from './refusals.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { alignSubscriptions, bookSubscription, canSubscribe } from './subscriptions.ts';
import { settleTask } from './task-messages.ts';
import { awaitTurn, takesTurn } from './turns.ts';

/** The result of `completion/complete` for a server that has none: hosts are told that there are some, since some server may have them. */
export const NO_COMPLETIONS = '{"completion":{"values":[],"total":0,"hasMore":false}}';

/** Sends a call to its running server, or settles it without, where the server has nothing to say to it. */
export function dispatchCall(core: Core, instance: Instance, link: ServerLink, call: Call): void {
  if (call.task !== null) settleTask(link, call);
  if (!takesTurn(core, instance, link, call)) return awaitTurn(core, instance, call);
  if (call.subscribes) return subscribe(core, instance, link, call);
  if (call.method === 'completion/complete' && !mayComplete(link.protocolVersion, link.capabilities))
    return finishWithResult(core, instance, call, resultFor(call.hostEra, NO_COMPLETIONS));
  sendCall(core, instance, link, call);
}

/** Its process is ready: what has waited for that goes there, in its order. */
export function flushCalls(core: Core, instance: Instance, link: ServerLink): void {
  const waiting = [...instance.queue];
  instance.queue.clear();
  for (const call of waiting) {
    // Waiting for a turn begins now.
    call.waitingSince = null;
    mark(call, MARK.started, core.now);
    dispatchCall(core, instance, link, call);
  }
}

/** Whether it makes sense to ask a server to complete something. */
export function mayComplete(protocolVersion: string, capabilities: object): boolean {
  return Object.hasOwn(capabilities, 'completions') || !featuresOf(protocolVersion).completionsDeclared;
}

// — internal —

/** A legacy server hears of the first watcher only, by that host's own request. */
function subscribe(core: Core, instance: Instance, link: ServerLink, call: Call): void {
  if (!canSubscribe(link)) return finishWithRefusal(core, instance, call, noSubscriptions(call.server), 'error');
  if (link.era === 'legacy' && !link.subscribed.has(call.target)) return sendCall(core, instance, link, call);
  bookSubscription(core, instance, call);
  alignSubscriptions(core, instance);
  finishWithResult(core, instance, call, resultFor(call.hostEra, '{}'));
}
