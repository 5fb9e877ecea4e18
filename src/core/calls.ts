import { CANCELLED_ASKS_MS } from '../input-limits.ts';
import { ABANDONED_IDS_KEPT, CALL_TIMEOUT_MS, COALESCE_BYTES_MAX } from '../limits.ts';
import { asBuffer, type Edit, join, splice } from '../protocol/bytes.ts';
import type { Frame } from '../protocol/frame.ts';
import { errorEdits } from '../protocol/host-errors.ts';
import { editsForHost } from '../protocol/host-results.ts';
import { inputLabels, withoutInput } from '../protocol/input.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { member, text } from '../protocol/members.ts';
import { metaEdit } from '../protocol/meta.ts';
import { param } from '../protocol/request-view.ts';
import { errorCodeOf } from '../protocol/results.ts';
import { abandon } from './asking.ts';
import type { Call, Parked } from './call.ts';
import type { CallRecord } from './call-record.ts';
import { answer, arm, epoch, publishServer, refuse, toServer } from './emit.ts';
import { failureOf } from './failures.ts';
import { armIdle } from './idle.ts';
import { needsInput } from './input-refusals.ts';
import { callsAtServer } from './instance.ts';
import { MARK, mark, sentAfter, takeMarks } from './marks.ts';
import type { CallOutcome } from './model.ts';
import { withdrawFor } from './question-table.ts';
import { capabilityMissing, type Refusal } from './refusals.ts';
import { uriEdits } from './result-uris.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { bookSubscription, forgetSubscription } from './subscriptions.ts';
import { declaredFor, extensionPart, mayBecomeTask, taskRequestEdits, taskResultEdits } from './task-messages.ts';
import { cancelRun, forgetTask } from './tasks.ts';
import { lookAtQueue, noteQuiet } from './turns.ts';

/** The life of a call once its server is chosen: sent, answered once, cancelled or given up. */

/** Results above this size are not looked into for `isError`; the history then says `ok`. */
const INSPECTED_BYTES_MAX = 4096;
const IS_ERROR = Buffer.from('"isError"');

/** Sends a queued call to its running server. The frame is given up: from here on the outcome may be unknown. */
export function sendCall(core: Core, instance: Instance, link: ServerLink, call: Call): void {
  if (call.phase.name !== 'queued') return;
  const { view, retry } = call.phase;
  const { frame, request } = view;
  const upstreamId = link.nextId++;
  const era = link.era ?? 'legacy';
  const edits: Edit[] = [{ start: request.idSpan.start, end: request.idSpan.end, with: String(upstreamId) }];
  if (call.rewrite !== null) {
    const { span, json } = call.rewrite;
    edits.push({ start: span.start, end: span.end, with: json });
  }
  const mayBeRelated = core.tasks.size > 0 && param(view, '_meta') !== null;
  if (era === 'modern' || call.hostEra === 'modern' || call.progressToken !== null || mayBeRelated) {
    const session = core.sessions.get(call.session);
    const edit = metaEdit(view, {
      from: call.hostEra,
      to: era,
      // Tokens are unique per sender, so the id that mcpd just gave serves as the token too.
      progressToken: call.progressToken === null ? null : String(upstreamId),
      clientInfo: session?.clientInfo ?? '{}',
      capabilities: declaredFor(call),
      logLevel: session?.logLevel ?? null,
      tasks: extensionPart(link, call),
      marked: call.prefixed ? call.server : null,
    });
    if (edit !== null) edits.push(edit);
  }
  if (retry !== null && retry !== '' && request.params !== null) {
    const end = request.params.end - 1;
    edits.push({ start: end, end, with: `,${retry}` });
  }
  if (era === 'legacy' && call.hostEra === 'modern') edits.push(...withoutInput(view));
  if (call.task !== null) edits.push(...taskRequestEdits(call, view));
  // Between eras it may have to be sent once more, with input, and as a task to a modern server; else its frame is given up.
  call.view = era !== call.hostEra || mayBecomeTask(link, call) ? view : null;
  call.phase = { name: 'sent', upstreamId, sentAt: core.now };
  call.aliveAt = core.now;
  mark(call, MARK.sent, core.now);
  link.calls.set(upstreamId, call);
  if (call.need !== 'no') link.needy += 1;
  const bytes = splice(frame.bytes, frame.length, edits, COALESCE_BYTES_MAX);
  core.out.push({ type: 'to-server', instance: instance.key, generation: instance.generation, bytes, id: upstreamId });
  armDeadline(core, instance, core.now + callTimeout(instance));
}

