import type { Door, Sharing } from '../../src/core/model.ts';
import type { SimulatedHost } from './hosts.ts';
import { Marks, type Wish } from './marks.ts';
import { type Message, seeded } from './messages.ts';
import type { SimulatedProcess } from './processes.ts';
import { answerOwn, type Character, definitionOf, memoryOf } from './servers.ts';
import { World } from './world.ts';

const TOOLS = ['one', 'two', 'three'];
const LEGACY: Character = { tools: TOOLS };
const MODERN: Character = { tools: TOOLS, era: 'modern' };
const SERVERS: Record<string, { character: Character; sharing: Sharing }> = {
  auto: { character: LEGACY, sharing: 'auto' },
  shared: { character: LEGACY, sharing: 'shared' },
  own: { character: LEGACY, sharing: 'per-session' },
  folder: { character: LEGACY, sharing: 'per-workspace' },
  modern: { character: MODERN, sharing: 'auto' },
  'modern-own': { character: MODERN, sharing: 'per-session' },
};
const NAMES = Object.keys(SERVERS);
const NO_LOGIN = { because: 'login-wanted', reason: 'no login', fix: 'mcpd auth NAME' } as const;
const CAPABILITIES = [
  {},
  { elicitation: {} },
  { elicitation: { url: {} }, sampling: {} },
  { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, sampling: {} },
];
const METHODS = ['elicitation/create', 'sampling/createMessage', 'roots/list'];
const HOSTS_MAX = 7;

/** Servers that ask back all the time, and hosts of every kind that answer, refuse, forge, come late or leave. */
export class AskingRun {
  readonly world: World;
  readonly marks: Marks;
  readonly #random: () => number;
  #count = 0;

