import { INPUT_BYTES_MAX, INPUT_RETRY_MS, INPUT_ROUNDS_MAX, SERVER_QUESTIONS_MAX } from '../input-limits.ts';
import { type Callback, isCallback, lackFor } from '../protocol/abilities.ts';
import { type Edit, join, line } from '../protocol/bytes.ts';
import type { Frame, RawId, Span } from '../protocol/frame.ts';
import { edited, type InputRequired, labelEdit, readInputRequired, retryMembers } from '../protocol/input.ts';
import { jsonString, member, text } from '../protocol/members.ts';
import { samplingForHost } from '../protocol/sampling.ts';
import type { Call, Question, Round } from './call.ts';
import { abandonUpstream, finishWithRefusal } from './calls.ts';
import { arm } from './emit.ts';
import { hostLacks, hostRefused, tooManyRounds } from './input-refusals.ts';
import { newQuestionId, openQuestion } from './question-table.ts';
import { type Refusal, unreadableAnswer } from './refusals.ts';
import type { Core, HostSession, Instance } from './state.ts';
import { sendAnswers } from './task-polling.ts';
import { lookAtQueue } from './turns.ts';

/**
 * A legacy host and a modern server: the server ends a request with a list of what it needs, mcpd asks the host by real requests, and
 * sends the request again with the answers. Between the rounds nothing is open at the server.
 */

/** True when the answer asked for input: then it is not passed on. */
export function tookRound(core: Core, instance: Instance, call: Call, frame: Frame): boolean {
  if (frame.envelope.kind !== 'result' || call.view === null) return false;
  const required = readInputRequired(frame, frame.envelope.result, INPUT_BYTES_MAX);
  if (required === null) return false;
  const refusal =
    typeof required === 'string' ? unreadableAnswer(call.server, required) : beginRound(core, instance, call, required);
  if (refusal !== null) finishWithRefusal(core, instance, call, refusal, 'error');
  return true;
}

export function onRoundAnswer(core: Core, question: Question, from: RoundOrigin, frame: Frame): void {
  const { call, key } = from;
  const instance = core.instances.get(call.instance);
  if (instance === undefined || call.phase.name !== 'asking') return;
  const { envelope } = frame;
  const bytes = join(frame.bytes);
  if (envelope.kind === 'result') call.phase.round.responses.set(key, text(bytes, envelope.result));
  // An answer that is an error has no place in the retry. A form that nobody filled in has.
  else if (question.method === 'elicitation/create') call.phase.round.responses.set(key, '{"action":"cancel"}');
  else if (envelope.kind === 'error')
    return giveUp(core, instance, call, hostRefused(call.server, question.method, text(bytes, envelope.error)));
  goOnIfComplete(core, instance, call, call.phase.round);
}

export function onRoundFailure(core: Core, method: Callback, { call }: RoundOrigin, reason: string): void {
  const instance = core.instances.get(call.instance);
  if (instance === undefined) return;
  giveUp(core, instance, call, hostRefused(call.server, method, reason));
}

/** Rounds without questions: the server wants to be asked again a moment later. */
export function onAgainTimer(core: Core, instance: Instance): void {
  for (const call of instance.asking)
    if (call.phase.name === 'asking') goOnIfComplete(core, instance, call, call.phase.round);
}

/** Asks the host of a call, of whose answer only this is left; why it cannot be asked, or null. */
export function beginRound(
  core: Core,
  instance: Instance,
  call: Call,
  { requests, requestState }: InputRequired,
): Refusal | null {
  const session = core.sessions.get(call.session);
  if (session === undefined || call.phase.name !== 'sent') return null;
  if (requests.length > SERVER_QUESTIONS_MAX) return tooManyRounds(call.server, SERVER_QUESTIONS_MAX);
  if (call.rounds >= INPUT_ROUNDS_MAX) return tooManyRounds(call.server, INPUT_ROUNDS_MAX);
  for (const { method, params } of requests) {
    if (!isCallback(method)) return hostLacks(call.server, method.slice(0, 100));
    const lack = lackFor(call.abilities, method, JSON.parse(params));
    if (lack !== null) return hostLacks(call.server, lack);
  }
  call.rounds += 1;
  call.askedBack = true;
  instance.link?.calls.delete(call.phase.upstreamId);
  const pauses = [...instance.asking].some(({ phase }) => phase.name === 'asking' && phase.round.responses.size === 0);
  instance.asking.add(call);
  const round: Round = { responses: new Map(requests.map(({ key }) => [key, null])), requestState };
  call.phase = { name: 'asking', round };
  for (const request of requests) {
    const refusal = ask(core, session, call, request);
    if (refusal !== null) return refusal;
  }
  // Those that come later go along with the first, which must not be put off.
  if (requests.length === 0 && !pauses) arm(core, `again:${instance.key}`, INPUT_RETRY_MS);
  return null;
}

// — internal —

type RoundOrigin = Extract<Question['from'], { kind: 'round' }>;

/** Nothing is open at the server, unless it has made a task. */
function giveUp(core: Core, instance: Instance, call: Call, refusal: Refusal): void {
  if (call.task !== null) abandonUpstream(core, instance, call, 'its host gave no input');
  finishWithRefusal(core, instance, call, refusal, 'error');
}

function ask(
  core: Core,
  session: HostSession,
  call: Call,
  { key, method, params }: InputRequired['requests'][number],
): Refusal | null {
  if (!isCallback(method)) return null;
  const id = newQuestionId(core);
  const question: Question = { id, session: session.id, method, calls: [call], from: { kind: 'round', call, key } };
  const bytes = Buffer.from(params);
  const whole = { start: 0, end: bytes.length };
  const fitting = method === 'sampling/createMessage' ? samplingForHost(bytes, whole, session.protocolVersion) : [];
  if ('refusal' in fitting) return hostRefused(call.server, method, fitting.refusal);
  const label = call.prefixed ? call.server : null;
  const edits = [...fitting, ...labelEdit(bytes, whole, method, label), ...addressIdEdit(bytes, whole, method, id)];
  const asked = edited(bytes, whole, edits);
  openQuestion(core, question, line(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${asked}}`));
  return null;
}

/** Until 2025-11-25 an elicitation by URL has an id, and hosts insist on it. */
function addressIdEdit(bytes: Uint8Array, params: Span, method: string, id: RawId): Edit[] {
  const mode = method === 'elicitation/create' ? member(bytes, params, 'mode') : null;
  if (mode === null || jsonString(bytes, mode) !== 'url' || member(bytes, params, 'elicitationId') !== null) return [];
  return [{ start: params.end - 1, end: params.end - 1, with: `,"elicitationId":${id}` }];
}

function goOnIfComplete(core: Core, instance: Instance, call: Call, round: Round): void {
  const responses = new Map<string, string>();
  for (const [key, json] of round.responses) {
    if (json === null) return;
    responses.set(key, json);
  }
  if (call.task?.kind === 'run' && call.task.task !== null) {
    if (instance.link === null || call.task.way.by !== 'extension') return;
    for (const [key, json] of responses) call.task.way.answers.set(key, json);
    return sendAnswers(core, instance, instance.link, call, call.task);
  }
  if (call.view === null) return;
  instance.asking.delete(call);
  call.phase = { name: 'queued', view: call.view, retry: retryMembers(responses, round.requestState) };
  instance.queue.add(call);
  lookAtQueue(core, instance);
}
