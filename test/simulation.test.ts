import { expect, test } from 'vitest';
import {
  answersAsLegacy,
  definitionOf,
  memoryOf,
  type SimulatedHost,
  type SimulatedProcess,
  seeded,
  World,
} from './simulated/world.ts';

/**
 * Random events against the core. The world itself refuses a second answer, an answer to a cancelled request, and a second process for an
 * instance; here it is seen that every request is answered in the end and every stop ends in `stopped`.
 */
const SEEDS = 25;
const EVENTS_PER_SEED = 5000;
const SERVERS = ['alpha', 'beta', 'gamma', 'delta'];
const TOOLS = ['one', 'two'];

test(`${SEEDS * EVENTS_PER_SEED} random events: each request is answered once, never two processes, every stop ends`, () => {
  let events = 0;
  let answered = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = new RandomRun(seed);
    for (let n = 0; n < EVENTS_PER_SEED; n++) {
      run.step();
      events += 1;
    }
    run.settle();
    for (const host of run.world.hosts.values()) {
      expect([...host.open], `seed ${seed}: unanswered requests of ${host.session}`).toEqual([]);
      answered += host.answers.size;
    }
    run.shutdown();
    expect(run.world.allStopped, `seed ${seed}: all stopped`).toBe(true);
    expect([...run.world.processes.keys()], `seed ${seed}: processes left`).toEqual([]);
    for (const status of run.world.gateway.statuses())
      expect(['stopped', 'failed'], `seed ${seed}: ${status.name}`).toContain(status.state);
  }
  expect(events).toBe(SEEDS * EVENTS_PER_SEED);
  expect(answered).toBeGreaterThan(events / 20);
});

class RandomRun {
  readonly world: World;
  readonly #random: () => number;
  #sessions = 0;

