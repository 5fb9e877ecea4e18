import { HEALTH_PROBE_EVERY_MS, HEALTH_PROBE_TIMEOUT_MS, SERVER_LINE_BYTES_MAX } from '../limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame, NoiseReason } from '../protocol/frame.ts';
import { errorText, METHOD_NOT_FOUND, resultText } from '../protocol/jsonrpc.ts';
import { jsonString, member, text } from '../protocol/members.ts';
import { isLogLevel, LISTS, levelReaches } from '../protocol/methods.ts';
import type { LinkNews } from './asking.ts';
import { armIdle, deliverAnswer, deliverProgress, finishWithRefusal, openCallsOf, soleOwner } from './calls.ts';
import { arm, disarm, find, toServer } from './emit.ts';
import { giveUp, releaseSlot, respawnLegacy, signal } from './fleet.ts';
import { learnWhenQuiet, onListed, onListNotice } from './learning.ts';
import { alignLogLevel, askHealth, listen, onOwnAnswer } from './links.ts';
import { LIST_KINDS } from './model.ts';
import { sendUpdated } from './notices.ts';
import { answerTooLong, serverFull, unreadableAnswer } from './refusals.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { resubscribe } from './subscriptions.ts';

/** What servers send: answers, notices, and requests of their own. */

export function onServerMessage(core: Core, instance: Instance, frame: Frame): void {
  const { link } = instance;
  if (link === null) return;
  instance.heardAt = core.now;
  switch (frame.envelope.kind) {
    case 'result':
    case 'error':
      return onAnswer(core, instance, link, frame);
    case 'notification':
      return onNotice(core, instance, link, frame);
    case 'request':
      return onRequest(core, instance, frame);
  }
}

/** A line that is no message. When its id could be read, the call it answers fails with the reason; nothing else does. */
export function onServerNoise(
  core: Core,
  instance: Instance,
  reason: NoiseReason,
  id: string | null,
  bytes: number,
): void {
  const pending = id === null ? undefined : instance.link?.pending.get(Number(id));
  if (pending?.kind === 'call') {
    const max = instance.definition.limits.lineBytesMax ?? SERVER_LINE_BYTES_MAX;
    const refusal =
      reason === 'too-long' ? answerTooLong(instance.server, bytes, max) : unreadableAnswer(instance.server, reason);
    finishWithRefusal(core, instance, pending.call, refusal, 'error');
    find(core, instance, `answer:${reason}`, `an answer was dropped: ${reason}`);
    return;
  }
  instance.counters.noise += 1;
  const { noise } = instance.counters;
  find(
    core,
    instance,
    'noise',
    `noise on stdout: ${noise} line${noise === 1 ? '' : 's'} that are no JSON-RPC message (${reason}); it should write them to stderr`,
  );
}

/** A request that could not be written, because the server does not read. */
export function onServerFull(core: Core, instance: Instance, id: number): void {
  const pending = instance.link?.pending.get(id);
  if (pending?.kind === 'call') finishWithRefusal(core, instance, pending.call, serverFull(instance.server), 'error');
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
      if (instance.purpose.kind === 'trial') instance.verdict = { ok: false, step: news.step, reason: news.reason };
      return giveUp(core, instance, news.reason);
    case 'listed':
      onListed(core, instance, link, news.list);
      return endTrial(core, instance);
  }
}

/** A trial that has its verdict needs its process no longer. */
export function endTrial(core: Core, instance: Instance): void {
  if (instance.purpose.kind === 'trial' && instance.verdict !== null && instance.phase === 'running')
    signal(core, instance, 'want-down', 'its lists are read');
}

/** One health probe, unless it was heard of lately or is at work: a busy server is not bothered. */
export function probeHealth(core: Core, instance: Instance, quietMs: number): void {
  const { link } = instance;
  if (
    instance.phase !== 'running' ||
    link === null ||
    core.now - instance.heardAt < quietMs ||
    openCallsOf(instance) > 0
  )
    return;
  askHealth(core, instance, link);
  arm(core, `health:${instance.key}`, HEALTH_PROBE_TIMEOUT_MS);
}

// — internal —

function onReady(core: Core, instance: Instance, link: ServerLink): void {
  instance.readyAt = core.now;
  instance.usedAt = core.now;
  disarm(core, `start:${instance.key}`);
  signal(core, instance, 'ready', null);
  releaseSlot(core, instance);
  alignLogLevel(core, instance, link);
  resubscribe(core, instance, link);
  listen(core, instance, link);
  learnWhenQuiet(core, instance, link);
  arm(core, `check:${instance.key}`, HEALTH_PROBE_EVERY_MS);
  armIdle(core, instance);
  endTrial(core, instance);
}

