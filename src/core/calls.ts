import {
  CALL_TIMEOUT_MS,
  CALL_TOTAL_MS,
  COALESCE_BYTES_MAX,
  IDLE_STOP_MS,
  PROGRESS_PER_SECOND_MAX,
} from '../limits.ts';
import { asBuffer, type Edit, join, splice } from '../protocol/bytes.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { elements, jsonString, member, text } from '../protocol/members.ts';
import { metaEdit } from '../protocol/meta.ts';
import { completeForModern, errorCodeEdit, errorCodeOf, resultTypeOf } from '../protocol/results.ts';
import { answer, arm, epoch, publishServer, refuse, toServer } from './emit.ts';
import { callTimedOut, callTooLong, needsInput, type Refusal } from './refusals.ts';
import type { Call, CallOutcome, Core, Instance, ServerLink } from './state.ts';

/** The life of a call once its server is chosen: sent, kept alive by progress, answered once, cancelled, or timed out. */

/** Results above this size are not looked into for `isError`; the history then says `ok`. */
const INSPECTED_BYTES_MAX = 4096;
const IS_ERROR = Buffer.from('"isError":true');

/** Sends a queued call to its running server. The frame is given up: from here on the outcome may be unknown. */
export function sendCall(core: Core, instance: Instance, link: ServerLink, call: Call): void {
  if (call.phase.name !== 'queued') return;
  const { view } = call.phase;
  const { frame, request } = view;
  const upstreamId = link.nextId++;
  const era = link.era ?? 'legacy';
  const edits: Edit[] = [replacing(request.idSpan, String(upstreamId))];
  if (call.rewrite !== null) edits.push(replacing(call.rewrite.span, call.rewrite.json));
  if (era === 'modern' || call.hostEra === 'modern' || call.progressToken !== null) {
    const session = core.sessions.get(call.session);
    const edit = metaEdit(view, {
      from: call.hostEra,
      to: era,
      // Tokens are unique per sender, so the id that mcpd just gave serves as the token too.
      progressToken: call.progressToken === null ? null : String(upstreamId),
      clientInfo: session?.clientInfo ?? '{}',
      logLevel: session?.logLevel ?? null,
    });
    if (edit !== null) edits.push(edit);
  }
  call.phase = { name: 'sent', upstreamId, sentAt: core.now };
  call.aliveAt = core.now;
  link.pending.set(upstreamId, { kind: 'call', call });
  const bytes = splice(frame.bytes, frame.length, edits, COALESCE_BYTES_MAX);
  core.out.push({ type: 'to-server', instance: instance.key, generation: instance.generation, bytes, id: upstreamId });
  armDeadline(core, instance, core.now + callTimeout(instance));
}

/** Passes a server's answer on to the host whose call it is, under the host's own id. */
export function deliverAnswer(core: Core, instance: Instance, call: Call, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'result' && envelope.kind !== 'error') return;
  const serverEra = instance.link?.era ?? 'legacy';
  const edits: Edit[] = envelope.idSpan === null ? [] : [replacing(envelope.idSpan, call.id)];
  let outcome: CallOutcome = 'ok';
  let errorCode: number | null = null;
  if (envelope.kind === 'error') {
    const bytes = join(frame.bytes);
    outcome = 'error';
    errorCode = errorCodeOf(bytes, envelope.error);
    const edit = errorCodeEdit(bytes, envelope.error, call.hostEra);
    if (edit !== null) edits.push(edit);
  } else {
    if (serverEra !== call.hostEra) {
      const bytes = join(frame.bytes);
      if (call.hostEra === 'legacy' && resultTypeOf(bytes, envelope.result) === 'input_required') {
        finishWithRefusal(core, instance, call, needsInput(call.server), 'error');
        return;
      }
      const edit = call.hostEra === 'modern' ? completeForModern(bytes, envelope.result, call.method) : null;
      if (edit !== null) edits.push(edit);
    }
    if (call.exposedUri !== null && call.method === 'resources/read') edits.push(...contentUriEdits(frame, call));
    if (call.subscription !== null) bookSubscription(core, instance, call);
    if (frame.length <= INSPECTED_BYTES_MAX && looksLikeToolError(frame)) outcome = 'tool-error';
  }
  const bytes = splice(frame.bytes, frame.length, edits, COALESCE_BYTES_MAX);
  core.out.push({ type: 'to-host', session: call.session, bytes, class: 'answer', id: call.id });
  finish(core, instance, call, outcome, errorCode, frame.length);
}