  constructor(seed: number) {
    this.#random = seeded(seed);
    this.world = new World({ random: this.#random, startSlots: 3 });
    this.marks = new Marks(this.world);
    for (const name of NAMES) this.#define(name);
    this.#openHost();
  }

  step(): void {
    const dice = this.#random();
    if (dice < 0.4) this.#hostActs();
    else if (dice < 0.84) this.#serverActs();
    else if (dice < 0.97) this.world.advance(this.#pick([1, 5, 5, 20, 100, 300, 1000, 5000, 20_000]));
    else if (dice < 0.972) this.world.advance(700_000);
    else this.#peopleAct();
  }

  /** Nobody asks or answers a question any more; servers answer calls, and time passes. */
  settle(): void {
    const { world } = this;
    const { parked, questions } = world.gateway.view;
    const isOpen = () =>
      parked.size + questions.size > 0 || [...world.hosts.values()].some((host) => host.open.size > 0);
    for (let round = 0; round < 400 && isOpen(); round++) {
      for (const process of [...world.processes.values()]) this.#finish(process);
      world.advance(20_000);
      this.#closeSingles();
    }
  }

  /** What servers that still run have asked in vain. */
  unanswered(): string[] {
    return [...this.world.processes.values()].flatMap((process) =>
      this.marks.openAt(process).map((id) => `${id} of ${process.instance}`),
    );
  }

  /** All hosts leave, and time passes for processes to end. */
  leave(): void {
    const { world } = this;
    for (const host of [...world.hosts.values()]) world.closeHost(host);
    for (let round = 0; round < 50; round++) {
      for (const process of [...world.processes.values()]) this.#finish(process);
      world.advance(60_000);
    }
  }

  // — hosts —

  #hostActs(): void {
    const { world } = this;
    this.#closeSingles();
    const host = this.#pick([...world.hosts.values()]);
    const dice = this.#random();
    if (host === undefined || (dice < 0.06 && world.hosts.size < HOSTS_MAX)) return this.#openHost();
    if (this.#isSingle(host)) return dice < 0.1 ? world.closeHost(host) : undefined;
    if (dice < 0.5) this.#call(host);
    else if (dice < 0.72) this.#answer(host);
    else if (dice < 0.86) this.#comeBack();
    else if (dice < 0.93) {
      const open = this.#pick([...host.open.keys()]);
      if (open !== undefined) world.cancel(host, open);
    } else if (dice < 0.95) world.closeHost(host);
    else if (host.era === 'legacy') {
      world.hostSends(host, { jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
      world.request(host, 'tools/list');
    }
  }

  #openHost(): void {
    const { world } = this;
    const session = `s${this.#count++}`;
    const capabilities = this.#pick(CAPABILITIES);
    const server = this.#random() < 0.15 ? this.#pick(NAMES) : null;
    const door: Door = {
      principal: this.#pick(['local', 'client:a']),
      scope: server === null ? { kind: 'all' } : { kind: 'server', server },
      cwd: this.#pick(['/a', '/b', null]),
      lasts: this.#random() < 0.2 ? 'request' : 'connection',
    };
    if (door.lasts === 'request') this.#call(world.modernHost(session, capabilities, door));
    else if (this.#random() < 0.5) world.legacyHost(session, capabilities, door);
    else world.modernHost(session, capabilities, door);
  }

  #call(host: SimulatedHost): void {
    const { scope } = this.#doorOf(host);
    const tool = this.#pick(TOOLS);
    const name = scope.kind === 'server' ? tool : `${this.#pick(NAMES)}__${tool}`;
    this.#send(host, name, `${host.session}/${this.#count++}`, {});
  }

  #send(host: SimulatedHost, name: string, mark: string, more: Record<string, unknown>): void {
    const { principal, scope } = this.#doorOf(host);
    const made = { mark, name, principal, scope: JSON.stringify(scope) };
    this.marks.calls(host, JSON.stringify(host.nextId), made);
    this.world.request(host, 'tools/call', { name, arguments: { mark }, ...more });
  }

  /** One of the questions of a host, now or late or twice, well or badly. */
  #answer(host: SimulatedHost): void {
    const { world } = this;
    const question = this.#pick(host.questions);
    if (question === undefined) return;
    const { id = null } = question;
    const dice = this.#random();
    if (dice < 0.9) host.questions.splice(host.questions.indexOf(question), 1);
    if (dice < 0.7) {
      const result = { action: 'accept', content: {}, mark: question.params?.['mark'] };
      world.hostSends(host, { jsonrpc: '2.0', id, result });
    } else if (dice < 0.8) world.hostSends(host, { jsonrpc: '2.0', id, error: { code: -1, message: 'no' } });
    else if (dice < 0.85)
      world.post({ type: 'host-deaf', session: host.session, question: JSON.stringify(question.id) });
    else {
      const other = this.#pick([...world.hosts.values()]);
      if (other !== undefined && other !== host)
        world.hostSends(other, { jsonrpc: '2.0', id, result: { mark: 'of a stranger' } });
    }
  }

  /** A modern host brings what it was asked for, or something else. */
  #comeBack(): void {
    const wish = this.#pick(this.marks.wishes);
    if (wish === undefined) return;
    if (this.#random() < 0.7) this.marks.wishes.splice(this.marks.wishes.indexOf(wish), 1);
    const dice = this.#random();
    const isForgery = dice < 0.4 && wish.state.startsWith('mcpd.');
    const hosts = [...this.world.hosts.values()].filter((host) => this.#mayComeBack(host, wish, isForgery));
    const host = this.#pick(hosts);
    if (host === undefined) return;
    if (isForgery) return this.#forge(host, wish);
    const answers = wish.marks.filter(() => this.#random() < 0.85);
    const inputResponses = Object.fromEntries(answers.map(([key, mark]) => [key, { action: 'accept', mark }]));
    this.#send(host, wish.name, wish.mark, { inputResponses, requestState: wish.state });
  }

  #mayComeBack(host: SimulatedHost, { principal, scope }: Wish, isForgery: boolean): boolean {
    if (host.era !== 'modern' || this.#isSingle(host)) return false;
    const door = this.#doorOf(host);
    return JSON.stringify(door.scope) === scope && (isForgery || door.principal === principal);
  }

  #forge(host: SimulatedHost, { name, state }: Wish): void {
    this.marks.counts.forged += 1;
    const mark = `forged ${this.#count++}`;
    const requestState = this.#pick([state, `${state}x`, state.replace(/\.\d+\./, '.9.'), 'mcpd.']);
    this.#send(host, name, mark, { inputResponses: {}, requestState });
  }

  #doorOf({ session }: SimulatedHost): Door {
    const door = this.world.gateway.view.sessions.get(session)?.door;
    if (door === undefined) throw new RangeError(`${session} has no session`);
    return door;
  }

  #isSingle(host: SimulatedHost): boolean {
    return this.#doorOf(host).lasts === 'request';
  }

  /** As their edge does behind the answer. */
  #closeSingles(): void {
    for (const host of [...this.world.hosts.values()])
      if (host.open.size === 0 && this.#isSingle(host)) this.world.closeHost(host);
  }

  // — servers —

  #serverActs(): void {
    const { world } = this;
    const process = this.#pick([...world.processes.values()]);
    if (process === undefined) return;
    this.#ready(process);
    if (process.stopping !== 'no' && this.#random() < 0.5) return world.serverExits(process, null, 'SIGTERM');
    const call = this.#pick(process.inbox.filter(({ method }) => method === 'tools/call'));
    const dice = this.#random();
    if (dice < 0.02) world.serverExits(process, 1);
    else if (dice < 0.1) this.#takeBack(process);
    else if (call === undefined) this.#askBetweenCalls(process);
    else if (dice < 0.45) this.#end(process, call);
    else this.#ask(process, call);
  }

  #ready(process: SimulatedProcess): void {
    const { character } = SERVERS[nameOf(process)] ?? { character: LEGACY };
    this.world.spawned(process.instance);
    answerOwn(this.world, process, character);
  }

