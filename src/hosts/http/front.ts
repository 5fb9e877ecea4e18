import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Scope, SessionId } from '../../core/model.ts';
import { HOST_LINE_BYTES_MAX } from '../../limits.ts';
import type { BatchLine, Bytes, Frame, RawId } from '../../protocol/frame.ts';
import { jsonString } from '../../protocol/members.ts';
import { param, type RequestView } from '../../protocol/request-view.ts';
import { isLegacyRevision } from '../../protocol/revisions.ts';
import type { MessageClass } from '../outbox.ts';
import { clientOf, formFault, formOf, readsStreams, strangeness } from './admission.ts';
import { messageOf, readBody } from './body.ts';
import { kindOf } from './classification.ts';
import type { Guest } from './door.ts';
import { type Head, readHead } from './head.ts';
import { headersForPage, preflight } from './pages.ts';
import {
  badRequest,
  noMessage,
  notAcceptable,
  notAllowed,
  notFound,
  type Problem,
  tooLong,
  unavailable,
  unservedRevision,
} from './problem.ts';
import { queue } from './queued-answers.ts';
import { respondEmpty, respondProblem } from './respond.ts';
import { isBelowMcp, type Place, placeOf } from './routes.ts';
import { HttpSessions, type SessionsOptions } from './sessions.ts';
import { type ToolHeader, toolHeaderFault } from './tool-headers.ts';

export interface HttpFrontOptions extends SessionsOptions {
  /** The client whose token this is, or null. */
  ownerOf(token: string): string | null;
  /** An installed server is called so. */
  knows(server: string): boolean;
  /** Which arguments of a tool its schema wants in headers; `name` as the host knows it. */
  toolHeaders(scope: Scope, name: string): readonly ToolHeader[];
}

/** Hosts that come in by HTTP: requests on 127.0.0.1 whose path is `/mcp` or below it. */
export class HttpFront {
  readonly #options: HttpFrontOptions;
  readonly #sessions: HttpSessions;
  #seen = new WeakMap<Socket, { authorization: string; client: string }>();
  #isStopped = false;

  constructor(options: HttpFrontOptions) {
    this.#options = options;
    this.#sessions = new HttpSessions(options);
  }

  /** Whether a request with this target is for hosts. */
  owns(target: string): boolean {
    return isBelowMcp(target);
  }

  /** One request that came in at this port. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
    outgoing.on('error', leftToClose);
    if (outgoing.socket === null && !queue(outgoing, incoming.socket)) return respondProblem(outgoing, QUEUE_FULL, []);
    const head = readHead(incoming.rawHeaders);
    const method = incoming.method ?? '';
    const stranger = strangeness(head, port);
    if (stranger !== null) return respondProblem(outgoing, stranger, []);
    const headers = head.origin === null ? [] : headersForPage(head.origin);
    if (method === 'OPTIONS' && head.origin !== null) return respondEmpty(outgoing, 204, preflight(headers, incoming));
    const client = this.#clientOf(head, incoming.socket);
    if (typeof client !== 'string') return respondProblem(outgoing, client, headers);
    if (this.#isStopped) return respondProblem(outgoing, STOPPING, headers);
    const target = incoming.url ?? '';
    const place = placeOf(pathOf(target));
    const nowhere = this.#nowhere(place);
    if (place === null || place.kind === 'profile' || nowhere !== null)
      return respondProblem(outgoing, nowhere ?? NOTHING_HERE, headers);
    const guest: Guest = { outgoing, head, client, scope: place.scope, headers };
    const problem = this.#visit(place.kind, method, guest, incoming);
    if (problem !== null) respondProblem(outgoing, problem, headers);
  }

  /** A message of the core for one of its sessions here. */
  send(session: SessionId, bytes: Bytes, kind: MessageClass, id: RawId | null, about: RawId | null): void {
    this.#sessions.sink(session)?.send(bytes, kind, id, about);
  }

  close(session: SessionId, reason: string): void {
    this.#sessions.sink(session)?.end(reason);
  }

