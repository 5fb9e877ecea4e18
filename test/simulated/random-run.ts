import type { ResumeFacts } from '../../src/core/events.ts';
import type { SimulatedHost } from './hosts.ts';
import { type Message, seeded } from './messages.ts';
import type { SimulatedProcess } from './processes.ts';
import { answerOwn, type Character, definitionOf, memoryOf } from './servers.ts';
import { World } from './world.ts';

const SERVERS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
const TOOLS = ['one', 'two'];
const TASKS = ['t1', 't2', 't3'];
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const DEMANDED = { extensions: { [TASKS_EXTENSION]: {} } };
const TAKES_TASKS = { 'io.modelcontextprotocol/clientCapabilities': DEMANDED };
/** Two servers have the same resources, two are modern. */
const CHARACTERS: Record<string, Character> = {
  alpha: { tools: TOOLS, resources: ['shared://doc', 'a://x'], templates: ['a://{id}'] },
  beta: { tools: TOOLS, prompts: ['ask'], resources: ['shared://doc'], era: 'modern' },
  gamma: { tools: TOOLS },
  delta: {
    tools: TOOLS,
    resources: ['d://x'],
    era: 'modern',
    instructions: 'read me',
    capabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  },
  epsilon: {
    tools: TOOLS,
    taskTools: ['one'],
    capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  },
};
const URIS = ['shared://doc', 'shared://doc#mcpd=beta', 'a://x', 'a://7', 'd://x', 'nobody://'];