  constructor(seed: number) {
    this.#random = seeded(seed);
    this.world = new World({ random: this.#random, startSlots: 2 });
    for (const [at, name] of SERVERS.entries()) this.#define(name, at % 2 === 0);
    this.#openHost();
  }

  step(): void {
    const dice = this.#random();
    if (dice < 0.3) this.#hostActs();
    else if (dice < 0.7) this.#serverActs();
    else if (dice < 0.9) this.world.advance(this.#pick([1, 20, 100, 500, 1000, 4000, 20_000, 90_000]));
    else if (dice < 0.97) this.#personActs();
    else this.#registryActs();
  }

  /** Nothing new happens; servers answer, or time does. */
  settle(): void {
    for (let round = 0; round < 400 && [...this.world.hosts.values()].some((host) => host.open.size > 0); round++) {
      this.#answerAll();
      this.world.advance(20_000);
    }
  }

  shutdown(): void {
    this.world.post({ type: 'shutdown', now: false });
    for (let round = 0; round < 50 && !this.world.allStopped; round++) {
      for (const process of [...this.world.processes.values()])
        if (process.stopping !== 'no') this.world.serverExits(process, null, 'SIGTERM');
      this.world.advance(5000);
    }
  }

  #answerAll(): void {
    for (const process of [...this.world.processes.values()]) {
      this.#ensureSpawned(process);
      for (const call of answersAsLegacy(this.world, process, TOOLS)) this.#answerCall(process, call.id);
      if (process.stopping !== 'no' && this.world.processes.get(process.instance) === process)
        this.world.serverExits(process, 0);
    }
  }

  #answerCall(process: SimulatedProcess, id: unknown): void {
    this.world.serverSends(process, { jsonrpc: '2.0', id: id as number, result: { content: [] } });
  }

  readonly #spawned = new WeakSet<SimulatedProcess>();
  #ensureSpawned(process: SimulatedProcess): void {
    if (this.#spawned.has(process)) return;
    this.#spawned.add(process);
    this.world.post({
      type: 'server-spawned',
      instance: process.instance,
      generation: process.generation,
      pid: process.pid,
    });
  }

  #hostActs(): void {
    const { world } = this;
    const host = this.#pick([...world.hosts.values()]);
    const dice = this.#random();
    if (host === undefined || (dice > 0.97 && world.hosts.size < 5)) return this.#openHost();
    if (dice < 0.65)
      return void world.request(host, 'tools/call', {
        name: `${this.#pick(SERVERS)}__${this.#pick(TOOLS)}`,
        arguments: {},
      });
    if (dice < 0.75)
      return void world.request(host, this.#pick(['tools/list', 'ping', 'prompts/list', 'no/such/method']));
    if (dice < 0.85)
      return void world.request(host, 'tools/call', { name: 'nobody__knows', _meta: { progressToken: 7 } });
    if (dice < 0.93) {
      const open = this.#pick([...host.open.keys()]);
      if (open !== undefined) world.cancel(host, open);
      return;
    }
    if (dice > 0.98 && world.hosts.size > 1) world.closeHost(host);
  }

  #openHost(): void {
    const host: SimulatedHost = this.world.openHost(`s${this.#sessions++}`);
    this.world.request(host, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'h', version: '1' },
    });
    this.world.hostSends(host, { jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  #serverActs(): void {
    const { world } = this;
    const process = this.#pick([...world.processes.values()]);
    if (process === undefined) return;
    if (!this.#spawned.has(process)) {
      if (this.#random() < 0.05) return world.serverExits(process, null, null);
      return this.#ensureSpawned(process);
    }
    const dice = this.#random();
    if (process.stopping !== 'no' && dice < 0.6) return world.serverExits(process, null, 'SIGTERM');
    if (dice < 0.75) {
      for (const call of answersAsLegacy(world, process, TOOLS))
        if (this.#random() < 0.7) this.#answerCall(process, call.id);
    } else if (dice < 0.8) world.serverExits(process, this.#pick([0, 1, 137]));
    else if (dice < 0.85) this.#answerCall(process, this.#pick([999_999, 'nobody', 1, 2, 3]));
    else if (dice < 0.9) world.serverSends(process, { jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    else if (dice < 0.94)
      world.serverSends(process, {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 5, progress: this.#random() },
      });
    else if (dice < 0.97) {
      const { instance, generation } = process;
      world.post({
        type: 'server-noise',
        instance,
        generation,
        reason: 'not-json',
        id: null,
        question: null,
        bytes: 10,
      });
    } else world.serverSends(process, { jsonrpc: '2.0', id: 1, method: 'roots/list' });
  }

  #personActs(): void {
    const server = this.#pick(SERVERS);
    const command = this.#pick(['start', 'stop', 'restart'] as const);
    if (server !== undefined && command !== undefined) this.world.post({ type: 'command', server, command });
  }

  #registryActs(): void {
    const { world } = this;
    const name = this.#pick(SERVERS);
    if (name === undefined) return;
    const dice = this.#random();
    if (dice < 0.2) world.post({ type: 'server-removed', server: name });
    else if (dice < 0.7) this.#define(name, this.#random() < 0.7);
    else if (dice < 0.85) {
      const process = world.processes.get(name);
      if (process !== undefined) {
        const { instance, generation } = process;
        world.post({
          type: 'server-memory',
          instance,
          generation,
          limit: this.#random() < 0.5 ? 'soft' : 'hard',
          bytes: 3e9,
        });
      }
    } else
      world.post({ type: 'trial', trial: String(this.#sessions++), definition: definitionOf(`t${this.#sessions}`) });
  }

  #define(name: string, known: boolean): void {
    const start = this.#pick(['on-demand', 'on-demand', 'always', 'manual'] as const) ?? 'on-demand';
    const definition = {
      ...definitionOf(name, start, `print-${Math.floor(this.#random() * 3)}`),
      enabled: this.#random() < 0.9,
    };
    this.world.post({ type: 'server-defined', definition, memory: known ? memoryOf(definition, TOOLS) : null });
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }
}
