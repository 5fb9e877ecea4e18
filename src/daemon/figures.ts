import type { History } from '../../registry/history.ts';
import type { FiguresEvent, ServerFigures } from '../api/contract/figures.ts';
import type { FiguresControl } from '../api/daemon-control.ts';
import { openCallsOf } from '../core/instance.ts';
import type { CallRecord, Transition } from '../core/model.ts';
import { StartCount } from '../core/start-count.ts';
import type { Core } from '../core/state.ts';
import { unknownServer } from '../unknown-server.ts';
import { LatencyHistogram, NO_LATENCY } from './figure-latency.ts';
import { MinuteCounters, noMinutes } from './figure-minutes.ts';
import { SessionUses } from './figure-sessions.ts';
import { FiguresFeed } from './figures-feed.ts';
import type { Parts } from './parts.ts';

/** How the servers fare: counted with every call, under 2 kB a server that is called, and told to whoever watches. */
export class Figures implements FiguresControl {
  readonly #parts: Pick<Parts, 'gateway' | 'history' | 'processes'>;
  readonly #counters = new Map<string, Counters>();
  readonly #starts = new Map<string, StartCount>();
  readonly #uses = new SessionUses();
  readonly #feed: FiguresFeed;

  constructor(parts: Pick<Parts, 'gateway' | 'history' | 'processes'>) {
    this.#parts = parts;
    this.#feed = new FiguresFeed({ figures: () => this.#each(), beginLooking: () => parts.processes.trees.watch() });
  }

  /** On its way to the history. */
  readonly history: Pick<History, 'recordCall' | 'recordTransition'> = {
    recordCall: (record) => {
      const id = this.#parts.history.recordCall(record);
      this.#count(record, Date.now());
      this.#feed.callEnded(record, id);
      return id;
    },
    recordTransition: (transition) => {
      this.#parts.history.recordTransition(transition);
      this.#countStart(transition);
    },
  };

  all(): ServerFigures[] {
    return [...this.#each()];
  }

  of(name: string): ServerFigures {
    const { view } = this.#parts.gateway;
    if (!view.servers.has(name)) throw unknownServer(name, [...view.servers.keys()]);
    return this.#figures(name, this.#uses.byServer(view, Date.now()).get(name), countsByServer(view).get(name));
  }

  watch(listener: (event: FiguresEvent) => void): () => void {
    return this.#feed.watch(listener);
  }

  /** It was uninstalled: another one of its name begins anew. */
  forget(name: string): void {
    this.#counters.delete(name);
    this.#starts.delete(name);
    this.#parts.processes.trees.forget(name);
  }

  *#each(): Generator<ServerFigures> {
    const { view } = this.#parts.gateway;
    const sessions = this.#uses.byServer(view, Date.now());
    const counts = countsByServer(view);
    for (const name of [...view.servers.keys()].sort())
      if (view.servers.has(name)) yield this.#figures(name, sessions.get(name), counts.get(name));
  }

  #count({ server, session, outcome, totalMs }: CallRecord, at: number): void {
    const { view } = this.#parts.gateway;
    // Its last calls may end when it is uninstalled already.
    if (!view.servers.has(server)) return;
    let counters = this.#counters.get(server);
    if (counters === undefined) {
      counters = { minutes: new MinuteCounters(), latency: new LatencyHistogram() };
      this.#counters.set(server, counters);
    }
    counters.minutes.add(at, outcome !== 'ok' && outcome !== 'cancelled');
    if (outcome === 'ok' || outcome === 'tool-error') counters.latency.add(at, totalMs);
    this.#uses.called(view, session, server, at);
  }

  #countStart({ server, from, to }: Transition): void {
    if (!this.#parts.gateway.view.servers.has(server)) return;
    const starts = this.#starts.get(server) ?? new StartCount();
    this.#starts.set(server, starts);
    starts.moved({ from, to });
  }

  #figures(name: string, sessions: string[] = [], counts = NO_COUNTS): ServerFigures {
    const at = Date.now();
    const counters = this.#counters.get(name);
    return {
      name,
      perMinute: counters?.minutes.figures(at) ?? noMinutes(at),
      latency: counters?.latency.figures(at) ?? NO_LATENCY,
      tree: this.#parts.processes.trees.of(name),
      restarts: this.#starts.get(name)?.restarts ?? 0,
      sessions,
      ...counts,
    };
  }
}

// — internal —

interface Counters {
  minutes: MinuteCounters;
  latency: LatencyHistogram;
}

type Counts = Pick<ServerFigures, 'openCalls' | 'calls' | 'errors'>;

const NO_COUNTS: Counts = { openCalls: 0, calls: 0, errors: 0 };

function countsByServer({ instances }: Pick<Core, 'instances'>): Map<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const instance of instances.values()) {
    if (instance.purpose.kind !== 'serve') continue;
    const { openCalls, calls, errors } = counts.get(instance.server) ?? NO_COUNTS;
    counts.set(instance.server, {
      openCalls: openCalls + openCallsOf(instance),
      calls: calls + instance.counters.calls,
      errors: errors + instance.counters.errors,
    });
  }
  return counts;
}
