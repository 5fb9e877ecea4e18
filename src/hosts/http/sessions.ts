import { randomBytes } from 'node:crypto';
import type { ResumeFacts } from '../../core/events.ts';
import type { Door, Scope, SessionId } from '../../core/model.ts';
import { TransientMap } from '../../core/transient-map.ts';
import { HTTP_LOOK_EVERY_MS, HTTP_SESSIONS_MAX } from '../../http-limits.ts';
import type { Envelope, Frame } from '../../protocol/frame.ts';
import { UNNAMED_REVISION } from '../../protocol/revisions.ts';
import type { HostEvent } from '../connection.ts';
import type { Form } from './admission.ts';
import type { Guest, Sink, Wire } from './door.ts';
import { Exchange } from './exchange.ts';
import { HttpSession } from './session.ts';
import { SingleRequest } from './single-request.ts';
import { SseSession } from './sse-session.ts';

export interface SessionsOptions {
  report(event: HostEvent): void;
  /** Monotonic milliseconds. */
  now(): number;
  /** A new name for a session of the core. */
  sessionId(): SessionId;
}

type Request = Extract<Envelope, { kind: 'request' }>;

/** All sessions that hosts have by HTTP, and how each begins. */
export class HttpSessions {
  readonly #options: SessionsOptions;
  readonly #sinks = new TransientMap<SessionId, Sink>();
  /** By the id that the host sends: a secret of 192 bits. */
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sseSessions = new Map<string, SseSession>();
  #clock: NodeJS.Timeout | null = null;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  sink(session: SessionId): Sink | undefined {
    return this.#sinks.get(session);
  }

  all(): Sink[] {
    return [...this.#sinks.values()];
  }

  /** A request that stands alone. */
  single(guest: Guest, frame: Frame, { id, method }: Request, form: Form, era: 'legacy' | 'modern'): void {
    const { outgoing, headers, client } = guest;
    const wire = this.#wire();
    const now = wire.now();
    const exchange = new Exchange({ id, method, outgoing, form, headers, newTrack: null, primes: false, now });
    const sink = new SingleRequest(client, exchange, era, wire);
    this.#open(wire, guest, sink, 'request', era === 'legacy' ? AS_UNNAMED : null);
    outgoing.once('close', () => {
      exchange.left(outgoing);
      sink.left();
    });
    sink.begin(frame);
  }

  /** `initialize`. False: there are too many sessions, and all of them are in use. */
  begin(guest: Guest, frame: Frame): boolean {
    if (!this.#makeRoom(guest.client)) return false;
    const id = newSecret();
    const wire = this.#wire(() => this.#sessions.delete(id));
    const session = new HttpSession(id, guest.client, guest.scope, wire);
    this.#sessions.set(id, session);
    this.#open(wire, guest, session, 'connection', null);
    session.take(guest, frame);
    return true;
  }

  /** HTTP+SSE: a stream that is a session. False as above. */
  stream(guest: Guest, messagesAt: string): boolean {
    if (!this.#makeRoom(guest.client)) return false;
    const id = newSecret();
    const wire = this.#wire(() => this.#sseSessions.delete(id));
    const session = new SseSession(id, guest, `${messagesAt}?session=${id}`, wire);
    this.#sseSessions.set(id, session);
    this.#open(wire, guest, session, 'connection', null);
    return true;
  }

  /** The session of this client at this URL; null when there is none, or it is somebody else's. */
  find(id: string, guest: Guest): HttpSession | null {
    return ownedBy(guest, this.#sessions.get(id));
  }

  findStream(id: string, guest: Guest): SseSession | null {
    return ownedBy(guest, this.#sseSessions.get(id));
  }

  // — internal —

  #wire(over: () => void = () => undefined): Wire {
    const session = this.#options.sessionId();
    return {
      session,
      report: this.#options.report,
      now: this.#options.now,
      over: () => {
        this.#sinks.delete(session);
        over();
      },
    };
  }

  #open(
    { session, report, now }: Wire,
    guest: Guest,
    sink: Sink,
    lasts: Door['lasts'],
    resume: ResumeFacts | null,
  ): void {
    this.#sinks.set(session, sink);
    this.#clock ??= setInterval(() => this.#look(), HTTP_LOOK_EVERY_MS).unref();
    const door: Door = { principal: `client:${guest.client}`, scope: guest.scope, cwd: null, lasts };
    report({ type: 'host-opened', at: now(), session, host: guest.client, door, resume });
  }

  #look(): void {
    const now = this.#options.now();
    for (const sink of this.all()) sink.look(now);
    if (this.#sinks.size > 0 || this.#clock === null) return;
    clearInterval(this.#clock);
    this.#clock = null;
  }

  /** The session that was idle longest gives way: one of the same client if it has any, so that nobody pushes others out. */
  #makeRoom(client: string): boolean {
    if (this.#sessions.size + this.#sseSessions.size < HTTP_SESSIONS_MAX) return true;
    const sessions = [...this.#sessions.values()];
    const oldest = idlest(sessions.filter((session) => session.client === client)) ?? idlest(sessions);
    oldest?.end('another session needed its place');
    return oldest !== null;
  }
}

// — internal —

/** A legacy host that never said so. */
const AS_UNNAMED: ResumeFacts = {
  initializeParams: null,
  protocolVersion: UNNAMED_REVISION,
  initialized: true,
  logLevel: null,
  era: 'legacy',
  listDigests: {},
};

function idlest(sessions: readonly HttpSession[]): HttpSession | null {
  let found: { session: HttpSession; since: number } | null = null;
  for (const session of sessions) {
    const since = session.idleSince;
    if (since !== null && (found === null || since < found.since)) found = { session, since };
  }
  return found?.session ?? null;
}

const SECRET_BYTES = 24;

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function ownedBy<T extends { client: string; scope: Scope }>(guest: Guest, session: T | undefined): T | null {
  if (session === undefined || session.client !== guest.client) return null;
  const [mine, its] = [guest.scope, session.scope].map((scope) => (scope.kind === 'server' ? scope.server : null));
  return mine === its ? session : null;
}