  /** Its token was taken away. */
  endClient(client: string): void {
    this.#seen = new WeakMap();
    for (const sink of this.#sessions.all()) if (sink.client === client) sink.end('the token was taken away');
  }

  /** The daemon will stop: listens end in good order, and open requests are still answered. */
  drain(): void {
    for (const sink of this.#sessions.all()) sink.drain();
  }

  /** Ends everything. */
  stop(): void {
    this.#isStopped = true;
    for (const sink of this.#sessions.all()) sink.end('mcpd is stopping');
  }

  // — internal —

  /** Who has shown a token on a connection shows it with each request: it is looked up once. */
  #clientOf(head: Head, socket: Socket): string | Problem {
    const seen = this.#seen.get(socket);
    if (seen !== undefined && seen.authorization === head.authorization) return seen.client;
    const client = clientOf(head, this.#options.ownerOf);
    if (typeof client === 'string' && head.authorization !== null)
      this.#seen.set(socket, { authorization: head.authorization, client });
    return client;
  }

  /** What has changed while a body was on its way. */
  #late(head: Head, socket: Socket): Problem | null {
    if (this.#isStopped) return STOPPING;
    const client = this.#clientOf(head, socket);
    return typeof client === 'string' ? null : client;
  }

  #nowhere(place: Place | null): Problem | null {
    if (place === null) return NOTHING_HERE;
    if (place.kind === 'profile') return notFound(`there is no profile ${JSON.stringify(place.name)}`);
    if (place.scope.kind === 'all' || this.#options.knows(place.scope.server)) return null;
    return notFound(`there is no server ${JSON.stringify(place.scope.server)}; see: mcpd list`);
  }

  /** Null: it is answered, or will be. */
  #visit(
    kind: 'endpoint' | 'sse' | 'messages',
    method: string,
    guest: Guest,
    incoming: IncomingMessage,
  ): Problem | null {
    switch (kind) {
      case 'endpoint':
        if (method === 'POST') return this.#post(guest, incoming, (message) => this.#posted(guest, message));
        if (method === 'GET') return this.#listen(guest);
        if (method === 'DELETE') return this.#delete(guest);
        return notAllowed(method, 'POST, GET, DELETE');
      case 'sse':
        return method === 'GET' ? this.#openSse(guest, incoming) : notAllowed(method, 'GET');
      case 'messages':
        return method === 'POST' ? this.#sseMessage(guest, incoming) : notAllowed(method, 'POST');
    }
  }

  #post(
    { head, outgoing, headers }: Guest,
    incoming: IncomingMessage,
    take: (message: Frame | BatchLine) => Problem | null,
  ): Problem | null {
    const fault = formFault(head);
    if (fault !== null) return fault;
    readBody(incoming, head.contentLength, HOST_LINE_BYTES_MAX, (body) => {
      if (outgoing.destroyed) return;
      const late = this.#late(head, incoming.socket);
      if (late !== null) return respondProblem(outgoing, late, headers, { close: true });
      if (body === 'too-long') return respondProblem(outgoing, tooLong(HOST_LINE_BYTES_MAX), headers, { close: true });
      if (body === 'crowded') return respondProblem(outgoing, BODIES_FULL, headers, { close: true });
      const message = messageOf(body);
      const problem = typeof message === 'string' ? noMessage(message) : take(message);
      if (problem !== null) respondProblem(outgoing, problem, headers);
    });
    return null;
  }

  #posted(guest: Guest, message: Frame | BatchLine): Problem | null {
    if ('envelope' in message) {
      this.#message(guest, message);
      return null;
    }
    const { session } = guest.head;
    if (session === null) return badRequest('a batch needs a session of the revision that has them');
    const found = this.#sessions.find(session, guest);
    return found === null ? SESSION_UNKNOWN : found.takeBatch(guest, message);
  }

  #message(guest: Guest, frame: Frame): void {
    const { head, outgoing, headers } = guest;
    const { envelope } = frame;
    const id = envelope.kind === 'request' ? envelope.id : null;
    const refuse = (problem: Problem) => respondProblem(outgoing, problem, headers, { id });
    const kind = kindOf(head, frame);
    switch (kind.kind) {
      case 'refused':
        return refuse(kind.problem);
      case 'nothing':
        return respondEmpty(outgoing, 202, headers);
      case 'modern':
        return this.#modern(guest, kind.view, refuse);
      case 'alone':
        // What a person with curl reads is one JSON object.
        if (envelope.kind === 'request') this.#sessions.single(guest, frame, envelope, 'json', 'legacy');
        return;
      case 'opening':
        if (!this.#sessions.begin(guest, frame)) refuse(CROWDED);
        return;
      case 'in-session': {
        const session = this.#sessions.find(kind.session, guest);
        return session === null ? refuse(SESSION_UNKNOWN) : session.take(guest, frame);
      }
    }
  }

