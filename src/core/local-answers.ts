import { INSTRUCTIONS_BYTES_MAX, LIST_TTL_MS } from '../limits.ts';
import type { Envelope } from '../protocol/frame.ts';
import { discoverResult, initializeResult } from '../protocol/handshake.ts';
import { text } from '../protocol/members.ts';
import { isLogLevel, LISTS } from '../protocol/methods.ts';
import { param, type RequestView } from '../protocol/request-view.ts';
import { negotiateLegacy } from '../protocol/revisions.ts';
import { answer, refuse } from './emit.ts';
import { takeClientInfo } from './host-session.ts';
import { alignLogLevel } from './links.ts';
import { type Era, LIST_KINDS, type ListKind } from './model.ts';
import { invalidParams } from './refusals.ts';
import type { Core, HostSession } from './state.ts';
import { openListen } from './subscriptions.ts';

/** Requests that mcpd answers itself and at once, whatever the servers do. */

type Request = Extract<Envelope, { kind: 'request' }>;

export function answerLocally(core: Core, session: HostSession, view: RequestView, key: string): void {
  const { request, bytes } = view;
  const params = paramsOf(view);
  switch (request.method) {
    case 'initialize': {
      session.era = 'legacy';
      session.protocolVersion = negotiateLegacy(params['protocolVersion']);
      const info = param(view, 'clientInfo');
      if (info !== null) takeClientInfo(session, text(bytes, info));
      core.out.push({ type: 'publish', topic: 'sessions', name: session.id });
      return answer(
        core,
        session.id,
        request.id,
        initializeResult(core.config.identity, session.protocolVersion, instructions(core)),
      );
    }
    case 'server/discover':
      return answer(
        core,
        session.id,
        request.id,
        discoverResult(core.config.identity, instructions(core), LIST_TTL_MS),
      );
    case 'logging/setLevel': {
      const level = params['level'];
      if (!isLogLevel(level))
        return refuse(core, session.id, request.id, invalidParams(`level ${JSON.stringify(level)} is none of MCP's`));
      session.logLevel = level;
      for (const instance of core.instances.values())
        if (instance.link?.step === 'ready') alignLogLevel(core, instance, instance.link);
      return answer(core, session.id, request.id, '{}');
    }
    case 'subscriptions/listen':
      return onListen(core, session, request, key, params);
    default:
      return answer(core, session.id, request.id, '{}');
  }
}

/** One merged list, from what is cached. */
export function answerList(core: Core, session: HostSession, view: RequestView, era: Era, list: ListKind): void {
  const { request } = view;
  if (param(view, 'cursor') !== null) {
    return refuse(
      core,
      session.id,
      request.id,
      invalidParams('this cursor was not given by mcpd: its lists have one page'),
    );
  }
  const head = Buffer.from(`{"jsonrpc":"2.0","id":${request.id},"result":`);
  const body = core.lists.result(list, era, core.servers);
  core.out.push({
    type: 'to-host',
    session: session.id,
    bytes: [head, body, LIST_END],
    class: 'answer',
    id: request.id,
  });
}

const LIST_END = Buffer.from('}\n');

// — internal —

function onListen(
  core: Core,
  session: HostSession,
  request: Request,
  key: string,
  params: Record<string, unknown>,
): void {
  const filter = params['notifications'];
  if (typeof filter !== 'object' || filter === null)
    return refuse(core, session.id, request.id, invalidParams('params.notifications must be an object'));
  const asked = filter as Record<string, unknown>;
  const lists = new Set<ListKind>(LIST_KINDS.filter((kind) => asked[LISTS[kind].filter] === true));
  const uris = asked['resourceSubscriptions'];
  const honoured: Record<string, unknown> = Object.fromEntries([...lists].map((kind) => [LISTS[kind].filter, true]));
  const wanted = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
  if (wanted.length > 0) honoured['resourceSubscriptions'] = wanted;
  const meta = `{"io.modelcontextprotocol/subscriptionId":${request.id}}`;
  openListen(core, session, key, { id: request.id, lists, uris: new Set(wanted) }, JSON.stringify(honoured), meta);
}

/** The labelled instructions of all enabled servers, cut at a limit. */
function instructions(core: Core): string | null {
  const parts: string[] = [];
  let room = INSTRUCTIONS_BYTES_MAX;
  for (const name of [...core.servers.keys()].sort()) {
    const known = core.servers.get(name);
    const words = known?.definition.enabled === true ? known.memory?.instructions : null;
    if (words === null || words === undefined) continue;
    const part = `# ${name}\n${words}`;
    if (part.length > room) {
      parts.push(`# ${name}\n(left out: the instructions of all servers together are too long)`);
      continue;
    }
    room -= part.length;
    parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('\n\n');
}

function paramsOf({ request, bytes }: RequestView): Record<string, unknown> {
  const value: unknown = request.params === null ? {} : JSON.parse(text(bytes, request.params));
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
