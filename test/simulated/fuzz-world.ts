import { isUtf8 } from 'node:buffer';
import type { Effect, GatewayEvent, TimerId } from '../../src/core/events.ts';
import type { Gateway } from '../../src/core/gateway.ts';
import { ownIdOf } from '../../src/core/own-ids.ts';
import { openBatch, splitBatch } from '../../src/protocol/batch.ts';
import { idKey, join } from '../../src/protocol/bytes.ts';
import type { BatchLine, Frame, RawId } from '../../src/protocol/frame.ts';
import { FrameReader, type Noise } from '../../src/protocol/framing.ts';
import { member, text } from '../../src/protocol/members.ts';
import { featuresOf } from '../../src/protocol/revisions.ts';
import { frameOf, type Message, textOf } from './messages.ts';
import { pick, type Random } from './mutations.ts';
import { type Character, definitionOf, memoryOf, ownResult } from './servers.ts';
import { gatewayOf } from './world.ts';

/**
 * A core between edges that read whatever bytes come, with sound servers or with such that say only what a test lets them say. Every answer
 * to a host must carry the id of a request that is open there, as it was written, and come in the step in which that request was answered
 * or refused; no session may be closed. Anything else throws.
 */

export interface FuzzHost {
  session: string;
  /** Unanswered requests: their raw ids by the value of the id; more than one when the id was used again. */
  open: Map<string, RawId[]>;
  /** Raw ids of what servers asked it last. */
  asked: RawId[];
  /** How a modern host goes on where input was asked for: requests with what was wanted, `@N` for their ids. */
  retries: string[];
  /** Params of its open calls, by the value of the id. */
  calls: Map<string, string>;
  reader: FrameReader;
  /** Answers by the raw id of the request, of those that are `kept`. */
  answers: Map<RawId, Message>;
}

export interface FuzzServer {
  name: string;
  instance: string;
  generation: number;
  character: Character;
  /** Requests without an answer, by their ids. */
  open: Map<number, Message>;
  reader: FrameReader;
}

interface Answered {
  session: string;
  key: string;
}

const BOUNDS = { depthMax: 256, elementsMax: 50, sampleBytesMax: 100, answersBytesMax: 1 << 20 };
const LINE_BYTES_MAX = 16 * 1024;
/** What hosts ask servers for; the rest a server is asked by mcpd itself, about itself. */
const USES: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get', 'completion/complete']);
/** Ids of the requests whose answers a test looks at. */
const KEPT = /^"kept-/;
/** JSON-RPC's own, those that mcpd gives besides, and those that pass from servers. */
const REFUSED_BY_NOISE: readonly number[] = [-32700, -32600];

export class FuzzWorld {
  readonly gateway: Gateway;
  readonly hosts = new Map<string, FuzzHost>();
  readonly servers = new Map<string, FuzzServer>();
  readonly counts = { frames: 0, noise: 0, batches: 0, answers: 0 };
  /** Of errors that hosts were given. */
  readonly codes = new Set<number>();
  /** Of servers that answer by themselves: all of them, or those that a test does not speak for. */
  readonly sound: (server: string) => boolean;
  now = 0;
  /** Sound servers ask nothing of hosts. */
  quiet = false;
  readonly #characters: Readonly<Record<string, Character>>;
  readonly #random: Random;
  readonly #timers = new Map<TimerId, number>();
  readonly #routes = new Map<string, Answered>();
  readonly #queue: DistributiveOmit<GatewayEvent, 'at'>[] = [];
  /** Requests that were answered by a question: what their servers say of them goes to those who go on with them. */
  readonly #parked = new Set<string>();
  #answered: Answered[] = [];
  #nextPid = 100;

  constructor(random: Random, characters: Readonly<Record<string, Character>>, sound: (server: string) => boolean) {
    this.#random = random;
    this.#characters = characters;
    this.sound = sound;
    this.gateway = gatewayOf(random, 4, []);
    for (const [name, character] of Object.entries(characters)) {
      const definition = definitionOf(name);
      this.post({ type: 'server-defined', definition, memory: memoryOf(definition, character) });
      this.start(name);
    }
  }

  start(server: string): void {
    this.post({ type: 'command', server, command: 'start' });
  }

  openHost(session: string): FuzzHost {
    const reader = new FrameReader({
      ...BOUNDS,
      lineBytesMax: LINE_BYTES_MAX,
      isUtf8,
      onFrame: (frame) => this.#fromHost(host, frame),
      onNoise: (noise) => this.#hostNoise(host, noise),
      onBatch: (line) => this.#hostBatch(host, line),
    });
    const host: FuzzHost = {
      session,
      open: new Map(),
      asked: [],
      retries: [],
      calls: new Map(),
      reader,
      answers: new Map(),
    };
    this.hosts.set(session, host);
    const door = { principal: 'local', scope: { kind: 'all' }, cwd: null, lasts: 'connection' } as const;
    this.post({ type: 'host-opened', session, host: session, door, resume: null });
    return host;
  }

