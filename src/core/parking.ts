import {
  INPUT_ROUNDS_MAX,
  PARKED_CALLS_MAX,
  PARKED_GATHER_MS,
  PARKED_MS,
  SERVER_QUESTIONS_MAX,
} from '../input-limits.ts';
import { type Callback, isCallback, lackFor } from '../protocol/abilities.ts';
import { idKey, join } from '../protocol/bytes.ts';
import type { Frame, RawId, Span } from '../protocol/frame.ts';
import {
  edited,
  type InputRequired,
  inputRequiredResult,
  labelEdit,
  wantedKey,
  withoutLegacyParts,
} from '../protocol/input.ts';
import { errorText, METHOD_NOT_FOUND, resultText } from '../protocol/jsonrpc.ts';
import { elements, member, text } from '../protocol/members.ts';
import { param, type RequestView } from '../protocol/request-view.ts';
import { errorCodeOf } from '../protocol/results.ts';
import { sampledForServer } from '../protocol/sampling.ts';
import type { Call, Parked, TaskRun } from './call.ts';
import { abandonUpstream, deliverAnswer, endUnanswered, finishWithRefusal, finishWithResult } from './calls.ts';
import { answer, arm, disarm, toServer } from './emit.ts';
import { forgedState, hostLacks, hostRefused, stateExpired, tooManyRounds } from './input-refusals.ts';
import { MARK, mark, takeMarks } from './marks.ts';
import { answerNobody, unpark } from './question-table.ts';
import { capabilityMissing, type Refusal } from './refusals.ts';
import { digestOf, stateParts, stateText, URL_ID } from './request-state.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { sendAnswers } from './task-polling.ts';

/**
 * A modern host and a legacy server: the server asks during a call and waits, while the host can only be answered. So its request ends
 * with `input_required`, the server's call stays open ("parked"), and the host's retry is joined to it. The server's tool runs once.
 */

export interface Wanted {
  id: RawId;
  method: Callback;
  bytes: Uint8Array;
  params: Span | null;
}

/** A question for a call of a modern host: told with others that come in the same moment. */
export function park(core: Core, instance: Instance, link: ServerLink, call: Call, wanted: Wanted): void {
  if (!ASKING_METHODS.includes(call.method))
    return answerNobody(core, instance, wanted.id, `${call.method} has no way to ask its host for input`);
  if (call.parked === null && core.parked.size >= PARKED_CALLS_MAX)
    return answerNobody(core, instance, wanted.id, `${PARKED_CALLS_MAX} calls wait for their hosts already`);
  const parked = call.parked ?? newParked(core, instance, call);
  call.parked = parked;
  const key = keyFor(parked, wanted);
  parked.wants.set(key, { id: wanted.id, method: wanted.method, params: paramsFor(wanted, labelOf(call)) });
  link.asked.set(idKey(wanted.id), { kind: 'parked', parked, key });
  if (parked.stage === 'gathering') arm(core, `park:${parked.id}`, PARKED_GATHER_MS);
}

/** What a task of a modern server needs: its host is asked for all of it at once. Why it cannot be asked, or null. */
export function parkForTask(
  core: Core,
  instance: Instance,
  call: Call,
  requests: InputRequired['requests'],
): Refusal | null {
  if (call.parked === null && core.parked.size >= PARKED_CALLS_MAX)
    return hostRefused(call.server, 'input', `${PARKED_CALLS_MAX} calls wait for their hosts already`);
  const parked = call.parked ?? newParked(core, instance, call);
  call.parked = parked;
  if (parked.round >= INPUT_ROUNDS_MAX) return tooManyRounds(call.server, INPUT_ROUNDS_MAX);
  if (parked.wants.size + requests.length > SERVER_QUESTIONS_MAX)
    return tooManyRounds(call.server, SERVER_QUESTIONS_MAX);
  for (const { key, method, params } of requests) {
    if (!isCallback(method)) return hostLacks(call.server, method.slice(0, 100));
    const lack = lackFor(call.abilities, method, JSON.parse(params));
    if (lack !== null) return capabilityMissing(call.server, lack);
    const bytes = Buffer.from(params);
    const whole = { start: 0, end: bytes.length };
    const shown = edited(bytes, whole, labelEdit(bytes, whole, method, labelOf(call)));
    parked.wants.set(key, { id: null, method, params: shown });
  }
  call.askedBack = true;
  if (parked.stage === 'gathering') tellHost(core, parked);
  return null;
}

