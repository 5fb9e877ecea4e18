import { HOST_SUBSCRIPTIONS_MAX, SERVER_NOTICES_PER_SECOND_MAX } from '../limits.ts';
import { type Edit, join } from '../protocol/bytes.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { jsonString, member, text } from '../protocol/members.ts';
import { isLogLevel, LISTS, type LogLevel, levelReaches } from '../protocol/methods.ts';
import type { Call } from './call.ts';
import { soleOwner } from './calls.ts';
import { arm, find, log, passNotice } from './emit.ts';
import { onListNotice } from './learning.ts';
import { isMoreVerbose } from './links.ts';
import { onListenEnded } from './listening.ts';
import { LIST_KINDS } from './model.ts';
import { tellOfUpdate } from './notices.ts';
import { ownIdOf } from './own-ids.ts';
import { deliverProgress } from './progress.ts';
import { onElicitationComplete, onServerCancelled } from './questions.ts';
import type { Core, HostSession, Instance, ServerLink } from './state.ts';
import { relatedEdits } from './task-messages.ts';
import { onTaskNotice, onTaskStatus } from './task-notices.ts';
import { ownerOfTask, relatedTask } from './tasks.ts';

/** What servers say of their own accord, and which host hears of it. */

export function onServerNotice(
  core: Core,
  instance: Instance,
  link: ServerLink,
  frame: Frame,
  about: number | null,
): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification') return;
  switch (envelope.method) {
    case 'notifications/progress':
      return deliverProgress(core, link, frame);
    case 'notifications/message':
      return onLogMessage(core, instance, link, frame, about);
    case 'notifications/resources/updated':
      return onUpdated(core, instance, link, frame, envelope.params);
    case 'notifications/cancelled':
      return onCancelled(core, instance, link, frame, envelope.params);
    case 'notifications/elicitation/complete':
      return onElicitationComplete(core, link, frame);
    case 'notifications/tasks/status':
      return onTaskStatus(core, instance, link, frame);
    case 'notifications/tasks':
      return onTaskNotice(core, instance, link, frame);
    case 'notifications/subscriptions/acknowledged':
      return;
  }
  const lists = LIST_KINDS.filter((kind) => LISTS[kind].notice === envelope.method);
  if (lists.length > 0) onListNotice(core, instance, lists);
  else onUnknownNotice(core, instance, link, frame, about);
}

/** The second is over in which too many updates came: what waited for its end is told. */
export function onFlowTimer(core: Core, instance: Instance, link: ServerLink): void {
  const held = [...link.flow.held];
  link.flow.held.clear();
  link.flow.since = core.now;
  link.flow.passed = held.length;
  for (const uri of held) tellOfUpdate(core, instance, uri);
}

// — internal —

/** Characters of a log message that go to mcpd's own log of the server. */
const LOGGED_CHARS_MAX = 1000;

/** Log messages go to the host whose they are for sure; else to the server's log only. No host sees another's. */
function onLogMessage(core: Core, instance: Instance, link: ServerLink, frame: Frame, about: number | null): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const { params } = envelope;
  const bytes = join(frame.bytes);
  const level = stringMember(bytes, params, 'level');
  const data = member(bytes, params, 'data');
  const weight = isLogLevel(level) && levelReaches(level, 'error') ? 'error' : 'info';
  log(core, instance, weight, `says (${level ?? '?'}): ${data === null ? '' : beginning(bytes, data)}`);
  const { session, call } = recipientOf(core, instance, link, bytes, params, about);
  if (session === undefined || (level === null && data === null)) return;
  const threshold = session.era === 'modern' ? levelOfCalls(link, session) : (session.logLevel ?? 'debug');
  if (threshold === null || !levelReaches(level, threshold)) return;
  const edits = session.door.scope.kind === 'all' ? [namedLogger(bytes, params, instance.server)] : [];
  pass(core, instance, link, { session, call }, frame, edits);
}

/** A modern host asks for log messages call by call. */
function levelOfCalls(link: ServerLink, session: HostSession): LogLevel | null {
  let wanted: LogLevel | null = null;
  for (const { logLevel, session: id } of link.calls.values())
    if (id === session.id && logLevel !== null && (wanted === null || isMoreVerbose(logLevel, wanted)))
      wanted = logLevel;
  return wanted;
}

/** Who a notice is meant for, and the call to which it belongs, where that is certain. */
interface Recipient {
  session: HostSession | undefined;
  call: Call | null;
}