function onAnswer(core: Core, instance: Instance, link: ServerLink, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'result' && envelope.kind !== 'error') return;
  const id = envelope.id === null ? Number.NaN : Number(envelope.id);
  const pending = /^\d+$/.test(envelope.id ?? '') ? link.pending.get(id) : undefined;
  if (pending === undefined) return onGhost(core, instance);
  if (pending.kind === 'call') return deliverAnswer(core, instance, pending.call, frame);
  link.pending.delete(id);
  onLinkNews(core, instance, link, onOwnAnswer(core, instance, link, pending, frame));
}

/** An answer that nobody asked for, or a second one. */
function onGhost(core: Core, instance: Instance): void {
  instance.counters.ghosts += 1;
  const { ghosts } = instance.counters;
  find(
    core,
    instance,
    'ghosts',
    `${ghosts} unexpected answer${ghosts === 1 ? '' : 's'} dropped: to no open request, or a second one`,
  );
}

function onNotice(core: Core, instance: Instance, link: ServerLink, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification') return;
  const lists = LIST_KINDS.filter((kind) => LISTS[kind].notice === envelope.method);
  if (lists.length > 0) return onListNotice(core, instance, lists);
  switch (envelope.method) {
    case 'notifications/progress':
      return deliverProgress(core, instance, frame);
    case 'notifications/message':
      return onLogMessage(core, instance, frame);
    case 'notifications/resources/updated':
      return onUpdated(core, instance, link, frame);
    case 'notifications/cancelled':
    case 'notifications/subscriptions/acknowledged':
      return;
    default:
      return onUnknownNotice(core, instance, frame);
  }
}

/** Log messages go to the host whose call is open alone; else to the server's log only. No host sees another's. */
function onLogMessage(core: Core, instance: Instance, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const level = member(bytes, envelope.params, 'level');
  const levelText = level === null ? null : jsonString(bytes, level);
  const data = member(bytes, envelope.params, 'data');
  core.out.push({
    type: 'log',
    server: instance.server,
    level: isLogLevel(levelText) && levelReaches(levelText, 'error') ? 'error' : 'info',
    text: `says (${levelText ?? '?'}): ${data === null ? '' : text(bytes, data).slice(0, 1000)}`,
  });
  const owner = soleOwner(instance);
  const session = owner === null ? undefined : core.sessions.get(owner);
  if (session === undefined) return;
  const threshold = session.era === 'modern' ? modernLogLevel(instance, session.id) : session.logLevel;
  if (session.era === 'modern' && threshold === null) return;
  if (threshold !== null && !levelReaches(levelText, threshold)) return;
  core.out.push({ type: 'to-host', session: session.id, bytes: [...frame.bytes, NEWLINE], class: 'notice', id: null });
}

const NEWLINE = Buffer.from('\n');

/** A modern host asks for log messages request by request. */
function modernLogLevel(instance: Instance, session: string) {
  for (const pending of instance.link?.pending.values() ?? []) {
    if (pending.kind === 'call' && pending.call.session === session && pending.call.logLevel !== null)
      return pending.call.logLevel;
  }
  return null;
}

/** An update is told to the subscribers of its URI or of one above it; when it fits none, to all subscribers of the server. */
function onUpdated(core: Core, instance: Instance, link: ServerLink, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const uriMember = member(bytes, envelope.params, 'uri');
  const uri = uriMember === null ? null : jsonString(bytes, uriMember);
  if (uri === null) return;
  const subscribed = [...link.subscriptions.keys()];
  const fitting = subscribed.filter((one) => one === uri || uri.startsWith(one.endsWith('/') ? one : `${one}/`));
  const updated = core.uris.exposed(instance.server, uri);
  for (const raw of fitting.length > 0 ? fitting : subscribed) {
    for (const id of link.subscriptions.get(raw) ?? []) {
      const session = core.sessions.get(id);
      if (session !== undefined) sendUpdated(core, session, core.uris.exposed(instance.server, raw), updated);
    }
  }
}

function onUnknownNotice(core: Core, instance: Instance, frame: Frame): void {
  const owner = soleOwner(instance);
  if (owner !== null && core.sessions.has(owner)) {
    core.out.push({ type: 'to-host', session: owner, bytes: [...frame.bytes, NEWLINE], class: 'notice', id: null });
    return;
  }
  find(core, instance, 'unknown-notices', 'notices of an unknown kind were dropped: they name no host');
}

/** Requests of servers: `ping` is answered; for anything else no capability was declared. */
function onRequest(core: Core, instance: Instance, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'request') return;
  if (envelope.method === 'ping') return toServer(core, instance, resultText(envelope.id, '{}'));
  const message = `${envelope.method} is not supported: mcpd declared no such capability`;
  toServer(core, instance, errorText(envelope.id, METHOD_NOT_FOUND, message));
  find(core, instance, `asks:${envelope.method}`, `it asked its host for ${envelope.method}, which was not declared`);
}
