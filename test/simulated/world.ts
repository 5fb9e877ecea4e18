import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { closest } from '../../src/closest.ts';
import type { Effect, GatewayEvent, TimerId } from '../../src/core/events.ts';
import { Gateway } from '../../src/core/gateway.ts';
import type { ServerDefinition, ServerMemory, StartMode } from '../../src/core/model.ts';
import type { Bytes, Frame, NoiseReason } from '../../src/protocol/frame.ts';
import { FrameReader } from '../../src/protocol/framing.ts';

/**
 * A world for the core without processes, sockets or clocks: time is a number, a server is a record, an effect is performed by changing
 * this world. Whatever the core must never do fails here at once.
 */

export interface Message {
  jsonrpc: '2.0';
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

export interface SimulatedProcess {
  instance: string;
  generation: number;
  pid: number;
  /** What it was sent and has not answered. */
  inbox: Message[];
  received: Message[];
  stopping: 'no' | 'asked' | 'killed';
}

export interface SimulatedHost {
  session: string;
  nextId: number;
  /** Requests without an answer, by JSON text of the id. */
  open: Map<string, string>;
  cancelled: Set<string>;
  answers: Map<string, Message>;
  notices: Message[];
}

export class World {
  now = 0;
  readonly gateway: Gateway;
  readonly timers = new Map<TimerId, number>();
  readonly processes = new Map<string, SimulatedProcess>();
  readonly hosts = new Map<string, SimulatedHost>();
  readonly effects: Effect[] = [];
  readonly spawns: { at: number; instance: string }[] = [];
  allStopped = false;
  #nextPid = 100;

  constructor(options: { random?: () => number; startSlots?: number } = {}) {
    this.gateway = new Gateway(
      {
        identity: { name: 'mcpd', title: 'mcpd', version: '0' },
        startSlots: options.startSlots ?? 4,
        random: options.random ?? (() => 0.5),
        digest: (bytes) => createHash('sha256').update(bytes).digest('hex'),
        closest,
        epochMs: 0,
      },
      [],
    );
  }

  post(event: DistributiveOmit<GatewayEvent, 'at'>): Effect[] {
    const effects = this.gateway.step({ ...event, at: this.now } as GatewayEvent);
    for (const effect of effects) this.#perform(effect);
    this.effects.push(...effects);
    return effects;
  }

