import type { LogLine, ProtocolMessage } from '../api/contract/logs.ts';
import type { Frame } from '../protocol/frame.ts';
import { PROTOCOL_LINES_KEPT, PROTOCOL_NAME_CHARS_MAX, PROTOCOL_OPEN_MAX } from '../recorder-limits.ts';
import { codeOf, framesIn, textParam } from './description.ts';
import { keptName, type Mask } from './keeping.ts';
import { protocolText } from './protocol-text.ts';
import type { PassedMessage } from './recorder.ts';

export interface ProtocolLinesOptions {
  /** Milliseconds since 1970, as other lines of a log have them. */
  now(): number;
  /** Monotonic milliseconds. */
  clock(): number;
  /** Hides the secrets that this server has at the moment. */
  maskOf(server: string): Mask;
  /** A call that is open at the server under this id; asked for an answer whose request went before anybody watched. */
  openCall(instance: string, generation: number, id: string): AskedBefore | null;
  /** Called when `isWatched` may be another. */
  changed(): void;
}

interface AskedBefore {
  method: string;
  tool: string | null;
  /** Of the monotonic clock. */
  at: number;
}

type Listener = (line: LogLine) => void;

/** One short line for each message of the servers that somebody watches, and nothing at all for the others. */
export class ProtocolLines {
  readonly #options: ProtocolLinesOptions;
  readonly #watched = new Map<string, Watched>();

  constructor(options: ProtocolLinesOptions) {
    this.#options = options;
  }

  /** Of some server: until then nobody needs to tell of messages. */
  get isWatched(): boolean {
    return this.#watched.size > 0;
  }

  /** The newest lines, oldest first; none when nobody watches. */
  lines(server: string): LogLine[] {
    return [...(this.#watched.get(server)?.lines ?? [])];
  }

  /** Calls `listener` with each line from now on; returns the way to stop. Who is the first begins the lines, the last ends them. */
  watch(server: string, listener: Listener): () => void {
    const watched = this.#watched.get(server) ?? { listeners: new Set(), lines: [this.#begin()], open: new Map() };
    watched.listeners.add(listener);
    this.#watched.set(server, watched);
    this.#options.changed();
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0 || this.#watched.get(server) !== watched) return;
      this.#watched.delete(server);
      this.#options.changed();
    };
  }

  /** Of a server that is gone: who watches it hears nothing more. */
  forget(server: string): void {
    this.#watched.delete(server);
    this.#options.changed();
  }

  passed({ server, instance, generation, direction, message }: PassedMessage): void {
    const watched = this.#watched.get(server);
    if (watched === undefined) return;
    const mask = this.#options.maskOf(server);
    for (const frame of 'envelope' in message ? [message] : framesIn(message)) {
      const told = this.#told(frame, { instance, generation, direction }, watched.open, mask);
      const level = told.kind === 'error' ? 'error' : 'info';
      const line: LogLine = {
        ...{ at: this.#options.now(), source: 'protocol', level },
        ...{ text: protocolText(told, server), message: told },
      };
      watched.lines.push(line);
      if (watched.lines.length > PROTOCOL_LINES_KEPT) watched.lines.shift();
      for (const listener of watched.listeners) listener(line);
    }
  }

  // — internal —

  #begin(): LogLine {
    const text = '(each message is told from here on; nobody watched before)';
    return { at: this.#options.now(), source: 'protocol', level: 'info', text };
  }

  #told(frame: Frame, way: Way, open: Watched['open'], mask: Mask): ProtocolMessage {
    const { envelope, length } = frame;
    const { instance, generation, direction } = way;
    const named = (text: string | null) => (text === null ? null : shortened(keptName(text, mask)));
    const rawId = envelope.kind === 'notification' ? null : envelope.id;
    const told = { direction, instance, id: named(rawId), bytes: length, tookMs: null, errorCode: codeOf(frame) };
    if (envelope.kind === 'notification')
      return { ...told, kind: 'notification', method: named(envelope.method), tool: null };
    if (envelope.kind === 'request') {
      const asked: AskedBefore = {
        method: shortened(keptName(envelope.method, mask)),
        tool: envelope.method === 'tools/call' ? named(textParam(frame, 'name')) : null,
        at: this.#options.clock(),
      };
      remember(open, keyOf(way, direction, rawId), asked);
      return { ...told, kind: 'request', method: asked.method, tool: asked.tool };
    }
    const key = keyOf(way, direction === 'to-server' ? 'from-server' : 'to-server', rawId);
    const unseen = direction === 'from-server' && rawId !== null;
    const asked = open.get(key) ?? (unseen ? masked(this.#options.openCall(instance, generation, rawId), named) : null);
    open.delete(key);
    return {
      ...told,
      kind: envelope.kind === 'error' ? 'error' : 'answer',
      method: asked?.method ?? null,
      tool: asked?.tool ?? null,
      tookMs: asked === null ? null : Math.max(0, Math.round((this.#options.clock() - asked.at) * 100) / 100),
    };
  }
}

interface Watched {
  readonly listeners: Set<Listener>;
  readonly lines: LogLine[];
  /** Requests that were told and are not answered, the oldest first; masked. */
  readonly open: Map<string, AskedBefore>;
}

type Way = Pick<PassedMessage, 'instance' | 'generation' | 'direction'>;

function remember(open: Watched['open'], key: string, asked: AskedBefore): void {
  open.delete(key);
  open.set(key, asked);
  if (open.size <= PROTOCOL_OPEN_MAX) return;
  for (const oldest of open.keys()) {
    open.delete(oldest);
    return;
  }
}

function masked(asked: AskedBefore | null, named: (text: string | null) => string | null): AskedBefore | null {
  return asked === null ? null : { method: named(asked.method) ?? '', tool: named(asked.tool), at: asked.at };
}

/** `asker`: the way that the request went. */
function keyOf({ instance, generation }: Way, asker: Way['direction'], id: string | null): string {
  return `${asker} ${instance} ${generation} ${id}`;
}

/** After masking: a secret that was cut would not be found. */
function shortened(name: string): string {
  return name.length > PROTOCOL_NAME_CHARS_MAX ? `${name.slice(0, PROTOCOL_NAME_CHARS_MAX)}…` : name;
}
