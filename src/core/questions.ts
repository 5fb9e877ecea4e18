import { ELICITATIONS_KEPT, SERVER_QUESTIONS_MAX } from '../input-limits.ts';
import { COALESCE_BYTES_MAX } from '../limits.ts';
import { type Callback, isCallback, lackFor } from '../protocol/abilities.ts';
import { type Edit, idKey, join, splice } from '../protocol/bytes.ts';
import type { Frame, RawId } from '../protocol/frame.ts';
import { labelEdit } from '../protocol/input.ts';
import { errorText, INVALID_REQUEST, METHOD_NOT_FOUND } from '../protocol/jsonrpc.ts';
import { jsonString, member, text } from '../protocol/members.ts';
import { sampledForServer, samplingForHost } from '../protocol/sampling.ts';
import type { Call, Question } from './call.ts';
import { find, passNotice, toServer } from './emit.ts';
import { type Owner, ownerOf } from './owners.ts';
import { park, takeBack } from './parking.ts';
import {
  answerNobody,
  cancelAtHost,
  leaveUnanswered,
  newQuestionId,
  openQuestion,
  settle,
  withdraw,
} from './question-table.ts';
import { onRoundAnswer, onRoundFailure } from './rounds.ts';
import type { Core, HostSession, Instance, ServerLink } from './state.ts';
import { relatedEdits, relatedEditsForServer } from './task-messages.ts';
import { ownerOfTask, relatedTask, type Task } from './tasks.ts';

/** Requests of legacy servers to their client: passed to the host whose call caused them, and its answer back. */

export function onServerQuestion(
  core: Core,
  instance: Instance,
  link: ServerLink,
  frame: Frame,
  about: number | null,
): void {
  const { envelope } = frame;
  if (envelope.kind !== 'request') return;
  const { id, method } = envelope;
  if (!isCallback(method)) {
    find(core, instance, 'asks', `it asked its client for ${method.slice(0, 100)}, which no client has`);
    return toServer(core, instance, errorText(id, METHOD_NOT_FOUND, `${method} is not supported`));
  }
  if (link.asked.has(idKey(id)))
    return toServer(
      core,
      instance,
      errorText(id, INVALID_REQUEST, `id ${id} is still in use by an unanswered request`),
    );
  if (link.asked.size >= SERVER_QUESTIONS_MAX)
    return answerNobody(core, instance, id, `${SERVER_QUESTIONS_MAX} requests to hosts are open already`);
  const bytes = join(frame.bytes);
  const task = relatedTask(core, instance, bytes, envelope.params);
  const owner = task === null ? ownerOf(core, instance, link, about) : taskOwner(core, link, task);
  const calls = callsOf(owner);
  for (const call of calls) call.askedBack = true;
  if (method !== 'roots/list' || calls.length > 0) noteCallsBack(core, instance);
  if (owner.kind === 'nobody') {
    const fix = `; processes of their own for each host: mcpd set ${instance.server} --sharing per-session`;
    find(core, instance, 'asks-nobody', `AMBIGUOUS_OWNER: ${method} was refused, since ${owner.why}${fix}`);
    return answerNobody(core, instance, id, `${method} reaches no host: ${owner.why}`);
  }
  const { params } = envelope;
  const abilities = owner.kind === 'call' ? owner.call.abilities : owner.session.abilities;
  const lack = lackFor(abilities, method, params === null ? null : JSON.parse(text(bytes, params)));
  if (lack !== null) {
    if (owner.kind === 'call') owner.call.lacks ??= lack;
    return toServer(core, instance, errorText(id, METHOD_NOT_FOUND, `the host does not support ${lack}`));
  }
  const session = core.sessions.get(owner.kind === 'call' ? owner.call.session : owner.session.id);
  if (owner.kind === 'call' && owner.call.hostEra === 'modern')
    return park(core, instance, link, owner.call, { id, method, bytes, params });
  if (session === undefined) return answerNobody(core, instance, id, 'the host has left');
  ask(core, instance, link, { session, calls, frame, bytes, method, id });
}

/** A host's answer to a question. One that nobody asked, that was settled, or that is another host's, goes nowhere. */
export function onHostAnswer(core: Core, session: HostSession, frame: Frame): void {
  const { envelope } = frame;
  if ((envelope.kind !== 'result' && envelope.kind !== 'error') || envelope.id === null) return;
  const question = core.questions.get(idKey(envelope.id));
  if (question === undefined || question.session !== session.id) return;
  settle(core, question);
  const { from } = question;
  if (from.kind === 'round') return onRoundAnswer(core, question, from, frame);
  const instance = core.instances.get(from.instance);
  if (instance === undefined || instance.generation !== from.generation || envelope.idSpan === null) return;
  const edits: Edit[] = [{ start: envelope.idSpan.start, end: envelope.idSpan.end, with: from.id }];
  if (envelope.kind === 'result' && question.method === 'sampling/createMessage')
    edits.push(...sampledForServer(join(frame.bytes), envelope.result, instance.link?.protocolVersion ?? null));
  if (envelope.kind === 'result' && core.tasks.size > 0)
    edits.push(...relatedEditsForServer(session, instance.server, join(frame.bytes), envelope.result));
  const bytes = splice(frame.bytes, frame.length, edits, COALESCE_BYTES_MAX);
  core.out.push({ type: 'to-server', instance: instance.key, generation: instance.generation, bytes, id: null });
}

/** No answer will come: the host does not read, or took too long. */
export function onNoAnswer(core: Core, question: Question, reason: string): void {
  if (!settle(core, question)) return;
  const { from } = question;
  if (from.kind === 'round') onRoundFailure(core, question.method, from, reason);
  else leaveUnanswered(core, question, reason);
}