  /** Lets time pass, firing timers in their order. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const due = [...this.timers].filter(([, at]) => at <= end).sort((a, b) => a[1] - b[1])[0];
      if (due === undefined) break;
      this.now = Math.max(this.now, due[1]);
      this.timers.delete(due[0]);
      this.post({ type: 'timer', timer: due[0] });
    }
    this.now = end;
  }

  openHost(session: string): SimulatedHost {
    const host: SimulatedHost = {
      session,
      nextId: 1,
      open: new Map(),
      cancelled: new Set(),
      answers: new Map(),
      notices: [],
    };
    this.hosts.set(session, host);
    this.post({ type: 'host-opened', session, host: session, resume: null });
    return host;
  }

  hostSends(host: SimulatedHost, message: Message): void {
    if (message.method !== undefined && message.id !== undefined)
      host.open.set(JSON.stringify(message.id), message.method);
    this.post({ type: 'host-message', session: host.session, frame: frameOf(JSON.stringify(message)) });
  }

  request(
    host: SimulatedHost,
    method: string,
    params: Record<string, unknown> = {},
    id: number | string = host.nextId++,
  ): string {
    this.hostSends(host, { jsonrpc: '2.0', id, method, params });
    return JSON.stringify(id);
  }

  cancel(host: SimulatedHost, key: string): void {
    if (host.open.delete(key)) host.cancelled.add(key);
    this.post({
      type: 'host-message',
      session: host.session,
      frame: frameOf(
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: JSON.parse(key) } }),
      ),
    });
  }

  closeHost(host: SimulatedHost): void {
    this.hosts.delete(host.session);
    this.post({ type: 'host-closed', session: host.session });
  }

  serverSends(process: SimulatedProcess, message: Message): void {
    this.serverSendsText(process, JSON.stringify(message));
  }

  serverSendsText(process: SimulatedProcess, text: string): void {
    this.post({
      type: 'server-message',
      instance: process.instance,
      generation: process.generation,
      frame: frameOf(text),
    });
  }

  serverExits(process: SimulatedProcess, code: number | null = 1, signal: string | null = null): void {
    if (this.processes.get(process.instance) !== process) throw new RangeError('it has ended already');
    this.processes.delete(process.instance);
    const cause = signal === null ? `exit code ${code}` : `signal ${signal}`;
    const exit = { at: this.now, uptimeMs: 0, code, signal, cause, stderrTail: ['last words'] };
    this.post({ type: 'server-exited', instance: process.instance, generation: process.generation, exit });
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'spawn': {
        if (this.processes.has(effect.instance)) throw new RangeError(`two processes for ${effect.instance}`);
        const process: SimulatedProcess = {
          instance: effect.instance,
          generation: effect.generation,
          pid: this.#nextPid++,
          inbox: [],
          received: [],
          stopping: 'no',
        };
        this.processes.set(effect.instance, process);
        this.spawns.push({ at: this.now, instance: effect.instance });
        return;
      }
      case 'to-server': {
        const process = this.processes.get(effect.instance);
        if (process?.generation !== effect.generation) return;
        const message = JSON.parse(textOf(effect.bytes)) as Message;
        process.received.push(message);
        if (message.id !== undefined && message.method !== undefined) process.inbox.push(message);
        return;
      }
      case 'stop-child': {
        const process = this.processes.get(effect.instance);
        if (process?.generation === effect.generation) process.stopping = effect.kill ? 'killed' : 'asked';
        return;
      }
      case 'to-host':
        return this.#toHost(effect.session, JSON.parse(textOf(effect.bytes)) as Message);
      case 'arm-timer':
        this.timers.set(effect.timer, this.now + effect.afterMs);
        return;
      case 'disarm-timer':
        this.timers.delete(effect.timer);
        return;
      case 'all-stopped':
        this.allStopped = true;
        return;
      // Of no consequence for what is looked at here.
      case 'close-host':
      case 'save-memory':
      case 'save-names':
      case 'record-call':
      case 'record-transition':
      case 'log':
      case 'trial-finished':
      case 'publish':
        return;
    }
  }

  #toHost(session: string, message: Message): void {
    const host = this.hosts.get(session);
    if (host === undefined) throw new RangeError(`a message for ${session}, which is closed`);
    if (message.method !== undefined) {
      host.notices.push(message);
      return;
    }
    const key = JSON.stringify(message.id);
    if (host.cancelled.has(key)) throw new RangeError(`an answer to the cancelled request ${key} of ${session}`);
    if (!host.open.delete(key))
      throw new RangeError(`a second answer, or one to nothing, for ${key} of ${session}: ${JSON.stringify(message)}`);
    host.answers.set(key, message);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export function definitionOf(
  name: string,
  start: StartMode = 'on-demand',
  fingerprint = `print-of-${name}`,
): ServerDefinition {
  return {
    name,
    description: name,
    launch: { command: '/bin/true', args: [], cwd: null, env: {} },
    start,
    enabled: true,
    limits: {
      startTimeoutMs: null,
      callTimeoutMs: null,
      idleStopMs: null,
      lineBytesMax: null,
      memorySoftBytes: null,
      memoryHardBytes: null,
    },
    source: { kind: 'command', ref: 'true' },
    fingerprint,
    addedAt: 0,
  };
}

export function memoryOf(
  definition: ServerDefinition,
  tools: readonly string[],
  extra: Partial<ServerMemory> = {},
): ServerMemory {
  return {
    fingerprint: definition.fingerprint,
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo: '{"name":"fake","version":"1"}',
    capabilities: '{"tools":{"listChanged":true}}',
    instructions: null,
    lists: [
      {
        kind: 'tools',
        entries: tools.map((name) => JSON.stringify({ name, inputSchema: { type: 'object' } })),
        findings: [],
      },
      { kind: 'prompts', entries: [], findings: [] },
      { kind: 'resources', entries: [], findings: [] },
      { kind: 'templates', entries: [], findings: [] },
    ],
    ...extra,
  };
}

/** Answers what a sound legacy server answers of itself; returns what it does not know: calls. */
export function answersAsLegacy(world: World, process: SimulatedProcess, tools: readonly string[]): Message[] {
  const left: Message[] = [];
  while (process.inbox.length > 0) {
    const message = process.inbox.shift();
    if (message === undefined) break;
    const id = message.id ?? null;
    switch (message.method) {
      case 'server/discover':
        world.serverSends(process, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } });
        break;
      case 'initialize':
        world.serverSends(process, {
          jsonrpc: '2.0',
          id,
          result: {
            protocolVersion: '2025-11-25',
            capabilities: { tools: { listChanged: true } },
            serverInfo: { name: 'fake', version: '1' },
          },
        });
        break;
      case 'tools/list':
        world.serverSends(process, {
          jsonrpc: '2.0',
          id,
          result: { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) },
        });
        break;
      case 'ping':
        world.serverSends(process, { jsonrpc: '2.0', id, result: {} });
        break;
      default:
        left.push(message);
    }
  }
  return left;
}

function frameOf(text: string): Frame {
  const frames: Frame[] = [];
  const noise: NoiseReason[] = [];
  const reader = new FrameReader({
    lineBytesMax: 1 << 20,
    depthMax: 256,
    sampleBytesMax: 100,
    isUtf8,
    onFrame: (frame) => frames.push(frame),
    onNoise: ({ reason }) => noise.push(reason),
  });
  reader.push(Buffer.from(`${text}\n`));
  const [frame] = frames;
  if (frame === undefined) throw new RangeError(`not a message (${noise.join()}): ${text.slice(0, 200)}`);
  return frame;
}

function textOf(bytes: Bytes): string {
  return Buffer.concat(bytes).toString('utf8');
}

/** A small seeded generator (mulberry32): the same run for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
