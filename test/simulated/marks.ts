import type { SimulatedHost } from './hosts.ts';
import type { Message } from './messages.ts';
import type { SimulatedProcess } from './processes.ts';
import type { Watcher, World } from './world.ts';

/**
 * Each call carries a mark, each question the mark of the call that caused it, each answer that of the question. So it is seen at once when a
 * question comes to a host that did not cause it, an answer to another question, or a call twice.
 */

/** What a host was asked for by an answer. */
export interface Wish {
  principal: string;
  scope: string;
  name: string;
  mark: string;
  /** Of its questions, by key. */
  marks: (readonly [string, string])[];
  state: string;
}

interface Asked {
  mark: string;
  answers: number;
  takenBack: boolean;
}

interface Made {
  mark: string;
  name: string;
  principal: string;
  scope: string;
}

export class Marks implements Watcher {
  readonly wishes: Wish[] = [];
  readonly #world: World;
  /** Whose call it was, by mark: a session's, or a client's that comes with each request anew. */
  readonly #callers = new Map<string, string | undefined>();
  /** By session and key of the request. */
  readonly #made = new Map<string, Made>();
  readonly #arrived = new Set<string>();
  readonly #states = new Set<string>();
  readonly #asked = new WeakMap<SimulatedProcess, Map<string, Asked>>();
  readonly #cancelled = new WeakMap<SimulatedProcess, Map<unknown, number>>();
  /** What was seen, so that a test can tell that it was not nothing. */
  readonly counts = { asked: 0, atHosts: 0, answered: 0, wishes: 0, resumed: 0, forged: 0 };

  constructor(world: World) {
    this.#world = world;
    world.watcher = this;
  }