/** Answers a call without its server. */
export function finishWithResult(core: Core, instance: Instance, call: Call, resultJson: string): void {
  answer(core, call.session, call.id, resultJson);
  finish(core, instance, call, 'ok', null, 0);
}

/** A subscription was accepted or given up: keeps it on both sides. */
export function bookSubscription(core: Core, instance: Instance, call: Call): void {
  if (call.subscription === null || instance.link === null) return;
  const { uri, change } = call.subscription;
  const session = core.sessions.get(call.session);
  const subscribers = instance.link.subscriptions.get(call.target) ?? new Set();
  if (change === 'subscribe' && session !== undefined) {
    session.subscriptions.add(uri);
    subscribers.add(call.session);
    instance.link.subscriptions.set(call.target, subscribers);
    return;
  }
  session?.subscriptions.delete(uri);
  subscribers.delete(call.session);
  if (subscribers.size === 0) instance.link.subscriptions.delete(call.target);
}

/** Ends a call with an error of mcpd's own. */
export function finishWithRefusal(
  core: Core,
  instance: Instance,
  call: Call,
  refusal: Refusal,
  outcome: CallOutcome,
): void {
  refuse(core, call.session, call.id, refusal);
  finish(core, instance, call, outcome, refusal.code, 0);
}

/** Ends a call without an answer: its host cancelled it or left. The server is told, if it has the call. */
export function cancelCall(core: Core, instance: Instance, call: Call, reason: string): void {
  abandonUpstream(core, instance, call, reason);
  finish(core, instance, call, 'cancelled', null, 0);
}

/** Calls over their time are cancelled at the server and refused at the host; arms the timer for the next one. */
export function sweepDeadlines(core: Core, instance: Instance): void {
  instance.deadlineArmedFor = null;
  const idleMs = callTimeout(instance);
  let next = Number.POSITIVE_INFINITY;
  for (const pending of [...(instance.link?.pending.values() ?? [])]) {
    if (pending.kind !== 'call') continue;
    const { call } = pending;
    const quietAt = call.aliveAt + idleMs;
    const totalAt = call.openedAt + Math.max(CALL_TOTAL_MS, idleMs);
    if (core.now >= quietAt || core.now >= totalAt) {
      const refusal = core.now >= quietAt ? callTimedOut(call.server, idleMs) : callTooLong(call.server, CALL_TOTAL_MS);
      instance.timedOutAt = core.now;
      abandonUpstream(core, instance, call, 'timeout');
      finishWithRefusal(core, instance, call, refusal, 'timeout');
    } else next = Math.min(next, quietAt, totalAt);
  }
  if (next !== Number.POSITIVE_INFINITY) armDeadline(core, instance, next);
}

/** Passes a progress notice on, under the host's own token. */
export function deliverProgress(core: Core, instance: Instance, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const token = member(bytes, envelope.params, 'progressToken');
  const pending = token === null ? undefined : instance.link?.pending.get(Number(text(bytes, token)));
  if (token === null || pending?.kind !== 'call') return;
  const { call } = pending;
  call.aliveAt = core.now;
  if (call.progressToken === null || !passesProgress(core, call, bytes, envelope.params)) return;
  const edits = [{ start: token.start, end: token.end, with: call.progressToken }];
  const out = splice(frame.bytes, frame.length, edits, COALESCE_BYTES_MAX);
  core.out.push({ type: 'to-host', session: call.session, bytes: out, class: 'notice', id: null });
}

/** The session that alone has calls open at this instance: what the server says of its own accord is meant for it. */
export function soleOwner(instance: Instance): string | null {
  let owner: string | null = null;
  for (const pending of instance.link?.pending.values() ?? []) {
    if (pending.kind !== 'call') continue;
    if (owner !== null && owner !== pending.call.session) return null;
    owner = pending.call.session;
  }
  return owner;
}

export function openCallsOf(instance: Instance): number {
  let open = instance.queue.length;
  for (const pending of instance.link?.pending.values() ?? []) if (pending.kind === 'call') open += 1;
  return open;
}

/** Arms the idle stop of an on-demand server, unless it is armed: when it fires, `usedAt` tells whether the time has really come. */
export function armIdle(core: Core, instance: Instance): void {
  if (instance.idleArmed || instance.held || instance.phase !== 'running' || instance.purpose.kind === 'trial') return;
  instance.idleArmed = true;
  arm(core, `idle:${instance.key}`, idleStopMs(instance) - (core.now - instance.usedAt));
}

