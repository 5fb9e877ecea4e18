import { jsonString, text } from '../protocol/members.ts';
import { param, type RequestView } from '../protocol/request-view.ts';
import type { Call } from './call.ts';
import type { Core } from './state.ts';

/** The `requestState` that mcpd gives a modern host with a wish for input: it names the call that waits, and is good for that request alone. */

/** In the place of the number of a parked call: nothing waits. */
export const URL_ID = 'url';

/** The `requestState` of a request that brings input, '' where it has none; null for a request that brings none. */
export function stateOf(view: RequestView): string | null {
  const value = param(view, 'requestState');
  if (value === null) return param(view, 'inputResponses') === null ? null : '';
  return jsonString(view.bytes, value) ?? '';
}

/** It looks like one that mcpd gave. */
export function isOwnState(state: string | null): boolean {
  return state?.startsWith(PREFIX) === true;
}

/** It is one that mcpd gave for this very request, in this daemon or an earlier one. */
export function isSigned(core: Core, call: Call, view: RequestView, state: string): boolean {
  return stateParts(core, call, view, state) !== null;
}

/** The same request brought again has the same; another one has not. */
export function digestOf(core: Core, call: Call, view: RequestView): string {
  const args = param(view, 'arguments');
  const json = args === null ? '' : text(view.bytes, args);
  return core.config.digest(Buffer.from(`${call.method}\n${call.server}\n${call.target}\n${json}`));
}

/** Null for a state that is forged, or was given for another request. */
export function stateParts(
  core: Core,
  call: Call,
  view: RequestView,
  state: string,
): { id: string; round: number } | null {
  const [, id = '', round = '', mac = ''] = /^mcpd\.([A-Za-z0-9-]+)\.(\d+)\.([A-Za-z0-9_-]+)$/.exec(state) ?? [];
  const facts = { id, round: Number(round), principal: call.principal, digest: digestOf(core, call, view) };
  return mac === '' || mac !== macOf(core, facts) ? null : facts;
}

export function stateText(core: Core, facts: StateFacts): string {
  return `${PREFIX}${facts.id}.${facts.round}.${macOf(core, facts)}`;
}

// — internal —

const PREFIX = 'mcpd.';

interface StateFacts {
  id: string;
  round: number;
  principal: string;
  digest: string;
}

function macOf(core: Core, { id, round, principal, digest }: StateFacts): string {
  return core.config.sign(`request-state\n${id}\n${round}\n${principal}\n${digest}`);
}