function recipientOf(
  core: Core,
  instance: Instance,
  link: ServerLink,
  bytes: Uint8Array,
  params: Span | null,
  about: number | null,
): Recipient {
  const task = relatedTask(core, instance, bytes, params);
  if (task !== null) return ownerOfTask(core, link, task);
  const named = about === null ? undefined : link.calls.get(about);
  const holder = core.sessions.get(instance.holder ?? '');
  // What belongs to a request that has ended is nobody else's.
  if (about !== null && named === undefined) return { session: holder, call: null };
  const session = core.sessions.get(named?.session ?? '') ?? holder ?? core.sessions.get(soleOwner(link) ?? '');
  const call = named ?? (session === undefined ? null : soleCall(link, session));
  // Its request has been answered with a wish for input: nothing more is said about it.
  return call?.parked?.stage === 'with-host' ? { session: undefined, call: null } : { session, call };
}

/** Hosts know mcpd only: the logger says which server it is. */
function namedLogger(bytes: Uint8Array, params: Span, server: string): Edit {
  const logger = member(bytes, params, 'logger');
  const name = logger === null ? null : jsonString(bytes, logger);
  if (logger === null) return { start: params.start + 1, end: params.start + 1, with: `"logger":"${server}",` };
  return { start: logger.start, end: logger.end, with: JSON.stringify(name === null ? server : `${server}/${name}`) };
}

function onUpdated(core: Core, instance: Instance, link: ServerLink, frame: Frame, params: Span | null): void {
  if (params === null || instance.subscriptions.size === 0) return;
  const uri = stringMember(join(frame.bytes), params, 'uri');
  if (uri === null) return;
  const { flow } = link;
  if (flow.held.has(uri)) return;
  if (hasRoom(core, link)) return tellOfUpdate(core, instance, uri);
  // None is lost: each is told once more when the second is over.
  if (flow.held.size === 0) arm(core, `flow:${instance.key}`, flow.since + 1000 - core.now);
  if (flow.held.size < HOST_SUBSCRIPTIONS_MAX) flow.held.add(uri);
  else find(core, instance, 'notices', 'it tells of more updated resources than mcpd passes on; some were dropped');
}

/** A modern server ends mcpd's listen so; a legacy one takes back what it asked a host. */
function onCancelled(core: Core, instance: Instance, link: ServerLink, frame: Frame, params: Span | null): void {
  const bytes = join(frame.bytes);
  const id = params === null ? null : member(bytes, params, 'requestId');
  if (id === null) return;
  if (link.era === 'modern') onListenEnded(core, instance, link, ownIdOf(text(bytes, id)), false);
  else onServerCancelled(core, link, text(bytes, id));
}

function onUnknownNotice(core: Core, instance: Instance, link: ServerLink, frame: Frame, about: number | null): void {
  const { envelope } = frame;
  const params = envelope.kind === 'notification' ? envelope.params : null;
  const recipient = recipientOf(core, instance, link, join(frame.bytes), params, about);
  if (recipient.session !== undefined) pass(core, instance, link, recipient, frame, []);
  else find(core, instance, 'unknown-notices', 'notices of an unknown kind were dropped: they name no host');
}

function pass(
  core: Core,
  instance: Instance,
  link: ServerLink,
  { session, call }: Recipient,
  frame: Frame,
  edits: readonly Edit[],
): void {
  if (session === undefined) return;
  if (hasRoom(core, link))
    passNotice(core, session, frame, [...edits, ...related(core, instance, session, frame)], call?.id ?? null);
  else find(core, instance, 'notices', 'it sends more notices than mcpd passes on; some were dropped');
}

function related(core: Core, instance: Instance, session: HostSession, { envelope, bytes }: Frame): Edit[] {
  if (core.tasks.size === 0 || envelope.kind !== 'notification') return [];
  return relatedEdits(instance, session, join(bytes), envelope.params);
}

/** At most so many in a second; counts one more. */
function hasRoom(core: Core, link: ServerLink): boolean {
  const { flow } = link;
  if (core.now - flow.since >= 1000) {
    flow.since = core.now;
    flow.passed = 0;
  }
  flow.passed += 1;
  return flow.passed <= SERVER_NOTICES_PER_SECOND_MAX;
}

/** The call to which a notice belongs for sure: the only one that is open. */
function soleCall(link: ServerLink, session: HostSession): Call | null {
  let only: Call | null = null;
  for (const call of link.calls.values()) {
    if (call.session !== session.id) continue;
    if (only !== null) return null;
    only = call;
  }
  return only;
}

function stringMember(bytes: Uint8Array, object: Span, key: string): string | null {
  const found = member(bytes, object, key);
  return found === null ? null : jsonString(bytes, found);
}

/** The beginning of a value, however long it is. */
function beginning(bytes: Uint8Array, { start, end }: Span): string {
  return text(bytes, { start, end: Math.min(end, start + 4 * LOGGED_CHARS_MAX) }).slice(0, LOGGED_CHARS_MAX);
}