/** The host has left: servers learn it. What its own calls wait for ends with these. */
export function onHostLeft(core: Core, session: HostSession): void {
  for (const question of core.questions.values()) {
    if (question.session !== session.id) continue;
    if (question.from.kind === 'server') onNoAnswer(core, question, 'the host has left');
    else settle(core, question);
  }
}

/** It took too long: the host is told that no answer is awaited any more. */
export function onQuestionTimeout(core: Core, id: string): void {
  const question = core.questions.get(JSON.stringify(id));
  if (question === undefined) return;
  cancelAtHost(core, question, 'timed out');
  onNoAnswer(core, question, 'the host did not answer in time');
}

/** A server takes back what it asked. */
export function onServerCancelled(core: Core, link: ServerLink, id: RawId): void {
  const asked = link.asked.get(idKey(id));
  if (asked === undefined) return;
  if (asked.kind === 'question') withdraw(core, asked.question, 'the server needs it no longer');
  else takeBack(link, asked.parked, asked.key, id);
}

/** A host's progress on what it was asked goes to the server, under the server's own token. */
export function onHostProgress(core: Core, session: HostSession, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const token = member(bytes, envelope.params, 'progressToken');
  const question = token === null ? undefined : core.questions.get(idKey(text(bytes, token)));
  if (token === null || question === undefined || question.session !== session.id) return;
  const { from } = question;
  if (from.kind !== 'server' || from.progressToken === null) return;
  const { server } = core.instances.get(from.instance) ?? { server: '' };
  const edits = [
    { start: token.start, end: token.end, with: from.progressToken },
    ...relatedEditsForServer(session, server, bytes, envelope.params),
  ];
  core.out.push({
    type: 'to-server',
    instance: from.instance,
    generation: from.generation,
    bytes: splice(frame.bytes, frame.length, edits, COALESCE_BYTES_MAX),
    id: null,
  });
}

/** A person has finished what an elicitation by URL sent him to: the host that was shown it is told. Modern hosts learn it by a retry. */
export function onElicitationComplete(core: Core, link: ServerLink, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const id = member(bytes, envelope.params, 'elicitationId');
  const shown = id === null ? null : jsonString(bytes, id);
  const session = core.sessions.get(link.elicitations.get(shown ?? '') ?? '');
  if (session !== undefined) passNotice(core, session, frame, [], null);
}

// — internal —

function taskOwner(core: Core, link: ServerLink, task: Task): Owner {
  const { session, call } = ownerOfTask(core, link, task);
  if (call !== null) return { kind: 'call', call };
  if (session === undefined) return { kind: 'nobody', why: 'the host that made the task has left' };
  return { kind: 'session', session, calls: [] };
}

function callsOf(owner: Owner): readonly Call[] {
  if (owner.kind === 'call') return [owner.call];
  return owner.kind === 'session' ? owner.calls : [];
}

interface Asking {
  session: HostSession;
  calls: readonly Call[];
  frame: Frame;
  bytes: Uint8Array;
  method: Callback;
  id: RawId;
}

function ask(
  core: Core,
  instance: Instance,
  link: ServerLink,
  { session, calls, frame, bytes, method, id }: Asking,
): void {
  const { envelope } = frame;
  if (envelope.kind !== 'request') return;
  const own = newQuestionId(core);
  const { params } = envelope;
  const fitting =
    method !== 'sampling/createMessage' || params === null
      ? []
      : samplingForHost(bytes, params, session.protocolVersion);
  if ('refusal' in fitting) return answerNobody(core, instance, id, fitting.refusal);
  const edits: Edit[] = [
    { start: envelope.idSpan.start, end: envelope.idSpan.end, with: own },
    ...fitting,
    ...labelEdit(bytes, params, method, session.door.scope.kind === 'all' ? instance.server : null),
    ...relatedEdits(instance, session, bytes, params),
  ];
  const meta = params === null ? null : member(bytes, params, '_meta');
  const token = meta === null ? null : member(bytes, meta, 'progressToken');
  // Tokens are unique per sender, and to the host mcpd is one.
  if (token !== null) edits.push({ start: token.start, end: token.end, with: own });
  const question: Question = {
    id: own,
    session: session.id,
    method,
    calls,
    from: {
      kind: 'server',
      instance: instance.key,
      generation: instance.generation,
      id,
      progressToken: token === null ? null : text(bytes, token),
    },
  };
  link.asked.set(idKey(id), { kind: 'question', question });
  const elicitation = params === null ? null : member(bytes, params, 'elicitationId');
  const elicitationId = elicitation === null ? null : jsonString(bytes, elicitation);
  if (elicitationId !== null) rememberElicitation(link, elicitationId, session.id);
  openQuestion(core, question, splice(frame.bytes, frame.length, edits, COALESCE_BYTES_MAX));
}

function rememberElicitation(link: ServerLink, id: string, session: string): void {
  link.elicitations.set(id, session);
  for (const oldest of link.elicitations.keys()) {
    if (link.elicitations.size <= ELICITATIONS_KEPT) return;
    link.elicitations.delete(oldest);
  }
}

/** From now on hosts that can be asked get a process of their own when they come; it is remembered. */
function noteCallsBack(core: Core, instance: Instance): void {
  const known = core.servers.get(instance.server);
  if (known === undefined || instance.purpose.kind !== 'serve') return;
  known.callsBackSince ??= core.now;
  if (known.memory === null || known.memory.callsBack) return;
  known.memory = { ...known.memory, callsBack: true };
  core.out.push({ type: 'save-memory', server: instance.server, memory: known.memory });
}