/** Passes a server's answer on to the host whose call it is, under the host's own id. */
export function deliverAnswer(core: Core, instance: Instance, call: Call, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'result' && envelope.kind !== 'error') return;
  if (isWithHost(call)) return hold(core, instance, call, { frame });
  if (call.lacks !== null && call.hostEra === 'modern' && (envelope.kind === 'error' || isToolError(frame)))
    return finishWithRefusal(core, instance, call, capabilityMissing(call.server, call.lacks), 'error');
  const made: Edit[] = [];
  if (envelope.idSpan !== null) made.push({ start: envelope.idSpan.start, end: envelope.idSpan.end, with: call.id });
  let edits: readonly Edit[] = made;
  let outcome: CallOutcome = 'ok';
  let errorCode: number | null = null;
  let error: string | null = null;
  if (envelope.kind === 'error') {
    const bytes = join(frame.bytes);
    outcome = 'error';
    errorCode = errorCodeOf(bytes, envelope.error);
    error = failureOf(bytes, envelope.error);
    made.push(...errorEdits(bytes, envelope.error, call));
  } else {
    if (call.exposedUri !== null || (call.prefixed && core.uris.sharesUris(call.server)))
      made.push(...uriEdits(core.uris, call, frame));
    if (call.subscribes) {
      bookSubscription(core, instance, call);
      instance.link?.subscribed.add(call.target);
    }
    const serverEra = instance.link?.era ?? 'legacy';
    if (call.task !== null && instance.link !== null)
      made.push(...taskResultEdits(core, instance, instance.link, call, frame));
    if (serverEra === 'modern' && call.prefixed) made.push(...inputLabels(frame, envelope.result, call.server));
    const { method, hostEra, hostRevision } = call;
    const whole = editsForHost(frame, envelope.result, method, { serverEra, hostEra, hostRevision }, made);
    if ('resultType' in whole)
      return finishWithRefusal(core, instance, call, needsInput(call.server, whole.resultType), 'error');
    edits = whole;
    if (frame.length <= INSPECTED_BYTES_MAX && isToolError(frame)) outcome = 'tool-error';
  }
  const bytes = splice(frame.bytes, frame.length, edits, COALESCE_BYTES_MAX);
  core.out.push({ type: 'to-host', session: call.session, bytes, class: 'answer', id: call.id, about: call.id });
  finish(core, instance, call, { outcome, errorCode, error, responseBytes: frame.length });
}

/** Answers a call without its server; `resultJson` is as the host's era writes it. */
export function finishWithResult(core: Core, instance: Instance, call: Call, resultJson: string): void {
  answer(core, call.session, call.id, resultJson);
  finish(core, instance, call, ended('ok'));
}

/** Ends a call with an error of mcpd's own. */
export function finishWithRefusal(
  core: Core,
  instance: Instance,
  call: Call,
  refusal: Refusal,
  outcome: CallOutcome,
): void {
  if (isWithHost(call)) return hold(core, instance, call, { refusal, as: outcome });
  refuse(core, call.session, call.id, refusal);
  const { code: errorCode, message } = refusal;
  finish(core, instance, call, { outcome, errorCode, error: message, responseBytes: 0 });
}

/** Ends a call without an answer: its host cancelled it or left. The server is told, if it has the call. */
export function cancelCall(core: Core, instance: Instance, call: Call, reason: string): void {
  abandonUpstream(core, instance, call, reason);
  finish(core, instance, call, ended('cancelled'));
}

/** Ends a call whose host was answered already. */
export function endUnanswered(core: Core, instance: Instance, call: Call, outcome: CallOutcome): void {
  finish(core, instance, call, ended(outcome));
}

/** The server is told that nobody waits for this call any more. */
export function abandonUpstream(core: Core, instance: Instance, call: Call, reason: string): void {
  const { link } = instance;
  if (link === null) return;
  const run = call.task?.kind === 'run' ? call.task : null;
  if (run !== null) cancelRun(core, instance, link, run, call);
  // The process that had it may have been replaced: there its id is another call's.
  if (call.phase.name !== 'sent' || link.calls.get(call.phase.upstreamId) !== call) return;
  const requestId = call.phase.upstreamId;
  const isMaking = run?.stage === 'create';
  abandon(link, requestId, call.task?.kind === 'asked' || isMaking ? 'task' : 'late');
  // There a task is cancelled by its id alone. By the extension it may not become one at all.
  if (isMaking && run?.way.by === 'revision') return;
  if (link.era === 'legacy' && !link.tellsAbout) noteCancelled(core, link, call, requestId);
  toServer(core, instance, notificationText('notifications/cancelled', JSON.stringify({ requestId, reason })));
  if (call.subscribes) forgetSubscription(core, instance, link, call.target);
}

/** The session that alone has calls open at this instance: what the server says of its own accord is meant for it. */
export function soleOwner(link: ServerLink): string | null {
  let owner: string | null = null;
  for (const { session } of link.calls.values()) {
    if (owner !== null && owner !== session) return null;
    owner = session;
  }
  return owner;
}