  hostSends(host: FuzzHost, bytes: Uint8Array): void {
    host.reader.push(bytes);
    if (!this.gateway.view.sessions.has(host.session)) throw new RangeError(`the session ${host.session} is gone`);
  }

  serverSends(server: FuzzServer, bytes: Uint8Array): void {
    server.reader.push(bytes);
  }

  /** A sound server answers this one of its open requests. */
  answer(server: FuzzServer, id: number): void {
    const message = server.open.get(id);
    if (message === undefined) return;
    server.open.delete(id);
    this.#fromServer(server, this.#soundAnswer(server, id, message));
  }

  /** Every request is answered by its server, or in the end refused for its silence. */
  settle(): void {
    for (let round = 0; round < 100 && [...this.hosts.values()].some((host) => this.#waits(host)); round++) {
      for (const server of this.servers.values()) for (const id of [...server.open.keys()]) this.answer(server, id);
      this.advance(60_000);
    }
    for (const host of this.hosts.values())
      if (this.#waits(host)) throw new RangeError(`unanswered at ${host.session}: ${[...host.open.keys()].join()}`);
  }

  advance(ms: number): void {
    this.now += ms;
    const due = [...this.#timers].filter(([, at]) => at <= this.now).sort(([, a], [, b]) => a - b);
    for (const [timer] of due) if (this.#timers.delete(timer)) this.post({ type: 'timer', timer });
  }

  post(event: DistributiveOmit<GatewayEvent, 'at'>): Effect[] {
    const effects = this.#step(event);
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#step(next);
    return effects;
  }

  // — internal —

  #step(event: DistributiveOmit<GatewayEvent, 'at'>): Effect[] {
    this.#answered = [];
    const effects = this.gateway.step({ ...event, at: this.now } as GatewayEvent);
    for (const effect of effects) this.#perform(effect);
    if (event.type === 'server-message') this.#checkPairing(event, effects);
    return effects;
  }

  /** What is answered in this step is answered by this message, unless its server was given up. */
  #checkPairing(event: Pick<FuzzServer, 'instance' | 'generation'> & { frame: Frame }, effects: Effect[]): void {
    const { instance, generation, frame } = event;
    const { envelope } = frame;
    if (this.#answered.length === 0 || effects.some((effect) => effect.type === 'stop-child')) return;
    if (envelope.kind !== 'result' && envelope.kind !== 'error')
      throw new RangeError(`a message that answers nothing answered ${JSON.stringify(this.#answered)}`);
    const id = envelope.id === null ? Number.NaN : ownIdOf(envelope.id);
    const route = this.#routes.get(`${instance}/${generation}/${id}`);
    if (route === undefined || this.#parked.has(`${route.session} ${route.key}`)) return;
    for (const { session, key } of this.#answered)
      if (session !== route.session || key !== route.key)
        throw new RangeError(`${key} of ${session} got the answer to ${route.key} of ${route.session}`);
  }

  /** A listen stays open for as long as it lives. */
  #waits(host: FuzzHost): boolean {
    const listens = this.gateway.view.sessions.get(host.session)?.listens;
    return [...host.open].some(([key, ids]) => ids.length > (listens?.has(key) === true ? 1 : 0));
  }

  #fromHost(host: FuzzHost, frame: Frame): void {
    this.counts.frames++;
    const { envelope } = frame;
    const key = envelope.kind === 'request' ? idKey(envelope.id) : '';
    if (envelope.kind === 'request') host.open.set(key, [...(host.open.get(key) ?? []), envelope.id]);
    if (envelope.kind === 'request' && envelope.params !== null && envelope.method === 'tools/call')
      host.calls.set(key, text(join(frame.bytes), envelope.params));
    const effects = this.post({ type: 'host-message', session: host.session, frame });
    if (envelope.kind === 'request')
      for (const effect of effects)
        if (effect.type === 'to-server' && effect.id !== null)
          this.#routes.set(`${effect.instance}/${effect.generation}/${effect.id}`, { session: host.session, key });
    if (envelope.kind !== 'notification' || envelope.method !== 'notifications/cancelled') return;
    const bytes = join(frame.bytes);
    const id = envelope.params === null ? null : member(bytes, envelope.params, 'requestId');
    if (id !== null) host.open.delete(idKey(text(bytes, id)));
  }

  /** As a session over stdio: the id counts when the line asks for something. */
  #hostNoise(host: FuzzHost, { reason, id: read, asks }: Pick<Noise, 'reason' | 'id' | 'asks'>): void {
    this.counts.noise++;
    const id = asks ? read : null;
    const key = id === null ? '' : idKey(id);
    const wasOpen = host.open.has(key);
    if (id !== null && !wasOpen) host.open.set(key, [id]);
    const effects = this.post({ type: 'host-noise', session: host.session, reason, id });
    const [answer] = effects;
    const code = answer?.type === 'to-host' ? (JSON.parse(textOf(answer.bytes)) as Message).error?.code : undefined;
    if (effects.length !== 1 || !REFUSED_BY_NOISE.includes(code ?? 0))
      throw new RangeError(`noise (${reason}) was answered by ${effects.length} effects, code ${code}`);
    if (id !== null && !wasOpen) host.open.delete(key);
  }

  #hostBatch(host: FuzzHost, line: BatchLine): void {
    this.counts.batches++;
    const revision = this.gateway.view.sessions.get(host.session)?.protocolVersion ?? null;
    if (!featuresOf(revision).batches) return this.#hostNoise(host, { reason: 'batch', id: null, asks: false });
    const batch = openBatch(line, BOUNDS);
    if ('frames' in batch) for (const frame of batch.frames) this.#fromHost(host, frame);
  }

  #fromServer(server: FuzzServer, frame: Frame): void {
    this.counts.frames++;
    const { instance, generation } = server;
    const { envelope } = frame;
    const isAnswer = envelope.kind === 'result' || envelope.kind === 'error';
    if (isAnswer && envelope.id !== null) server.open.delete(ownIdOf(envelope.id));
    this.post({ type: 'server-message', instance, generation, frame, about: null });
  }

