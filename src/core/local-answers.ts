import { INSTRUCTIONS_BYTES_MAX, LIST_TTL_MS } from '../limits.ts';
import { discoverResult, initializeResult, type Reachable } from '../protocol/handshake.ts';
import { text } from '../protocol/members.ts';
import { isLogLevel, type LogLevel } from '../protocol/methods.ts';
import { param, type RequestView } from '../protocol/request-view.ts';
import { negotiateLegacy } from '../protocol/revisions.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import { answer, refuse } from './emit.ts';
import { takeAbilities, takeClientInfo } from './host-session.ts';
import { alignLogLevel } from './links.ts';
import type { ListKind, Scope, ServerName } from './model.ts';
import { invalidParams, unknownLevel } from './refusals.ts';
import type { Core, HostSession } from './state.ts';

/** Requests that mcpd answers itself and at once, whatever the servers do. */

export function answerLocally(core: Core, session: HostSession, view: RequestView): void {
  const { request, bytes } = view;
  const params = paramsOf(view);
  switch (request.method) {
    case 'initialize': {
      session.era = 'legacy';
      session.protocolVersion = negotiateLegacy(params['protocolVersion']);
      const info = param(view, 'clientInfo');
      if (info !== null) takeClientInfo(session, text(bytes, info));
      const capabilities = param(view, 'capabilities');
      takeAbilities(session, 'legacy', capabilities === null ? '{}' : text(bytes, capabilities));
      core.out.push({ type: 'publish', topic: 'sessions', name: session.id });
      return answer(
        core,
        session.id,
        request.id,
        initializeResult(core.config.identity, session.protocolVersion, reachable(core, session.door.scope)),
      );
    }
    case 'server/discover':
      return answer(
        core,
        session.id,
        request.id,
        discoverResult(core.config.identity, reachable(core, session.door.scope), LIST_TTL_MS),
      );
    case 'logging/setLevel': {
      const level = params['level'];
      if (!isLogLevel(level)) return refuse(core, session.id, request.id, unknownLevel(level));
      setLogLevel(core, session, level);
      return answer(core, session.id, request.id, '{}');
    }
    default:
      return answer(core, session.id, request.id, '{}');
  }
}

/** What this session wants to hear; servers are told when that is more than all others want. */
export function setLogLevel(core: Core, session: HostSession, level: LogLevel | null): void {
  if (session.logLevel === level) return;
  session.logLevel = level;
  for (const instance of core.instances.values())
    if (instance.link?.step === 'ready') alignLogLevel(core, instance, instance.link);
}

/** One merged list, from what is cached. */
export function answerList(core: Core, session: HostSession, view: RequestView, list: ListKind): void {
  const { request } = view;
  const cursor = param(view, 'cursor');
  // Some hosts write null for "no cursor".
  if (cursor !== null && text(view.bytes, cursor) !== 'null') {
    return refuse(
      core,
      session.id,
      request.id,
      invalidParams('this cursor was not given by mcpd: its lists have one page'),
    );
  }
  const head = Buffer.from(`{"jsonrpc":"2.0","id":${request.id},"result":`);
  const body = core.lists.result(list, session.audience, core.servers);
  core.out.push({
    type: 'to-host',
    session: session.id,
    bytes: [head, body, LIST_END],
    class: 'answer',
    id: request.id,
    about: request.id,
  });
}

const LIST_END = Buffer.from('}\n');

// — internal —

function reachable(core: Core, scope: Scope): Reachable {
  return { instructions: instructions(core, scope), extensions: extensions(core, scope) };
}

/** What the servers declare; of several that declare the same the first by name. Tasks are mcpd's own matter. */
function extensions(core: Core, scope: Scope): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of scope.kind === 'server' ? [scope.server] : [...core.servers.keys()].sort()) {
    const known = core.servers.get(name);
    if (known?.definition.enabled !== true) continue;
    for (const [key, value] of Object.entries(known.extensions))
      if (key !== TASKS_EXTENSION && !Object.hasOwn(found, key)) found[key] = value;
  }
  return found;
}

/** The labelled instructions of all enabled servers, or those of one as they are; what passes the limit is cut or left out, and said to be. */
function instructions(core: Core, scope: Scope): string | null {
  if (scope.kind === 'server') return wordsOf(core, scope.server);
  const parts: string[] = [];
  let room = INSTRUCTIONS_BYTES_MAX;
  for (const name of [...core.servers.keys()].sort()) {
    const words = wordsOf(core, name);
    if (words === null) continue;
    const whole = Buffer.from(`# ${name}\n${words}`);
    if (whole.length <= room) parts.push(`# ${name}\n${words}`);
    else if (room >= CUT_BYTES_MIN) parts.push(`${wholeCharacters(whole, room)}\n${CUT}`);
    else parts.push(`# ${name}\n${CUT}`);
    room = Math.max(0, room - whole.length);
  }
  return parts.length === 0 ? null : parts.join('\n\n');
}

function wordsOf(core: Core, name: ServerName): string | null {
  const known = core.servers.get(name);
  return known?.definition.enabled === true ? (known.memory?.instructions ?? null) : null;
}

const CUT = '(cut: the instructions of all servers together are too long)';
/** Less than this of a server's instructions helps nobody. */
const CUT_BYTES_MIN = 200;

/** The beginning of a text in UTF-8, without half a character at its end. */
function wholeCharacters(bytes: Buffer, max: number): string {
  let end = Math.min(max, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

function paramsOf({ request, bytes }: RequestView): Record<string, unknown> {
  const value: unknown = request.params === null ? {} : JSON.parse(text(bytes, request.params));
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
