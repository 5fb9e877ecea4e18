import { HEALTH_PROBE_EVERY_MS, SERVER_LINE_BYTES_MAX } from '../limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame, NoiseReason, RawId } from '../protocol/frame.ts';
import { errorText, INVALID_REQUEST, METHOD_NOT_FOUND, resultText } from '../protocol/jsonrpc.ts';
import { errorCodeOf, resultFor } from '../protocol/results.ts';
import type { LinkNews } from './asking.ts';
import type { Call } from './call.ts';
import { deliverAnswer, finishWithRefusal, finishWithResult } from './calls.ts';
import { NO_COMPLETIONS } from './dispatch.ts';
import { arm, disarm, find, toServer } from './emit.ts';
import { tookDemand, tookTaskState } from './extension-runs.ts';
import { giveUp, releaseSlot, respawnLegacy, signal } from './fleet.ts';
import { onHeard } from './health.ts';
import { armIdle } from './idle.ts';
import { learnWhenQuiet, onListed } from './learning.ts';
import { alignLogLevel, onOwnAnswer, onOwnFailure } from './links.ts';
import { MARK, mark } from './marks.ts';
import { ownIdOf } from './own-ids.ts';
import { tookUrlRefusal } from './parking.ts';
import { onServerQuestion } from './questions.ts';
import { answerTooLong, serverFull, unreadableAnswer } from './refusals.ts';
import { tookRound } from './rounds.ts';
import { onServerNotice } from './server-notices.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { subscribeAnew } from './subscriptions.ts';
import { tookTask } from './task-runs.ts';
import { cancelLateTask } from './tasks.ts';

/** What servers send: answers, requests of their own, and lines that are no message. */

export function onServerMessage(core: Core, instance: Instance, frame: Frame, about: number | null): void {
  const { link } = instance;
  if (link === null) return;
  if (about !== null) link.tellsAbout = true;
  onHeard(core, instance);
  switch (frame.envelope.kind) {
    case 'result':
    case 'error':
      return onAnswer(core, instance, link, frame);
    case 'notification':
      return onServerNotice(core, instance, link, frame, about);
    case 'request':
      return onRequest(core, instance, link, frame, about);
  }
}

/** A line that is no message. When its id could be read, what it answers or asks fails with the reason; nothing else does. */
export function onServerNoise(
  core: Core,
  instance: Instance,
  { reason, id, question, bytes }: { reason: NoiseReason; id: RawId | null; question: RawId | null; bytes: number },
): void {
  const { link } = instance;
  if (link === null) return;
  onHeard(core, instance);
  if (question !== null && link.era !== 'modern')
    toServer(core, instance, errorText(question, INVALID_REQUEST, `this request cannot be read: ${reason}`));
  const answered = id === null ? Number.NaN : ownIdOf(id);
  const call = link.calls.get(answered);
  if (call !== undefined) {
    const max = instance.definition.limits.lineBytesMax ?? SERVER_LINE_BYTES_MAX;
    const refusal =
      reason === 'too-long' ? answerTooLong(instance.server, bytes, max) : unreadableAnswer(instance.server, reason);
    finishWithRefusal(core, instance, call, refusal, 'error');
    return find(core, instance, `answer:${reason}`, `an answer was dropped: ${reason}`);
  }
  const own = link.pending.get(answered);
  if (own !== undefined) {
    link.pending.delete(answered);
    return onLinkNews(core, instance, link, onOwnFailure(core, instance, link, own, reason));
  }
  instance.counters.noise += 1;
  const { noise } = instance.counters;
  const lines = `${noise} line${noise === 1 ? '' : 's'} that are no JSON-RPC message (${reason})`;
  find(core, instance, 'noise', `noise on stdout: ${lines}; it should write them to stderr`);
}

/** A request that could not be written, because the server does not read. */
export function onServerFull(core: Core, instance: Instance, id: number): void {
  const call = instance.link?.calls.get(id);
  if (call !== undefined) finishWithRefusal(core, instance, call, serverFull(instance.server), 'error');
}

/** What came of a message for the instance. */
export function onLinkNews(core: Core, instance: Instance, link: ServerLink, news: LinkNews): void {
  switch (news.kind) {
    case 'none':
      return;
    case 'ready':
      return onReady(core, instance, link);
    case 'respawn-legacy':
      return respawnLegacy(core, instance);
    case 'refused':
      if (instance.purpose.kind !== 'serve') instance.verdict ??= { ok: false, step: news.step, reason: news.reason };
      return giveUp(core, instance, news.reason);
    case 'listed':
      onListed(core, instance, link, news);
      return endTrial(core, instance);
  }
}

