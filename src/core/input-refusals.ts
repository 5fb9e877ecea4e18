import { INTERNAL_ERROR, INVALID_PARAMS } from '../protocol/jsonrpc.ts';
import { clipped, invalidParams, type Refusal } from './refusals.ts';

/** Errors towards hosts about what a server wants to know during a call. */

/** A server wants of its host what that host has not. */
export function hostLacks(server: string, capability: string): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} asks this host for ${capability} during the call, which this host does not support`,
    data: { reason: 'host-lacks', server, capability },
  };
}

/** A server asked its host for something, and got an error or nothing. */
export function hostRefused(server: string, method: string, why: string): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} asked this host for ${method} and got no result: ${clipped(why)}`,
    data: { reason: 'input-refused', server, method },
  };
}

/** Its calls must not overlap with another host's, because it asks hosts for input without saying for which call. */
export function turnTaken(server: string): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} is busy with another host's call that waits for a person, and nothing of this call was sent; processes of their own for each host: mcpd set ${server} --sharing per-session`,
    data: { reason: 'overloaded', server, sent: false, fix: `mcpd set ${server} --sharing per-session` },
  };
}

/** A `requestState` that mcpd did not give for this very request. */
export function forgedState(): Refusal {
  return invalidParams('params.requestState was not given by mcpd for this request');
}

/** A `requestState` of mcpd's own whose call is no longer there. */
export function stateExpired(server: string): Refusal {
  return {
    code: INVALID_PARAMS,
    message: `the call of ${server} that waited for this input is gone (mcpd was restarted, or it took too long): its outcome is unknown; make a new call`,
    data: { reason: 'state-expired', server, sent: true, outcome: 'unknown' },
  };
}

/** A result of a kind that the host's revision does not know. */
export function needsInput(server: string, resultType: string): Refusal {
  const what =
    resultType === 'input_required'
      ? 'asks for input during the call, and'
      : `answers with a result of the type ${JSON.stringify(resultType)}, and`;
  return {
    code: INTERNAL_ERROR,
    message: `${server} ${what} this host's protocol revision has no way to deal with it`,
    data: { reason: resultType === 'input_required' ? 'input-required' : 'result-type', server },
  };
}

export function tooManyRounds(server: string, max: number): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} asked for input ${max} times in one call and still wants more; it was given up`,
    data: { reason: 'input-rounds', server },
  };
}