/** The server needs this answer no longer. */
export function takeBack(link: ServerLink, parked: Parked, key: string, id: RawId): void {
  parked.wants.delete(key);
  link.asked.delete(idKey(id));
}

/** What has gathered is told to the host; or the host has not come back in time. */
export function onParkTimer(core: Core, id: string): void {
  const parked = core.parked.get(id);
  if (parked === undefined) return;
  const instance = core.instances.get(parked.instance);
  // What came of it was kept for a host that has not come.
  if (instance === undefined) return unpark(core, parked);
  // The server may have taken back all that it asked.
  if (parked.stage === 'gathering') return parked.wants.size === 0 ? undefined : tellHost(core, parked);
  const { call } = parked;
  unpark(core, parked);
  abandonUpstream(core, instance, call, 'the host did not come back with the input');
  endUnanswered(core, instance, call, 'cancelled');
}

/** Why this retry cannot be joined to a parked call; else that call, or `anew` when it is to be sent as a call of its own. */
export function parkedFor(core: Core, call: Call, view: RequestView, state: string): Parked | 'anew' | Refusal {
  const parts = stateParts(core, call, view, state);
  if (parts === null) return forgedState();
  if (parts.id === URL_ID) return 'anew';
  const parked = core.parked.get(parts.id);
  return parked === undefined || parked.round !== parts.round || parked.stage !== 'with-host'
    ? stateExpired(call.server)
    : parked;
}

/** Joins a retry to the call that waits for it: its answers go to the server, and what the server says next is for the new request. */
export function unite(core: Core, instance: Instance, parked: Parked, call: Call, view: RequestView): void {
  const { link } = instance;
  const before = parked.call;
  call.instance = instance.key;
  call.parked = parked;
  call.progress = before.progress;
  if (before.task?.kind === 'run') goOnWith(instance, before, before.task, call);
  call.askedBack = true;
  call.need = before.need;
  call.phase = before.phase;
  call.firstAt = before.firstAt;
  call.marks = takeMarks(before);
  mark(call, MARK.resumed, core.now);
  call.aliveAt = core.now;
  parked.call = call;
  parked.stage = 'gathering';
  disarm(core, `park:${parked.id}`);
  if (parked.outcome !== null) return deliverHeld(core, instance, parked, call);
  if (link === null || (before.phase.name !== 'sent' && before.phase.name !== 'polling')) return;
  if (before.phase.name === 'sent') link.calls.set(before.phase.upstreamId, call);
  const responses = param(view, 'inputResponses');
  for (const [key, want] of [...parked.wants]) {
    const response = responses === null ? null : member(view.bytes, responses, key);
    if (response === null) continue;
    parked.wants.delete(key);
    if (want.id === null) {
      keepAnswer(call, key, text(view.bytes, response));
      continue;
    }
    link.asked.delete(idKey(want.id));
    toServer(core, instance, resultText(want.id, answerFor(link, want.method, view.bytes, response)));
  }
  // What it left out is asked once more, unless this host cannot be asked for it.
  if (call.abilities.raw !== before.abilities.raw) refuseLacking(core, instance, link, parked);
  if (call.task?.kind === 'run' && call.phase.name === 'polling' && hasAnswers(call))
    sendAnswers(core, instance, link, call, call.task);
  if (parked.wants.size > 0) tellHost(core, parked);
}

/**
 * A server of 2025-11-25 may refuse a call until a person has been to some pages. A modern host is asked for that as for other input; its
 * retry is a call of its own, because the server's has ended.
 */
export function tookUrlRefusal(core: Core, instance: Instance, call: Call, frame: Frame): boolean {
  const { envelope } = frame;
  if (envelope.kind !== 'error' || !call.abilities.elicitation.url || call.view === null) return false;
  // It is held as it is: the host that comes back may be another one.
  if (call.parked?.stage === 'with-host') return false;
  const bytes = join(frame.bytes);
  if (errorCodeOf(bytes, envelope.error) !== URL_ELICITATION_REQUIRED) return false;
  const data = member(bytes, envelope.error, 'data');
  const list = data === null ? null : member(bytes, data, 'elicitations');
  const pages = list === null ? [] : elements(bytes, list);
  if (pages.length === 0) return false;
  const requests = pages.map((page, at) => ({
    key: `q${at}`,
    method: 'elicitation/create',
    params: paramsFor({ bytes, params: page, method: 'elicitation/create' }, labelOf(call)),
  }));
  const state = stateText(core, {
    id: URL_ID,
    round: 0,
    principal: call.principal,
    digest: digestOf(core, call, call.view),
  });
  finishWithResult(core, instance, call, inputRequiredResult(requests, state));
  return true;
}