// — internal —

function onReady(core: Core, instance: Instance, link: ServerLink): void {
  disarm(core, `start:${instance.key}`);
  // One that was stopped or given up meanwhile, or has ended since, is not taken into service any more.
  if (instance.phase !== 'starting' || link.deaf) return;
  instance.readyAt = core.now;
  instance.usedAt = core.now;
  alignLogLevel(core, instance, link);
  signal(core, instance, 'ready', null);
  releaseSlot(core, instance);
  subscribeAnew(core, instance, link);
  learnWhenQuiet(core, instance, link);
  arm(core, `check:${instance.key}`, HEALTH_PROBE_EVERY_MS);
  armIdle(core, instance);
  endTrial(core, instance);
}

/** A trial that has its verdict needs its process no longer. */
function endTrial(core: Core, instance: Instance): void {
  if (instance.purpose.kind !== 'serve' && instance.verdict !== null && instance.phase === 'running')
    signal(core, instance, 'want-down', 'its lists are read');
}

function onAnswer(core: Core, instance: Instance, link: ServerLink, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'result' && envelope.kind !== 'error') return;
  const id = envelope.id === null ? Number.NaN : ownIdOf(envelope.id);
  const call = link.calls.get(id);
  if (call !== undefined) return onCallAnswer(core, instance, link, call, frame);
  const own = link.pending.get(id);
  if (own === undefined) return onUnexpected(core, instance, link, id, frame);
  link.pending.delete(id);
  onLinkNews(core, instance, link, onOwnAnswer(core, instance, link, own, id, frame));
}

/** An answer that nobody waits for any more, or that nobody asked for, or a second one. */
function onUnexpected(core: Core, instance: Instance, link: ServerLink, id: number, frame: Frame): void {
  const abandoned = link.abandoned.get(id);
  link.abandoned.delete(id);
  link.cancelled.delete(id);
  if (abandoned === 'unneeded') return;
  if (abandoned === 'task') cancelLateTask(core, instance, link, frame);
  if (abandoned !== undefined) {
    instance.counters.late += 1;
    return;
  }
  instance.counters.ghosts += 1;
  const { ghosts } = instance.counters;
  const answers = `${ghosts} unexpected answer${ghosts === 1 ? '' : 's'} dropped`;
  find(core, instance, 'ghosts', `${answers}: to no open request, or a second one`);
}

/** Between eras an answer may be a request for input; and it may be a task that mcpd waits for. */
function onCallAnswer(core: Core, instance: Instance, link: ServerLink, call: Call, frame: Frame): void {
  if (call.task !== null) {
    if (tookTask(core, instance, link, call, frame) || tookTaskState(core, instance, link, call, frame)) return;
  }
  if (call.view !== null) {
    if (link.era === 'modern' && tookDemand(core, instance, link, call, frame)) return;
    if (link.era === 'modern' && call.hostEra === 'legacy' && tookRound(core, instance, call, frame)) return;
    if (link.era === 'legacy' && tookUrlRefusal(core, instance, call, frame)) return;
  }
  if (call.method === 'completion/complete' && isUnknownMethod(frame))
    return finishWithResult(core, instance, call, resultFor(call.hostEra, NO_COMPLETIONS));
  mark(call, MARK.answered, core.now);
  deliverAnswer(core, instance, call, frame);
}

function isUnknownMethod({ envelope, bytes }: Frame): boolean {
  return envelope.kind === 'error' && errorCodeOf(join(bytes), envelope.error) === METHOD_NOT_FOUND;
}

/** Requests of servers: `ping` is answered by mcpd, the others by hosts. */
function onRequest(core: Core, instance: Instance, link: ServerLink, frame: Frame, about: number | null): void {
  if (frame.envelope.kind !== 'request') return;
  const { id, method } = frame.envelope;
  // A modern server must not ask at all, and is not to be answered.
  if (link.era === 'modern')
    return find(
      core,
      instance,
      'asks',
      `it sent a request (${method.slice(0, 100)}), which its revision does not allow`,
    );
  if (method === 'ping') return toServer(core, instance, resultText(id, '{}'));
  onServerQuestion(core, instance, link, frame, about);
}