export function idleStopMs(instance: Instance): number {
  return instance.definition.limits.idleStopMs ?? IDLE_STOP_MS;
}

// — internal —

/** Member by member: a spread makes a hidden class of its own each time, which costs more than all the rest of a call. */
function replacing({ start, end }: Span, text: string): Edit {
  return { start, end, with: text };
}

function callTimeout(instance: Instance): number {
  return instance.definition.limits.callTimeoutMs ?? CALL_TIMEOUT_MS;
}

/** One timer per instance for the earliest deadline: a call costs no timer of its own. */
function armDeadline(core: Core, instance: Instance, at: number): void {
  if (instance.deadlineArmedFor !== null && instance.deadlineArmedFor <= at) return;
  instance.deadlineArmedFor = at;
  arm(core, `deadline:${instance.key}`, at - core.now);
}

function abandonUpstream(core: Core, instance: Instance, call: Call, reason: string): void {
  if (call.phase.name !== 'sent' || instance.link === null) return;
  const requestId = call.phase.upstreamId;
  instance.link.pending.set(requestId, { kind: 'ignored' });
  toServer(core, instance, notificationText('notifications/cancelled', JSON.stringify({ requestId, reason })));
}

function finish(
  core: Core,
  instance: Instance,
  call: Call,
  outcome: CallOutcome,
  errorCode: number | null,
  responseBytes: number,
): void {
  const session = core.sessions.get(call.session);
  session?.open.delete(call.idKey);
  if (call.phase.name === 'sent') {
    const { pending } = instance.link ?? {};
    if (pending?.get(call.phase.upstreamId)?.kind === 'call') pending.delete(call.phase.upstreamId);
  } else instance.queue = instance.queue.filter((queued) => queued !== call);
  const failed = outcome !== 'ok' && outcome !== 'cancelled';
  instance.counters.calls += 1;
  core.totals.calls += 1;
  if (failed) {
    instance.counters.errors += 1;
    core.totals.errors += 1;
    publishServer(core, instance.server);
  }
  const sentAt = call.phase.name === 'sent' ? call.phase.sentAt : core.now;
  core.out.push({
    type: 'record-call',
    record: {
      at: epoch(core, call.openedAt),
      session: call.session,
      host: session?.host ?? '',
      server: call.server,
      method: call.method,
      target: call.target,
      queuedMs: sentAt - call.openedAt,
      totalMs: core.now - call.openedAt,
      outcome,
      errorCode,
      requestBytes: call.requestBytes,
      responseBytes,
    },
  });
  instance.usedAt = core.now;
  armIdle(core, instance);
  if (instance.phase === 'draining' && openCallsOf(instance) === 0) arm(core, `drain:${instance.key}`, 0);
}

function looksLikeToolError(frame: Frame): boolean {
  const [only] = frame.bytes;
  if (only === undefined || frame.bytes.length !== 1 || !asBuffer(only).includes(IS_ERROR)) return false;
  if (frame.envelope.kind !== 'result') return false;
  const flag = member(only, frame.envelope.result, 'isError');
  return flag !== null && text(only, flag) === 'true';
}

/** At most so many notices a second, and only such as go forward: both ends of a bridge may repeat themselves. */
function passesProgress(core: Core, call: Call, bytes: Uint8Array, params: { start: number; end: number }): boolean {
  const field = member(bytes, params, 'progress');
  const value = field === null ? Number.NaN : Number(text(bytes, field));
  if (!Number.isFinite(value)) return false;
  const last = call.progress;
  if (last !== null && value <= last.value) return false;
  const fresh = last === null || core.now - last.windowStart >= 1000;
  const inWindow = fresh ? 1 : last.inWindow + 1;
  if (inWindow > PROGRESS_PER_SECOND_MAX) return false;
  call.progress = { value, windowStart: fresh ? core.now : last.windowStart, inWindow };
  return true;
}

/** In what a server reads for a marked URI, the contents carry the URI that the host asked for. */
function contentUriEdits(frame: Frame, call: Call): Edit[] {
  if (frame.envelope.kind !== 'result' || call.exposedUri === null) return [];
  const bytes = join(frame.bytes);
  const contents = member(bytes, frame.envelope.result, 'contents');
  if (contents === null) return [];
  const edits: Edit[] = [];
  for (const span of elements(bytes, contents)) {
    const uri = member(bytes, span, 'uri');
    if (uri !== null && jsonString(bytes, uri) === call.target)
      edits.push({ start: uri.start, end: uri.end, with: JSON.stringify(call.exposedUri) });
  }
  return edits;
}