  /** A host is about to send this request. */
  calls(host: SimulatedHost, key: string, made: Made): void {
    this.#made.set(`${host.session}/${key}`, made);
    if (!this.#callers.has(made.mark)) this.#callers.set(made.mark, this.#whose(host));
  }

  /** One that this process has not used; each process begins anew. */
  nextId(process: SimulatedProcess): number {
    return mapOf(this.#asked, process).size;
  }

  /** A server is about to ask. */
  asks(process: SimulatedProcess, id: string | number, mark: string): void {
    this.counts.asked += 1;
    mapOf(this.#asked, process).set(JSON.stringify(id), { mark, answers: 0, takenBack: false });
  }

  /** Ids of what a server has asked and nobody has answered. */
  openAt(process: SimulatedProcess): string[] {
    const open = [...mapOf(this.#asked, process)].filter(([, one]) => one.answers === 0 && !one.takenBack);
    return open.map(([id]) => id);
  }

  takesBack(process: SimulatedProcess, id: string): void {
    const asked = mapOf(this.#asked, process).get(id);
    if (asked !== undefined) asked.takenBack = true;
  }

  gives(state: string): void {
    this.#states.add(state);
  }

  /** When the server was told that this call is cancelled. */
  cancelledAt(process: SimulatedProcess, id: Message['id']): number | null {
    return mapOf(this.#cancelled, process).get(id) ?? null;
  }

  toServer(process: SimulatedProcess, { id, method, params = {}, result }: Message): void {
    if (method === 'notifications/cancelled') mapOf(this.#cancelled, process).set(params['requestId'], this.#world.now);
    if (method === 'tools/call') this.#callArrives(process, params);
    const asked = method === undefined ? mapOf(this.#asked, process).get(JSON.stringify(id)) : undefined;
    if (asked === undefined) return;
    asked.answers += 1;
    this.counts.answered += 1;
    const { mark = asked.mark } = Object(result) as { mark?: string };
    ensure(asked.answers === 1, `${id} of ${process.instance} is answered ${asked.answers} times`);
    ensure(!asked.takenBack, `${id} of ${process.instance} was taken back`);
    ensure(mark === asked.mark, `${id} of ${process.instance} asks for ${asked.mark} and is answered by ${mark}`);
  }

  toHost(host: SimulatedHost, message: Message): void {
    const { id, method, params = {}, result } = message;
    if (method !== undefined) {
      if (id !== undefined) this.#questionArrives(host, method, params);
      return;
    }
    const made = this.#made.get(`${host.session}/${JSON.stringify(id)}`);
    if (made === undefined) return;
    ensure(!made.mark.startsWith('forged') || result === undefined, `${made.mark} was carried out`);
    const { resultType, inputRequests = {}, requestState = '' } = Object(result) as Wished;
    if (resultType !== 'input_required') return;
    ensure(host.era === 'modern', `${host.session} knows no input_required`);
    for (const { method: asked, params: facts } of Object.values(inputRequests)) {
      // It may be that of another call of the same host, which it has cancelled.
      const caller = this.#callers.get(String(facts['mark']));
      const isOwn = caller === this.#callers.get(made.mark) || caller === this.#whose(host);
      ensure(isOwn, `${made.mark} of ${host.session} is asked for the sake of ${String(facts['mark'])}`);
      ensureAble(host, asked, facts);
    }
    this.counts.wishes += 1;
    const marks = Object.entries(inputRequests).map(
      ([key, { params: facts }]) => [key, String(facts['mark'])] as const,
    );
    this.wishes.push({ ...made, marks, state: requestState });
    if (this.wishes.length > 30) this.wishes.shift();
  }

  // — internal —

  #whose({ session }: SimulatedHost): string | undefined {
    return this.#world.gateway.view.sessions.get(session)?.holder;
  }

  #callArrives(process: SimulatedProcess, params: Record<string, unknown>): void {
    const { mark = '' } = Object(params['arguments']) as { mark?: string };
    ensure(!mark.startsWith('forged'), `${mark} arrived at ${process.instance}`);
    const { requestState, inputResponses = {} } = params as {
      requestState?: string;
      inputResponses?: Record<string, { mark?: string }>;
    };
    const isRetry = requestState !== undefined || params['inputResponses'] !== undefined;
    if (process.instance.startsWith('modern')) {
      ensure(requestState === undefined || this.#states.has(requestState), `${requestState} is no state of a server`);
      for (const response of Object.values(inputResponses))
        ensure((response.mark ?? mark) === mark, `${mark} is answered by ${response.mark}`);
      if (isRetry) this.counts.resumed += 1;
      return;
    }
    ensure(!isRetry, `${process.instance} is a legacy server, and got a retry`);
    ensure(!this.#arrived.has(mark), `${mark} arrived at ${process.instance} a second time`);
    this.#arrived.add(mark);
  }

  #questionArrives(host: SimulatedHost, method: string, params: Record<string, unknown>): void {
    const mark = String(params['mark']);
    this.counts.atHosts += 1;
    ensure(host.era === 'legacy', `${host.session} is modern, and was asked`);
    ensureAble(host, method, params);
    if (!mark.startsWith('own/'))
      return ensure(this.#callers.get(mark) === host.session, `${host.session} is asked for the sake of ${mark}`);
    const placed = [...(this.#world.gateway.view.sessions.get(host.session)?.places.values() ?? [])];
    ensure(
      mark.endsWith(`@${host.session}`) || placed.some(({ key }) => `own/${key}` === mark),
      `${host.session} is asked for ${mark}, which is not its own`,
    );
  }
}

interface Wished {
  resultType?: string;
  inputRequests?: Record<string, { method: string; params: Record<string, unknown> }>;
  requestState?: string;
}

function mapOf<O extends object, K, V>(all: WeakMap<O, Map<K, V>>, owner: O): Map<K, V> {
  const found = all.get(owner) ?? new Map<K, V>();
  all.set(owner, found);
  return found;
}

function ensureAble(host: SimulatedHost, method: string, params: Record<string, unknown>): void {
  const { elicitation, sampling, roots } = host.capabilities as Record<string, Record<string, unknown> | undefined>;
  const modes =
    elicitation === undefined ? [] : [...('url' in elicitation ? ['url'] : ['form']), ...Object.keys(elicitation)];
  const able = {
    'elicitation/create': modes.includes(String(params['mode'] ?? 'form')),
    'sampling/createMessage': sampling !== undefined,
    'roots/list': roots !== undefined,
  }[method];
  ensure(able === true, `${host.session} cannot be asked for ${method}`);
}

function ensure(holds: boolean, otherwise: string): void {
  if (!holds) throw new RangeError(otherwise);
}