  #end(process: SimulatedProcess, call: Message): void {
    process.inbox.splice(process.inbox.indexOf(call), 1);
    const answer = this.#random() < 0.9 ? { result: { content: [] } } : { error: { code: -1, message: 'no' } };
    this.world.serverSends(process, { jsonrpc: '2.0', id: call.id ?? null, ...answer });
  }

  #ask(process: SimulatedProcess, call: Message): void {
    const { mark = '' } = Object(call.params?.['arguments']) as { mark?: string };
    if (nameOf(process).startsWith('modern')) return this.#wish(process, call, mark);
    // It hears of a cancel at once, and goes on for a while.
    const cancelledAt = this.marks.cancelledAt(process, call.id);
    if (cancelledAt !== null && this.world.now - cancelledAt > 50_000) return this.#end(process, call);
    for (let asked = 0; asked === 0 || this.#random() < 0.3; asked++)
      this.#question(process, this.#pick(METHODS), mark);
  }

  #question(process: SimulatedProcess, method: string, mark: string): void {
    const id = this.#random() < 0.5 ? this.marks.nextId(process) : String(this.marks.nextId(process));
    this.marks.asks(process, id, mark);
    this.world.serverSends(process, { jsonrpc: '2.0', id, method, params: paramsFor(method, mark, this.#random()) });
  }

  #askBetweenCalls(process: SimulatedProcess): void {
    if (!process.instance.includes('@') || nameOf(process).startsWith('modern')) return;
    const isOpen = (this.world.gateway.view.instances.get(process.instance)?.link?.step ?? '') === 'ready';
    if (isOpen && this.#random() < 0.3) this.#question(process, 'roots/list', `own/${process.instance}`);
  }

  #wish(process: SimulatedProcess, call: Message, mark: string): void {
    process.inbox.splice(process.inbox.indexOf(call), 1);
    const meta = Object(call.params?.['_meta']) as Record<string, object>;
    const able = meta['io.modelcontextprotocol/clientCapabilities'] ?? {};
    const methods = METHODS.filter((method) => Object.hasOwn(able, method.split('/')[0] ?? ''));
    const chosen = methods.filter((method) => method !== 'elicitation/create' && this.#random() < 0.6);
    const inputRequests = Object.fromEntries(
      chosen.map((method) => [`k${this.#count++}`, { method, params: paramsFor(method, mark, 0) }]),
    );
    const requestState = `state ${mark} ${this.#count++}`;
    this.marks.gives(requestState);
    const result = { resultType: 'input_required', inputRequests, requestState };
    this.world.serverSends(process, { jsonrpc: '2.0', id: call.id ?? null, result });
  }

  #takeBack(process: SimulatedProcess): void {
    const id = this.#pick(this.marks.openAt(process));
    if (id === undefined) return;
    this.marks.takesBack(process, id);
    this.world.serverNotifies(process, 'notifications/cancelled', { requestId: JSON.parse(id) as unknown });
  }

  #finish(process: SimulatedProcess): void {
    this.#ready(process);
    for (const call of process.inbox.filter(({ method }) => method === 'tools/call')) this.#end(process, call);
    if (process.stopping !== 'no') this.world.serverExits(process, 0);
  }

  // — the person, and the registry —

  #peopleAct(): void {
    const { world } = this;
    const name = this.#pick(NAMES);
    const dice = this.#random();
    if (dice < 0.3)
      world.post({ type: 'command', server: name, command: this.#pick(['start', 'stop', 'restart'] as const) });
    else if (dice < 0.4) world.post({ type: 'server-removed', server: name });
    else if (dice < 0.5) world.post({ type: 'server-locked', server: name, lock: this.#pick([NO_LOGIN, null]) });
    else this.#define(name);
  }

  #define(name: string): void {
    const { character, sharing } = SERVERS[name] ?? { character: LEGACY, sharing: 'auto' as const };
    const definition = {
      ...definitionOf(name, 'on-demand', `print-${Math.floor(this.#random() * 2)}`),
      sharing: this.#random() < 0.8 ? sharing : this.#pick(['auto', 'shared', 'per-session'] as const),
      enabled: this.#random() < 0.9,
    };
    const memory = { ...memoryOf(definition, character), callsBack: name === 'auto' && this.#random() < 0.3 };
    this.world.post({ type: 'server-defined', definition, memory: this.#random() < 0.8 ? memory : null });
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }
}

function nameOf({ instance }: SimulatedProcess): string {
  return instance.split('@')[0] ?? '';
}

function paramsFor(method: string, mark: string, dice: number): Record<string, unknown> {
  if (method !== 'elicitation/create') return { mark, messages: [] };
  return dice < 0.3
    ? { mark, mode: 'url', url: 'https://a', message: 'm', elicitationId: mark }
    : { mark, message: 'm', requestedSchema: {} };
}
