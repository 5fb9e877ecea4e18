import type { CallRecord } from '../core/call-record.ts';
import type { Effect, GatewayEvent, TimerId, TrialOutcome } from '../core/events.ts';
import type { Gateway } from '../core/gateway.ts';
import type { ExposedName, ServerMemory, Transition, Wish } from '../core/model.ts';
import type { Bytes } from '../protocol/frame.ts';

/** What the runtime needs of the edges. Each is one function or a few; daemon.ts wires them. */
export interface Edges {
  now(): number;
  hosts: {
    send(
      session: string,
      bytes: Bytes,
      kind: 'answer' | 'question' | 'notice',
      id: string | null,
      about: string | null,
    ): void;
    close(session: string, reason: string): void;
  };
  servers: {
    spawn(effect: Extract<Effect, { type: 'spawn' }>): void;
    write(instance: string, generation: number, bytes: Bytes): 'ok' | 'full' | 'gone';
    stop(instance: string, generation: number, kill: boolean): void;
  };
  registry: {
    saveMemory(server: string, memory: ServerMemory): boolean;
    saveNames(names: readonly ExposedName[]): void;
    saveWish(server: string, wish: Wish): void;
  };
  history: { recordCall(record: CallRecord): number | null; recordTransition(transition: Transition): void };
  log(line: Extract<Effect, { type: 'log' }>): void;
  /** Something that people look at has changed. */
  publish(topic: 'server' | 'sessions', name: string): void;
  trialFinished(trial: string, outcome: TrialOutcome): void;
  allStopped(): void;
  /** A write to the registry went well, or not (full disk): then service goes on from memory, and somebody should know. */
  stored(fault: { thrown: unknown } | null): void;
}

/** Sees what passes between the core and servers, while somebody wants to. */
export interface Tap {
  /** Before the core has it; true: it is not for the core at all. */
  takes(event: GatewayEvent): boolean;
  /** After it was written. */
  wrote(effect: Extract<Effect, { type: 'to-server' }>): void;
}

/** Node's own bound: a longer timer would fire at once. What it is for looks at the clock again when it fires. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The one loop: takes an event, asks the core, performs the effects. Events that arrive while effects are performed wait in the queue, so
 * the core never runs inside itself.
 */
export class Runtime {
  /** How many it has taken. */
  events = 0;
  readonly #gateway: Gateway;
  readonly #edges: Edges;
  readonly #queue: GatewayEvent[] = [];
  readonly #timers = new Map<TimerId, NodeJS.Timeout>();
  #running = false;
  #tap: Tap | null = null;
  /** By instance: processes that serve no host, and whoever hears what they do. */
  readonly #aside = new Map<string, (event: GatewayEvent) => void>();

  constructor(gateway: Gateway, edges: Edges) {
    this.#gateway = gateway;
    this.#edges = edges;
  }

  /** Null: nobody looks any more. */
  attach(tap: Tap | null): void {
    this.#tap = tap;
  }

  /** What is reported of this instance goes to `take` and not to the core; returns the way back. */
  setAside(instance: string, take: (event: GatewayEvent) => void): () => void {
    this.#aside.set(instance, take);
    return () => this.#aside.delete(instance);
  }

  post(event: GatewayEvent): void {
    this.events++;
    if (this.#aside.size > 0 && 'instance' in event) {
      const take = this.#aside.get(event.instance);
      if (take !== undefined) return take(event);
    }
    if (this.#tap?.takes(event) === true) return;
    if (this.#running) {
      this.#queue.push(event);
      return;
    }
    this.#running = true;
    try {
      let next: GatewayEvent | undefined = event;
      while (next !== undefined) {
        for (const effect of this.#gateway.step(next)) this.#perform(effect);
        next = this.#queue.shift();
      }
    } finally {
      this.#running = false;
    }
  }

  /** Stops all timers; the daemon ends. */
  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #perform(effect: Effect): void {
    const edges = this.#edges;
    switch (effect.type) {
      case 'to-host':
        return edges.hosts.send(effect.session, effect.bytes, effect.class, effect.id, effect.about);
      case 'to-server':
        return this.#write(effect);
      case 'close-host':
        return edges.hosts.close(effect.session, effect.reason);
      case 'spawn':
        return edges.servers.spawn(effect);
      case 'stop-child':
        return edges.servers.stop(effect.instance, effect.generation, effect.kill);
      case 'arm-timer':
        return this.#arm(effect.timer, effect.afterMs);
      case 'disarm-timer':
        return this.#disarm(effect.timer);
      case 'save-memory':
        return this.#store(() => edges.registry.saveMemory(effect.server, effect.memory));
      case 'save-wish':
        return this.#store(() => edges.registry.saveWish(effect.server, effect.wish));
      case 'save-names':
        return this.#store(() => edges.registry.saveNames(effect.names));
      case 'record-call':
        edges.history.recordCall(effect.record);
        return;
      case 'record-transition':
        return edges.history.recordTransition(effect.transition);
      case 'log':
        return edges.log(effect);
      case 'publish':
        return edges.publish(effect.topic, effect.name);
      case 'trial-finished':
        return edges.trialFinished(effect.trial, effect.outcome);
      case 'all-stopped':
        return edges.allStopped();
    }
  }

  #write(effect: Extract<Effect, { type: 'to-server' }>): void {
    const { instance, generation, bytes, id } = effect;
    const taken = this.#edges.servers.write(instance, generation, bytes);
    if (taken === 'ok') this.#tap?.wrote(effect);
    // `gone` needs no answer here: its exit is reported, and fails what was open.
    if (taken !== 'full' || id === null) return;
    this.#queue.push({ type: 'server-full', at: this.#edges.now(), instance, generation, id });
  }

  #arm(timer: TimerId, afterMs: number): void {
    this.#disarm(timer);
    const handle = setTimeout(
      () => {
        this.#timers.delete(timer);
        this.post({ type: 'timer', at: this.#edges.now(), timer });
      },
      Math.min(afterMs, TIMER_MS_MAX),
    );
    this.#timers.set(timer, handle);
  }

  #disarm(timer: TimerId): void {
    const handle = this.#timers.get(timer);
    if (handle === undefined) return;
    clearTimeout(handle);
    this.#timers.delete(timer);
  }

  #store(write: () => unknown): void {
    try {
      write();
    } catch (thrown) {
      this.#edges.stored({ thrown });
      return;
    }
    this.#edges.stored(null);
  }
}