/** Milliseconds without a sign of life. */
export function callTimeout(instance: Instance): number {
  return instance.definition.limits.callTimeoutMs ?? CALL_TIMEOUT_MS;
}

/** One timer per instance for the earliest deadline: a call costs no timer of its own. */
export function armDeadline(core: Core, instance: Instance, at: number): void {
  if (instance.deadlineArmedFor !== null && instance.deadlineArmedFor <= at) return;
  instance.deadlineArmedFor = at;
  arm(core, `deadline:${instance.key}`, at - core.now);
}

// — internal —

function noteCancelled(core: Core, { cancelled }: ServerLink, { holder }: Call, id: number): void {
  cancelled.set(id, { holder, at: core.now });
  for (const [oldest, { at }] of cancelled) {
    if (cancelled.size <= ABANDONED_IDS_KEPT && core.now - at < CANCELLED_ASKS_MS) return;
    cancelled.delete(oldest);
  }
}

/** Nothing of it is open at the server any more; a process that has taken the place of its own does not have it. */
function detach(link: ServerLink | null, call: Call, upstreamId: number): void {
  if (link?.calls.get(upstreamId) !== call) return;
  link.calls.delete(upstreamId);
  if (call.need !== 'no') link.needy -= 1;
}

/** Its host has been answered with a request for input, and has not come back yet. */
function isWithHost(call: Call): boolean {
  return call.parked?.stage === 'with-host';
}

/** What the call has come to waits for the host's retry. */
function hold(core: Core, instance: Instance, call: Call, outcome: NonNullable<Parked['outcome']>): void {
  if (call.parked === null) return;
  call.parked.outcome = outcome;
  if (call.phase.name === 'sent') detach(instance.link, call, call.phase.upstreamId);
  if (instance.link !== null) armIdle(core, instance);
  if (instance.phase === 'running') lookAtQueue(core, instance);
}

type Ended = Pick<CallRecord, 'outcome' | 'errorCode' | 'error' | 'responseBytes'>;

function ended(outcome: CallOutcome): Ended {
  return { outcome, errorCode: null, error: null, responseBytes: 0 };
}

function finish(core: Core, instance: Instance, call: Call, end: Ended): void {
  const { outcome } = end;
  const session = core.sessions.get(call.session);
  // A request that was answered with a wish for input is not open, and its id may be another one's by now.
  if (!isWithHost(call)) session?.open.delete(call.idKey);
  if (call.phase.name === 'sent') detach(instance.link, call, call.phase.upstreamId);
  else if (call.phase.name === 'queued') instance.queue.delete(call);
  else instance.asking.delete(call);
  if (call.questions > 0 || call.parked !== null) withdrawFor(core, call, 'the call has ended');
  if (call.task?.kind === 'run' && call.task.task !== null) forgetTask(core, call.task.task);
  if (call.task === null && (outcome === 'ok' || outcome === 'tool-error')) noteQuiet(core, call);
  const failed = outcome !== 'ok' && outcome !== 'cancelled';
  instance.counters.calls += 1;
  core.totals.calls += 1;
  if (failed) {
    instance.counters.errors += 1;
    core.totals.errors += 1;
    publishServer(core, instance.server);
  }
  const totalMs = core.now - call.firstAt;
  core.out.push({
    type: 'record-call',
    record: {
      at: epoch(core, call.firstAt),
      session: call.session,
      host: session?.host ?? '',
      server: call.server,
      instance: instance.key,
      method: call.method,
      // The id of a task may be all that protects it.
      target: call.task?.kind === 'about' ? '' : call.target,
      queuedMs: sentAfter(call.marks) ?? totalMs,
      totalMs,
      outcome,
      errorCode: end.errorCode,
      error: end.error,
      requestBytes: call.requestBytes,
      responseBytes: end.responseBytes,
      marks: takeMarks(call),
      traceparent: call.traceparent,
    },
  });
  instance.usedAt = core.now;
  // Without a link its process has ended, and took its timers along.
  if (instance.link === null) return;
  armIdle(core, instance);
  if (instance.phase === 'running') lookAtQueue(core, instance);
  if (instance.phase === 'draining' && callsAtServer(instance).length === 0) arm(core, `drain:${instance.key}`, 0);
}

function isToolError(frame: Frame): boolean {
  const [only] = frame.bytes;
  if (only === undefined || frame.bytes.length !== 1 || !asBuffer(only).includes(IS_ERROR)) return false;
  if (frame.envelope.kind !== 'result') return false;
  const flag = member(only, frame.envelope.result, 'isError');
  return flag !== null && text(only, flag) === 'true';
}