/** Hosts, servers, a person and the clock, each doing what it may at any moment. The same seed is the same run. */
export class RandomRun {
  readonly world: World;
  readonly #random: () => number;
  #count = 0;

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
    else if (dice < 0.96) this.#personActs();
    else this.#registryActs();
  }

  /** Nothing new happens; servers answer, or time does. */
  settle(): void {
    const { world } = this;
    const isOpen = () =>
      [...world.hosts.values()].some((host) => host.open.size > 0) ||
      [...world.gateway.view.instances.values()].some((instance) => instance.purpose.kind === 'trial');
    for (let round = 0; round < 400 && isOpen(); round++) {
      for (const process of world.processes.values()) this.#behave(process, 1);
      world.advance(20_000);
    }
  }

  leave(): void {
    for (const host of [...this.world.hosts.values()]) this.world.closeHost(host);
  }

  shutdown(): void {
    const { world } = this;
    world.post({ type: 'shutdown', now: false });
    for (let round = 0; round < 50 && !world.allStopped; round++) {
      for (const process of [...world.processes.values()])
        if (process.stopping !== 'no') world.serverExits(process, null, 'SIGTERM');
      world.advance(5000);
    }
  }

  // — hosts —

  #hostActs(): void {
    const { world } = this;
    const host = this.#pick([...world.hosts.values()]);
    const dice = this.#random();
    if (host === undefined || (dice > 0.97 && world.hosts.size < 5)) return this.#openHost();
    if (dice < 0.5) this.#call(host);
    else if (dice < 0.6)
      world.request(host, this.#pick(['tools/list', 'ping', 'prompts/list', 'resources/list', 'no/such/method']));
    else if (dice < 0.65) world.request(host, 'tools/call', { name: 'nobody__knows' });
    else if (dice < 0.78) this.#watch(host);
    else if (dice < 0.82) this.#noise(host);
    else if (dice < 0.84) world.request(host, 'logging/setLevel', { level: this.#pick(['debug', 'error', 'loud']) });
    else if (dice < 0.93) {
      const open = this.#pick([...host.open.keys(), ...host.listening]);
      if (open !== undefined) world.cancel(host, open);
    } else if (dice > 0.98 && world.hosts.size > 1) world.closeHost(host);
  }

  #call(host: SimulatedHost): void {
    const { world } = this;
    const server = this.#pick(SERVERS);
    const _meta = this.#random() < 0.5 ? { progressToken: host.nextId } : undefined;
    const dice = this.#random();
    if (dice < 0.1) return this.#askForTask(host);
    const task = this.#random() < 0.3 ? {} : undefined;
    if (dice < 0.8) world.request(host, 'tools/call', { name: `${server}__${this.#pick(TOOLS)}`, task, _meta });
    else if (dice < 0.9) world.request(host, 'resources/read', { uri: this.#pick(URIS), _meta });
    else world.request(host, 'completion/complete', { ref: { type: 'ref/prompt', name: 'beta__ask' }, argument: {} });
  }

  #askForTask(host: SimulatedHost): void {
    const method = this.#pick(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update', 'tasks/list']);
    const taskId = `${this.#pick(SERVERS)}~${this.#pick(TASKS)}`;
    this.world.request(host, method, method === 'tasks/list' ? {} : { taskId, _meta: TAKES_TASKS });
  }

  #watch(host: SimulatedHost): void {
    const { world } = this;
    const uri = this.#pick(URIS);
    if (host.era === 'legacy')
      return void world.request(host, this.#pick(['resources/subscribe', 'resources/unsubscribe']), { uri });
    const notifications = {
      toolsListChanged: this.#random() < 0.5,
      resourcesListChanged: this.#random() < 0.5,
      resourceSubscriptions: [uri, this.#pick(URIS)],
      taskIds: [`delta~${this.#pick(TASKS)}`],
    };
    world.request(host, 'subscriptions/listen', { notifications, _meta: TAKES_TASKS });
  }

  /** A line that is no message, with the id of an open request, with one of its own, or with none. */
  #noise(host: SimulatedHost): void {
    const id = this.#pick([...host.open.keys(), null, `"noise-${this.#count++}"`]);
    if (id !== null && !host.open.has(id)) host.open.set(id, 'noise');
    const reason = this.#pick(['not-json', 'too-long', 'batch'] as const);
    this.world.post({ type: 'host-noise', session: host.session, reason, id });
  }

  #openHost(): void {
    const session = `s${this.#count++}`;
    const era = this.#random() < 0.6 ? 'legacy' : 'modern';
    if (this.#random() < 0.3) this.world.openHost(session, era, this.#resumed(era));
    else if (era === 'modern') this.world.request(this.world.openHost(session, era), 'server/discover');
    else this.world.legacyHost(session);
  }

  #resumed(era: SimulatedHost['era']): ResumeFacts {
    const isLegacy = era === 'legacy';
    return {
      initializeParams: isLegacy ? '{"protocolVersion":"2025-06-18","clientInfo":{"name":"h","version":"1"}}' : null,
      protocolVersion: isLegacy ? '2025-06-18' : null,
      initialized: isLegacy,
      logLevel: isLegacy ? 'info' : null,
      era,
      listDigests: { tools: 'of another time' },
    };
  }

  // — servers —

  #serverActs(): void {
    const { world } = this;
    const process = this.#pick([...world.processes.values()]);
    if (process === undefined) return;
    if (!process.spawned && this.#random() < 0.05) return world.serverExits(process, null, null);
    world.spawned(process.instance);
    const dice = this.#random();
    if (process.stopping !== 'no' && dice < 0.6) return world.serverExits(process, null, 'SIGTERM');
    if (dice < 0.7) this.#behave(process, 0.7);
    else if (dice < 0.76) world.serverExits(process, this.#pick([0, 1, 137]));
    else if (dice < 0.88) this.#talk(process);
    else this.#trouble(process);
  }

  /** Answers what it was asked, calls with this chance. */
  #behave(process: SimulatedProcess, chance: number): void {
    const { world } = this;
    world.spawned(process.instance);
    answerOwn(world, process, CHARACTERS[process.instance] ?? { tools: TOOLS });
    for (const message of process.inbox.splice(0)) {
      const isListen = message.method === 'subscriptions/listen';
      if (isListen || this.#random() >= chance) process.inbox.push(message);
      else world.serverSends(process, { jsonrpc: '2.0', id: message.id ?? null, ...this.#answerTo(process, message) });
    }
    if (chance === 1 && process.stopping !== 'no') world.serverExits(process, 0);
  }

  /** One tool of delta demands the tasks extension. */
  #answerTo({ instance }: SimulatedProcess, message: Message): Pick<Message, 'result' | 'error'> {
    const { method, params = {} } = message;
    if (instance !== 'delta' || (params['name'] !== 'two' && method !== 'tasks/get'))
      return { result: this.#resultFor(message) };
    const taskId = params['taskId'] ?? this.#pick(TASKS);
    const status = this.#pick(['working', 'input_required', 'completed']);
    const task = { resultType: 'complete', taskId, status, pollIntervalMs: 200 };
    const { _meta } = params as { _meta?: Record<string, { extensions?: object }> };
    const declared = _meta?.['io.modelcontextprotocol/clientCapabilities']?.extensions !== undefined;
    if (method === 'tasks/get')
      return { result: { ...task, result: {}, inputRequests: { q: { method: 'roots/list' } } } };
    if (declared) return { result: { ...task, resultType: 'task' } };
    return { error: { code: -32_021, message: 'tasks only', data: { requiredCapabilities: DEMANDED } } };
  }

  /** Calls and tasks alike; a task is done sooner or later. */
  #resultFor({ method, params = {} }: Message): object {
    const task = { taskId: this.#pick(TASKS), status: this.#pick(['working', 'completed']), pollInterval: 200 };
    if (method === 'tasks/list') return { tasks: [task] };
    if (method === 'tasks/get') return { ...task, ...params };
    return method === 'tools/call' && params['task'] !== undefined ? { task } : { content: [] };
  }

  #talk(process: SimulatedProcess): void {
    const { world } = this;
    const dice = this.#random();
    const list = this.#pick(['tools', 'prompts', 'resources']);
    if (dice < 0.3) world.serverNotifies(process, `notifications/${list}/list_changed`);
    else if (dice < 0.6)
      world.serverNotifies(process, 'notifications/progress', {
        progressToken: this.#pick(process.inbox)?.id ?? 5,
        progress: Math.floor(this.#random() * 10),
      });
    else if (dice < 0.8) world.serverNotifies(process, 'notifications/resources/updated', { uri: this.#pick(URIS) });
    else if (dice < 0.85) world.serverNotifies(process, 'notifications/message', { level: 'info', data: 'text' });
    else if (dice < 0.93) {
      const method = this.#pick(['notifications/tasks', 'notifications/tasks/status']);
      world.serverNotifies(process, method, { taskId: this.#pick(TASKS), status: 'completed' });
    } else world.serverNotifies(process, 'notifications/of/a/later/revision');
  }

  #trouble(process: SimulatedProcess): void {
    const { world } = this;
    const { instance, generation } = process;
    const asked = this.#pick(process.inbox);
    const dice = this.#random();
    const id = this.#pick([999_999, 'nobody', 1, 2, 3]);
    if (dice < 0.2) world.serverSends(process, { jsonrpc: '2.0', id, result: {} });
    else if (dice < 0.4) {
      const answered = this.#random() < 0.5 && asked !== undefined ? String(asked.id) : null;
      const question = answered === null ? '"theirs"' : null;
      world.post({ type: 'server-noise', instance, generation, reason: 'too-long', id: answered, question, bytes: 9 });
    } else if (dice < 0.5) world.serverSends(process, { jsonrpc: '2.0', id: 1, method: 'roots/list' });
    else if (dice < 0.65 && asked?.method === 'tools/call')
      world.post({ type: 'server-full', instance, generation, id: Number(asked.id) });
    else if (dice < 0.8 && asked !== undefined)
      world.serverSends(process, { jsonrpc: '2.0', id: asked.id ?? null, error: { code: -32_002, message: 'no' } });
    else if (dice < 0.9) {
      const limit = this.#random() < 0.5 ? 'soft' : 'hard';
      world.post({ type: 'server-memory', instance, generation, limit, bytes: 3e9 });
    } else {
      world.post({ type: 'server-deaf', instance, generation });
      world.serverExits(process, 1);
    }
  }

  // — the person, and the registry —

  #personActs(): void {
    const command = this.#pick(['start', 'stop', 'restart'] as const);
    this.world.post({ type: 'command', server: this.#pick(SERVERS), command });
  }

  #registryActs(): void {
    const { world } = this;
    const name = this.#pick(SERVERS);
    const dice = this.#random();
    if (dice < 0.2) world.post({ type: 'server-removed', server: name });
    else if (dice < 0.75) this.#define(name, this.#random() < 0.7);
    else if (dice < 0.9) {
      const trial = String(this.#count++);
      world.post({ type: 'trial', trial, definition: definitionOf(this.#pick([name, `t${trial}`])) });
    } else {
      for (const { purpose } of world.gateway.view.instances.values())
        if (purpose.kind === 'trial') return void world.post({ type: 'trial-cancelled', trial: purpose.trial });
    }
  }

  #define(name: string, known: boolean): void {
    const start = this.#pick(['on-demand', 'on-demand', 'always', 'manual'] as const);
    const definition = {
      ...definitionOf(name, start, `print-${Math.floor(this.#random() * 3)}`),
      enabled: this.#random() < 0.8,
    };
    const memory = known ? memoryOf(definition, CHARACTERS[name]) : null;
    this.world.post({ type: 'server-defined', definition, memory });
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }
}
