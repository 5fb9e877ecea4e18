import { createHash } from 'node:crypto';
import { closest } from '../../src/closest.ts';
import type { Effect, GatewayEvent, ResumeFacts, TimerId } from '../../src/core/events.ts';
import { Gateway } from '../../src/core/gateway.ts';
import type { Door, ExposedName, ServerDefinition, ServerMemory, ServerStatus } from '../../src/core/model.ts';
import { checkNotice, newHost, type SimulatedHost } from './hosts.ts';
import { frameOf, type Message, modernMeta, textOf } from './messages.ts';
import { newProcess, type SimulatedProcess } from './processes.ts';
import { answerOwn, type Character, definitionOf, memoryOf } from './servers.ts';

/**
 * A world for the core without processes, sockets or clocks: time is a number, a server is a record, an effect is performed by changing
 * this world. Whatever the core must never do fails here at once.
 */

const LOCAL_DOOR: Door = { principal: 'local', scope: { kind: 'all' }, cwd: null, lasts: 'connection' };

/** A core with a digest of this world, and nothing else of its own. */
export function gatewayOf(random: () => number, startSlots: number, names: readonly ExposedName[]): Gateway {
  return new Gateway(
    {
      identity: { name: 'mcpd', title: 'mcpd', version: '0' },
      startSlots,
      random,
      generation: 'world',
      sign: (text) => createHash('sha256').update(`secret\n${text}`).digest('base64url'),
      digest: (bytes) => createHash('sha256').update(bytes).digest('hex'),
      closest,
      epochMs: 0,
    },
    names,
  );
}

/** Sees each message as it arrives at either side. */
export interface Watcher {
  toServer(process: SimulatedProcess, message: Message): void;
  toHost(host: SimulatedHost, message: Message): void;
}

export class World {
  now = 0;
  readonly gateway: Gateway;
  readonly timers = new Map<TimerId, number>();
  readonly processes = new Map<string, SimulatedProcess>();
  readonly hosts = new Map<string, SimulatedHost>();
  effects: Effect[] = [];
  readonly spawns: { at: number; instance: string }[] = [];
  allStopped = false;
  watcher: Watcher | null = null;
  #nextPid = 100;

  constructor(options: { random?: () => number; startSlots?: number; names?: ExposedName[] } = {}) {
    this.gateway = gatewayOf(options.random ?? (() => 0.5), options.startSlots ?? 4, options.names ?? []);
  }

  post(event: DistributiveOmit<GatewayEvent, 'at'>): Effect[] {
    const effects = this.gateway.step({ ...event, at: this.now } as GatewayEvent);
    for (const effect of effects) this.#perform(effect);
    for (const effect of effects) this.effects.push(effect);
    return effects;
  }