  #serverNoise(server: FuzzServer, { reason, id, asks, bytes }: Noise): void {
    this.counts.noise++;
    const { instance, generation } = server;
    const ids = asks ? { id: null, question: id } : { id, question: null };
    if (!asks && id !== null) server.open.delete(ownIdOf(id));
    this.post({ type: 'server-noise', instance, generation, reason, ...ids, bytes });
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'to-host':
        return this.#toHost(effect);
      case 'to-server':
        return this.#toServer(effect);
      case 'close-host':
        throw new RangeError(`${effect.session} was closed: ${effect.reason}`);
      case 'spawn':
        return this.#spawn(effect.instance, effect.generation, effect.definition.name);
      case 'stop-child': {
        const { instance, generation } = effect;
        if (this.servers.get(instance)?.generation !== generation) return;
        this.servers.delete(instance);
        const exit = { at: this.now, uptimeMs: 0, code: 0, signal: null, cause: 'exit code 0', stderrTail: [] };
        this.#queue.push({ type: 'server-exited', instance, generation, exit });
        return;
      }
      case 'arm-timer':
        this.#timers.set(effect.timer, this.now + effect.afterMs);
        return;
      case 'disarm-timer':
        this.#timers.delete(effect.timer);
        return;
      default:
      // Nothing that hosts or servers notice.
    }
  }

  #toHost({ session, bytes, class: kind, id }: Extract<Effect, { type: 'to-host' }>): void {
    const line = textOf(bytes);
    const message = JSON.parse(line) as Message;
    if (!line.endsWith('\n') || line.indexOf('\n') !== line.length - 1) throw new RangeError(`no line: ${line}`);
    const host = this.hosts.get(session);
    if (host === undefined) throw new RangeError(`a message for ${session}, which is not there`);
    if (kind === 'question' && id !== null) host.asked = [...host.asked.slice(-9), id];
    if (message.error !== undefined) this.codes.add(message.error.code);
    // An acknowledgement must arrive as surely as an answer.
    if (kind !== 'answer' || id === null || message.method !== undefined) return;
    this.counts.answers++;
    const key = idKey(id);
    const ids = host.open.get(key) ?? [];
    if (!ids.includes(id) || JSON.stringify(message.id) !== JSON.stringify(JSON.parse(id)))
      throw new RangeError(`an answer to nothing at ${session}, id ${id}: ${line.slice(0, 300)}`);
    ids.splice(ids.indexOf(id), 1);
    if (ids.length === 0) host.open.delete(key);
    if (KEPT.test(id)) host.answers.set(id, message);
    const input = inputWanted(message);
    if (input !== null) {
      this.#parked.add(`${session} ${key}`);
      const retry = retryOf(host.calls.get(key), input);
      if (retry !== null) host.retries = [...host.retries.slice(-4), retry];
    }
    host.calls.delete(key);
    this.#answered.push({ session, key });
  }

  #toServer({ instance, generation, bytes }: Extract<Effect, { type: 'to-server' }>): void {
    const server = this.servers.get(instance);
    const message = JSON.parse(textOf(bytes)) as Message;
    if (server?.generation !== generation || message.method === undefined || typeof message.id !== 'number') return;
    server.open.set(message.id, message);
    const isOwn = !USES.has(message.method);
    if (this.sound(server.name)) {
      if (!this.quiet && message.method === 'tools/call' && this.#random() < 0.2)
        this.#ask(server, message.id, message);
      // A few calls stay open, so that ids are in use and can be cancelled.
      const id = isOwn ? message.id : server.open.size > 6 ? pick([...server.open.keys()], this.#random) : null;
      if (id !== null) this.#answerLater(server, id);
    } else if (server.open.size > 20 || (isOwn && this.#random() < 0.8)) {
      this.#answerLater(server, isOwn ? message.id : (server.open.keys().next().value ?? message.id));
    }
  }

  /** A sound server wants something of the person before it answers. */
  #ask(server: FuzzServer, id: number, { params = {} }: Message): void {
    if (server.character.era === 'modern' && params['inputResponses'] !== undefined) return;
    const { instance, generation } = server;
    const form = { message: 'm', requestedSchema: { type: 'object', properties: {} } };
    const question = { method: 'elicitation/create', params: form };
    const message =
      server.character.era === 'modern'
        ? {
            jsonrpc: '2.0',
            id,
            result: { resultType: 'input_required', inputRequests: { q: question }, requestState: 's' },
          }
        : { jsonrpc: '2.0', id: `q${id}`, ...question };
    if (server.character.era === 'modern') server.open.delete(id);
    const frame = frameOf(JSON.stringify(message));
    this.#queue.push({ type: 'server-message', instance, generation, frame, about: null });
  }

  #answerLater(server: FuzzServer, id: number): void {
    const message = server.open.get(id);
    if (message === undefined) return;
    server.open.delete(id);
    const { instance, generation } = server;
    const frame = this.#soundAnswer(server, id, message);
    this.#queue.push({ type: 'server-message', instance, generation, frame, about: null });
  }

  #soundAnswer({ character }: FuzzServer, id: number, message: Message): Frame {
    const isUse = USES.has(message.method ?? '');
    const own = (isUse ? undefined : ownResult(message, character)) ?? { result: useResult(message) };
    return frameOf(JSON.stringify({ jsonrpc: '2.0', id, ...own }));
  }

  #spawn(instance: string, generation: number, name: string): void {
    if (this.servers.has(instance)) throw new RangeError(`two processes for ${instance}`);
    const takes = {
      onFrame: (frame: Frame) => this.#fromServer(server, frame),
      onNoise: (noise: Noise) => this.#serverNoise(server, noise),
    };
    const onBatch = (line: BatchLine) => splitBatch(line, BOUNDS, takes);
    const reader = new FrameReader({ ...BOUNDS, ...takes, lineBytesMax: LINE_BYTES_MAX, isUtf8, onBatch });
    const character = this.#characters[name] ?? {};
    const server: FuzzServer = { name, instance, generation, character, open: new Map(), reader };
    this.servers.set(instance, server);
    this.#queue.push({ type: 'server-spawned', instance, generation, pid: this.#nextPid++ });
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The result that asks for input; null for every other answer. */
function inputWanted({ result }: Message): Record<string, unknown> | null {
  const wanted = (result ?? {}) as Record<string, unknown>;
  return wanted['resultType'] === 'input_required' ? wanted : null;
}

/** The call again with everything that was wanted; null when it was no call. */
function retryOf(params: string | undefined, wanted: Record<string, unknown>): string | null {
  if (params === undefined) return null;
  const keys = Object.keys((wanted['inputRequests'] ?? {}) as object);
  const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'accept', content: {} }]));
  const again = { ...(JSON.parse(params) as object), inputResponses, requestState: wanted['requestState'] };
  return `{"jsonrpc":"2.0","id":@N,"method":"tools/call","params":${JSON.stringify(again)}}`;
}

/** A call gives back what it was called with, so that a wrong pairing is seen. */
function useResult({ method, params = {} }: Message): Record<string, unknown> {
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: JSON.stringify(params['arguments'] ?? null) }] };
  if (method === 'resources/read') return { contents: [{ uri: String(params['uri']), text: 'x' }] };
  if (method === 'prompts/get') return { messages: [] };
  return method === 'completion/complete' ? { completion: { values: [] } } : {};
}