// — internal —

/** The only requests that a modern server may end with a wish for input. */
const ASKING_METHODS: readonly string[] = ['tools/call', 'prompts/get', 'resources/read'];
const OWN_KEY = /^q\d+$/;
const URL_ELICITATION_REQUIRED = -32_042;

function newParked(core: Core, instance: Instance, call: Call): Parked {
  const parked: Parked = {
    id: `${core.config.generation}-${core.nextQuestion++}`,
    instance: instance.key,
    principal: call.principal,
    digest: call.view === null ? '' : digestOf(core, call, call.view),
    stage: 'gathering',
    round: 0,
    call,
    wants: new Map(),
    nextKey: 1,
    outcome: null,
  };
  core.parked.set(parked.id, parked);
  return parked;
}

/** The server's own, where it gave one; keys of a number are mcpd's, and none is used twice in one call. */
function keyFor(parked: Parked, { bytes, params }: Wanted): string {
  const wanted = wantedKey(bytes, params);
  if (wanted !== null && !OWN_KEY.test(wanted) && !parked.wants.has(wanted)) return wanted;
  return `q${parked.nextKey++}`;
}

function keepAnswer({ task }: Call, key: string, json: string): void {
  if (task?.kind === 'run' && task.way.by === 'extension') task.way.answers.set(key, json);
}

function hasAnswers({ task }: Call): boolean {
  return task?.kind === 'run' && task.way.by === 'extension' && task.way.answers.size > 0;
}

/** The task that mcpd runs for the one call is now run for the other. */
function goOnWith(instance: Instance, before: Call, run: TaskRun, call: Call): void {
  call.task = run;
  if (run.task !== null) run.task.run = call;
  if (instance.asking.delete(before)) instance.asking.add(call);
}

function tellHost(core: Core, parked: Parked): void {
  const { call } = parked;
  parked.stage = 'with-host';
  mark(call, MARK.asked, core.now);
  parked.round += 1;
  const requests = Array.from(parked.wants, ([key, { method, params }]) => ({ key, method, params }));
  answer(core, call.session, call.id, inputRequiredResult(requests, stateText(core, parked)));
  core.sessions.get(call.session)?.open.delete(call.idKey);
  arm(core, `park:${parked.id}`, PARKED_MS);
}

function deliverHeld(core: Core, instance: Instance, parked: Parked, call: Call): void {
  const { outcome } = parked;
  parked.outcome = null;
  if (outcome === null) return;
  if ('refusal' in outcome) return finishWithRefusal(core, instance, call, outcome.refusal, outcome.as);
  if (!tookUrlRefusal(core, instance, call, outcome.frame)) deliverAnswer(core, instance, call, outcome.frame);
}

/** Another host of the same person has come back, which can do less than the one that was asked. */
function refuseLacking(core: Core, instance: Instance, link: ServerLink, { call, wants }: Parked): void {
  for (const [key, { id, method, params }] of wants) {
    const lack = lackFor(call.abilities, method, JSON.parse(params));
    if (lack === null) continue;
    wants.delete(key);
    if (id === null) {
      abandonUpstream(core, instance, call, 'its host gave no input');
      return finishWithRefusal(core, instance, call, capabilityMissing(call.server, lack), 'error');
    }
    link.asked.delete(idKey(id));
    toServer(core, instance, errorText(id, METHOD_NOT_FOUND, `the host does not support ${lack}`));
  }
}

/** The host's response as a server of that revision can read it. */
function answerFor(link: ServerLink, method: Callback, bytes: Uint8Array, response: Span): string {
  const edits = method === 'sampling/createMessage' ? sampledForServer(bytes, response, link.protocolVersion) : [];
  return edited(bytes, response, edits);
}

/** Who asks, for a host that knows mcpd only. */
function labelOf({ prefixed, server }: Call): string | null {
  return prefixed ? server : null;
}

function paramsFor({ bytes, params, method }: Omit<Wanted, 'id'>, label: string | null): string {
  if (params === null) return '{}';
  const edits = [...labelEdit(bytes, params, method, label), ...withoutLegacyParts(bytes, params)];
  return edited(
    bytes,
    params,
    edits.sort((a, b) => a.start - b.start),
  );
}