  effectsOf<T extends Effect['type']>(type: T): Extract<Effect, { type: T }>[] {
    return this.effects.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type);
  }

  /** Lets time pass, firing timers in their order. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      let due: { timer: TimerId; at: number } | null = null;
      for (const [timer, at] of this.timers) if (at <= end && (due === null || at < due.at)) due = { timer, at };
      if (due === null) break;
      this.now = Math.max(this.now, due.at);
      this.timers.delete(due.timer);
      this.post({ type: 'timer', timer: due.timer });
    }
    this.now = end;
  }

  // — servers —

  /** Installs a server, as one whose lists are known. */
  install(
    name: string,
    character: Character = {},
    changes: Partial<ServerDefinition> = {},
    remembered: Partial<ServerMemory> = {},
  ): ServerDefinition {
    const definition = { ...definitionOf(name), ...changes };
    const memory = { ...memoryOf(definition, character), ...remembered };
    this.post({ type: 'server-defined', definition, memory });
    return definition;
  }

  status(name: string): ServerStatus {
    const status = this.gateway.status(name);
    if (status === null) throw new RangeError(`${name} is not installed`);
    return status;
  }

  process(instance: string): SimulatedProcess {
    const process = this.processes.get(instance);
    if (process === undefined) throw new RangeError(`${instance} has no process`);
    return process;
  }

  /** The process of an instance exists. */
  spawned(instance: string): SimulatedProcess {
    const process = this.process(instance);
    if (process.spawned) return process;
    process.spawned = true;
    this.post({ type: 'server-spawned', instance, generation: process.generation, pid: process.pid });
    return process;
  }

  /** Lets a starting process answer all that is asked of itself; calls stay in its inbox. */
  ready(instance: string, character: Character): SimulatedProcess {
    const process = this.spawned(instance);
    answerOwn(this, process, character);
    return process;
  }

  /** Lets the second process of a trial, which declares all that a client can do, answer and end. */
  compared(trial: string, character: Character): void {
    const process = this.ready(`${trial}-compared`, character);
    this.advance(0);
    this.serverExits(process, 0);
  }

  /** Installs a server and starts it; nothing is open at it, and its lists have been read. */
  running(name: string, character: Character, changes: Partial<ServerDefinition> = {}): SimulatedProcess {
    this.install(name, character, changes);
    this.post({ type: 'command', server: name, command: 'start' });
    const process = this.ready(name, character);
    process.received.length = 0;
    process.lines.length = 0;
    this.effects = [];
    return process;
  }

  serverSends(process: SimulatedProcess, message: Message): void {
    this.serverSendsText(process, JSON.stringify(message));
  }

  serverNotifies(process: SimulatedProcess, method: string, params: Record<string, unknown> = {}): void {
    this.serverSends(process, { jsonrpc: '2.0', method, params });
  }

  serverSendsText(process: SimulatedProcess, text: string, about: number | null = null): void {
    const { instance, generation } = process;
    this.post({ type: 'server-message', instance, generation, frame: frameOf(text), about });
  }

  /** Answers the oldest open question of that method. */
  serverAnswers(process: SimulatedProcess, method: string, answer: Pick<Message, 'result' | 'error'>): void {
    this.serverSends(process, { jsonrpc: '2.0', id: this.asked(process, method).id ?? null, ...answer });
  }

  /** Takes the oldest question of that method out of the inbox. */
  asked(process: SimulatedProcess, method: string): Message {
    const at = process.inbox.findIndex((message) => message.method === method);
    const [message] = at < 0 ? [] : process.inbox.splice(at, 1);
    if (message === undefined)
      throw new RangeError(`${method} was not asked, but ${process.inbox.map((one) => one.method).join()}`);
    return message;
  }

  serverExits(process: SimulatedProcess, code: number | null = 1, signal: string | null = null): void {
    if (this.processes.get(process.instance) !== process) throw new RangeError('it has ended already');
    this.processes.delete(process.instance);
    const cause = signal === null ? `exit code ${code}` : `signal ${signal}`;
    const exit = { at: this.now, uptimeMs: 0, code, signal, cause, stderrTail: ['last words'] };
    this.post({ type: 'server-exited', instance: process.instance, generation: process.generation, exit });
  }

  // — hosts —

  openHost(
    session: string,
    era: SimulatedHost['era'] = 'legacy',
    resume: ResumeFacts | null = null,
    name = session,
    door: Partial<Door> = {},
    capabilities: object = {},
  ): SimulatedHost {
    const host = newHost(session, era, capabilities);
    this.hosts.set(session, host);
    this.post({ type: 'host-opened', session, host: name, door: { ...LOCAL_DOOR, ...door }, resume });
    return host;
  }

  /** A legacy host behind its handshake. */
  legacyHost(
    session: string,
    capabilities: object = {},
    door: Partial<Door> = {},
    protocolVersion = '2025-11-25',
  ): SimulatedHost {
    const host = this.openHost(session, 'legacy', null, session, door, capabilities);
    const clientInfo = { name: 'legacy-host', version: '1' };
    this.request(host, 'initialize', { protocolVersion, capabilities, clientInfo });
    this.hostSends(host, { jsonrpc: '2.0', method: 'notifications/initialized' });
    return host;
  }

  /** A modern host: each of its requests brings these capabilities. */
  modernHost(session: string, capabilities: object = {}, door: Partial<Door> = {}): SimulatedHost {
    return this.openHost(session, 'modern', null, session, door, capabilities);
  }

  hostSends(host: SimulatedHost, message: Message): void {
    this.hostSendsText(host, JSON.stringify(message));
  }

  hostSendsText(host: SimulatedHost, text: string): void {
    const frame = frameOf(text);
    const { envelope } = frame;
    if (envelope.kind === 'request') {
      const key = JSON.stringify(JSON.parse(envelope.id));
      host.open.set(key, envelope.method);
      const { params } = JSON.parse(text) as { params?: { _meta?: { progressToken?: unknown } } };
      const token = params?._meta?.progressToken;
      if (token !== undefined) host.progress.set(JSON.stringify(token), { key, last: Number.NEGATIVE_INFINITY });
    }
    this.post({ type: 'host-message', session: host.session, frame });
  }

  /** Returns the key of the request: the JSON text of its id. A modern host's `_meta` is added. */
  request(
    host: SimulatedHost,
    method: string,
    params: Record<string, unknown> = {},
    id: number | string = host.nextId++,
  ): string {
    const meta = params['_meta'] as Record<string, unknown> | undefined;
    const whole = host.era === 'modern' ? { ...params, _meta: modernMeta(meta, host.capabilities) } : params;
    this.hostSends(host, { jsonrpc: '2.0', id, method, params: whole });
    return JSON.stringify(id);
  }

  /** Answers the last question that this host was asked. */
  hostAnswers(host: SimulatedHost, result: unknown): void {
    const id = host.questions.at(-1)?.id ?? null;
    this.hostSends(host, { jsonrpc: '2.0', id, result });
  }

  /** A request, and its answer, which must have come at once. */
  ask(host: SimulatedHost, method: string, params: Record<string, unknown> = {}): Message {
    return this.answerTo(host, this.request(host, method, params));
  }

  answerTo(host: SimulatedHost, key: string): Message {
    const answer = host.answers.get(key);
    if (answer === undefined) throw new RangeError(`${key} of ${host.session} is not answered`);
    return answer;
  }

  cancel(host: SimulatedHost, key: string): void {
    if (host.open.delete(key) || host.listening.delete(key)) host.cancelled.add(key);
    const params = { requestId: JSON.parse(key) as unknown };
    this.hostSends(host, { jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  closeHost(host: SimulatedHost): void {
    this.hosts.delete(host.session);
    this.post({ type: 'host-closed', session: host.session });
  }

  // — effects —

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'spawn':
        return this.#spawn(effect.instance, effect.generation);
      case 'to-server':
        return this.#toServer(effect.instance, effect.generation, textOf(effect.bytes));
      case 'stop-child': {
        const process = this.processes.get(effect.instance);
        if (process?.generation === effect.generation) process.stopping = effect.kill ? 'killed' : 'asked';
        return;
      }
      case 'to-host':
        return this.#toHost(effect.session, textOf(effect.bytes));
      case 'arm-timer':
        this.timers.set(effect.timer, this.now + effect.afterMs);
        return;
      case 'disarm-timer':
        this.timers.delete(effect.timer);
        return;
      case 'all-stopped':
        this.allStopped = true;
        return;
      case 'close-host':
      case 'save-memory':
      case 'save-names':
      case 'save-wish':
      case 'record-call':
      case 'record-transition':
      case 'log':
      case 'trial-finished':
      case 'publish':
        // Only looked at, in `effects`.
        return;
    }
  }

  #spawn(instance: string, generation: number): void {
    if (this.processes.has(instance)) throw new RangeError(`two processes for ${instance}`);
    if (this.allStopped) throw new RangeError(`${instance} is started after all was stopped`);
    this.processes.set(instance, newProcess(instance, generation, this.#nextPid++));
    this.spawns.push({ at: this.now, instance });
  }

  #toServer(instance: string, generation: number, line: string): void {
    if (!line.endsWith('\n')) throw new RangeError(`a line without its end: ${line.slice(0, 200)}`);
    const process = this.processes.get(instance);
    if (process?.generation !== generation) return;
    const message = JSON.parse(line) as Message;
    process.received.push(message);
    process.lines.push(line);
    this.watcher?.toServer(process, message);
    if (message.id !== undefined && message.method !== undefined) process.inbox.push(message);
  }

  #toHost(session: string, line: string): void {
    if (!line.endsWith('\n')) throw new RangeError(`a line without its end: ${line.slice(0, 200)}`);
    const message = JSON.parse(line) as Message;
    const host = this.hosts.get(session);
    if (host === undefined) throw new RangeError(`a message for ${session}, which is closed`);
    host.lines.push(line);
    this.watcher?.toHost(host, message);
    if (message.method !== undefined && message.id !== undefined) {
      host.questions.push(message);
      return;
    }
    if (message.method !== undefined) {
      checkNotice(host, message);
      host.notices.push(message);
      return;
    }
    const key = JSON.stringify(message.id);
    if (host.cancelled.has(key)) throw new RangeError(`an answer to the cancelled request ${key} of ${session}`);
    // An error with the id null answers a line of which no id is known.
    if (message.id !== null && !host.open.delete(key))
      throw new RangeError(`a second answer, or one to nothing, for ${key} of ${session}: ${line}`);
    host.answers.set(key, message);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