  #modern(guest: Guest, view: RequestView, refuse: (problem: Problem) => void): void {
    const { head, scope } = guest;
    const { frame, request } = view;
    const isListen = request.method === 'subscriptions/listen';
    if (isListen && !readsStreams(head.accept)) return refuse(notAcceptable('text/event-stream'));
    const fault = request.method === 'tools/call' ? this.#toolFault(guest, view, scope) : null;
    if (fault !== null) return refuse(fault);
    this.#sessions.single(guest, frame, request, isListen ? 'stream' : (formOf(head.accept) ?? 'json'), 'modern');
  }

  #toolFault({ head }: Guest, view: RequestView, scope: Scope): Problem | null {
    const value = param(view, 'name');
    const name = value === null ? null : jsonString(view.bytes, value);
    const wanted = name === null ? [] : this.#options.toolHeaders(scope, name);
    return toolHeaderFault(view, head.params, wanted);
  }

  #listen(guest: Guest): Problem | null {
    const found = this.#sessionOf(guest);
    if ('code' in found) return found;
    if (!readsStreams(guest.head.accept)) return notAcceptable('text/event-stream');
    found.listen(guest);
    return null;
  }

  #delete(guest: Guest): Problem | null {
    const found = this.#sessionOf(guest);
    if ('code' in found) return found;
    found.end('the host has ended this session');
    respondEmpty(guest.outgoing, 204, guest.headers);
    return null;
  }

  /** The session that a GET or DELETE names. */
  #sessionOf(guest: Guest) {
    const { session, version } = guest.head;
    // As a server answers that knows no sessions: a host without one has nothing to ask for here.
    if (session === null) return notAllowed('a request without the header Mcp-Session-Id', 'POST');
    if (version !== null && !isLegacyRevision(version)) return unservedRevision(version);
    return this.#sessions.find(session, guest) ?? SESSION_UNKNOWN;
  }

  #openSse(guest: Guest, incoming: IncomingMessage): Problem | null {
    if (!readsStreams(guest.head.accept)) return notAcceptable('text/event-stream');
    const messagesAt = pathOf(incoming.url ?? '').replace(/sse$/, 'messages');
    return this.#sessions.stream(guest, messagesAt) ? null : CROWDED;
  }

  #sseMessage(guest: Guest, incoming: IncomingMessage): Problem | null {
    const id = /[?&]session=([\w-]+)/.exec(incoming.url ?? '')?.[1];
    const found = () => (id === undefined ? null : this.#sessions.findStream(id, guest));
    if (found() === null) return SESSION_UNKNOWN;
    return this.#post(guest, incoming, (message) => {
      // It may have ended while the body was on its way.
      const session = found();
      if (session === null) return SESSION_UNKNOWN;
      if (!('envelope' in message))
        return badRequest('the first revision has no batches; send one message per request');
      session.take(message);
      respondEmpty(guest.outgoing, 202, guest.headers);
      return null;
    });
  }
}

// — internal —

/** A client that hung up in the middle of its answer; `close` follows, and says so. */
function leftToClose(): void {}

const NOTHING_HERE = notFound('nothing is here: the addresses are /mcp and /mcp/s/SERVER');
const SESSION_UNKNOWN = notFound('this session is not known, or has ended: begin a new one with initialize');
const STOPPING = unavailable('mcpd is stopping');
const QUEUE_FULL = unavailable('too many requests wait on this connection; wait for answers, or use several');
const BODIES_FULL = unavailable('too many messages are on their way at once; send it again');
const CROWDED = unavailable('too many sessions are open; end one that is not needed any more');

/** Without the query, and without a slash at the end. */
function pathOf(target: string): string {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
