import { QUESTION_TIMEOUT_MS } from '../input-limits.ts';
import { idKey } from '../protocol/bytes.ts';
import type { RawId } from '../protocol/frame.ts';
import { errorText, INTERNAL_ERROR, notificationText, resultText } from '../protocol/jsonrpc.ts';
import type { Call, Parked, Question } from './call.ts';
import { arm, disarm, notify, toServer } from './emit.ts';
import { MARK, mark } from './marks.ts';
import type { Core, Instance, ServerLink } from './state.ts';

/** What hosts are asked and have not answered: entered once, settled once, and never forgotten on one side only. */

/** `line` is the whole request, with `question.id` in it. */
export function openQuestion(core: Core, question: Question, bytes: readonly Uint8Array[]): void {
  core.questions.set(idKey(question.id), question);
  const { id, session, calls } = question;
  for (const call of calls) {
    if (call.questions === 0) mark(call, MARK.asked, core.now);
    call.questions += 1;
  }
  core.out.push({ type: 'to-host', session, bytes, class: 'question', id, about: streamOf(question) });
  arm(core, `question:${JSON.parse(id)}`, QUESTION_TIMEOUT_MS);
}

/** Raw JSON of an id that no other question has, in this daemon or an earlier one. */
export function newQuestionId(core: Core): RawId {
  return JSON.stringify(`mcpd-${core.config.generation}-${core.nextQuestion++}`);
}

/** Nobody waits for its answer any more. False when that was so before. */
export function settle(core: Core, question: Question): boolean {
  if (!core.questions.delete(idKey(question.id))) return false;
  disarm(core, `question:${JSON.parse(question.id)}`);
  const { calls, from } = question;
  for (const call of calls) {
    call.questions -= 1;
    if (call.questions === 0) mark(call, MARK.resumed, core.now);
    call.aliveAt = core.now;
  }
  if (from.kind === 'server') linkOf(core, from)?.asked.delete(idKey(from.id));
  return true;
}

/** The host need not answer: what it was asked for has come to its end. */
export function withdraw(core: Core, question: Question, reason: string): void {
  if (settle(core, question)) cancelAtHost(core, question, reason);
}

/** The host learns that its answer is awaited no longer. */
export function cancelAtHost(core: Core, question: Question, reason: string): void {
  const session = core.sessions.get(question.session);
  if (session === undefined) return;
  const params = `{"requestId":${question.id},"reason":${JSON.stringify(reason)}}`;
  notify(core, session, notificationText('notifications/cancelled', params), streamOf(question));
}

/** The server that asked, if its process is still there, learns that there will be no answer. */
export function leaveUnanswered(core: Core, { from }: Question, reason: string): void {
  const instance = from.kind === 'server' ? core.instances.get(from.instance) : undefined;
  if (from.kind === 'server' && instance?.link != null && instance.generation === from.generation)
    answerNobody(core, instance, from.id, reason);
}

/** A call has come to its end: nothing that was asked for its sake is needed any more, and the server does not wait for it in vain. */
export function withdrawFor(core: Core, call: Call, reason: string): void {
  for (const question of call.questions > 0 ? core.questions.values() : []) {
    if (!question.calls.includes(call) || question.calls.some((other) => other !== call && isOpen(core, other)))
      continue;
    withdraw(core, question, reason);
    leaveUnanswered(core, question, reason);
  }
  if (call.parked !== null) unpark(core, call.parked);
}

/** Its process is gone, and with it all that it has asked. */
export function withdrawAll(core: Core, link: ServerLink, reason: string): void {
  for (const asked of link.asked.values()) if (asked.kind === 'question') withdraw(core, asked.question, reason);
  link.asked.clear();
}

/** The server learns that nobody will answer what it asked. */
export function answerNobody(core: Core, instance: Instance, id: RawId, reason: string): void {
  toServer(core, instance, errorText(id, INTERNAL_ERROR, reason));
}

/** A parked call ends: the server's open requests are answered, so that it can go on. */
export function unpark(core: Core, parked: Parked): void {
  if (!core.parked.delete(parked.id)) return;
  disarm(core, `park:${parked.id}`);
  const instance = core.instances.get(parked.instance);
  const link = instance?.link ?? null;
  for (const { id, method } of parked.wants.values()) {
    // Of what a task needs nothing is open.
    const asked = id === null ? undefined : link?.asked.get(idKey(id));
    // A process that has taken the place of the one that asked may use the same ids.
    if (instance === undefined || id === null || asked?.kind !== 'parked' || asked.parked !== parked) continue;
    link?.asked.delete(idKey(id));
    if (method === 'elicitation/create') toServer(core, instance, resultText(id, '{"action":"cancel"}'));
    else answerNobody(core, instance, id, 'the host did not come back with an answer');
  }
  parked.wants.clear();
}

// — internal —

/** Raw id of the host's request on whose stream it belongs. */
function streamOf({ calls }: Question): RawId | null {
  return calls.at(-1)?.id ?? null;
}

function isOpen(core: Core, call: Call): boolean {
  return core.sessions.get(call.session)?.open.get(call.idKey) === call;
}

function linkOf(core: Core, from: Extract<Question['from'], { kind: 'server' }>): ServerLink | null {
  const instance = core.instances.get(from.instance);
  return instance?.generation === from.generation ? instance.link : null;
}
