import type { CallRecord } from '../core/call-record.ts';
import type { ServerName, Transition } from '../core/model.ts';
import { StartCount } from '../core/start-count.ts';
import {
  DURATION_BOUNDS_S,
  METRICS_METHODS_MAX,
  METRICS_SERIES_MAX,
  METRICS_SERVERS_MAX,
} from '../telemetry-limits.ts';

type Outcome = CallRecord['outcome'];

/** What one server was asked since the daemon started. */
export interface ServerTally {
  /** Calls by their outcome, of each method. */
  readonly methods: ReadonlyMap<string, ReadonlyMap<Outcome, number>>;
  /** The same of each tool. */
  readonly tools: ReadonlyMap<string, ReadonlyMap<Outcome, number>>;
  /** From arrival to answer. */
  readonly duration: DurationTally;
  /** Until a process took it: waiting for its start, or for its turn. */
  readonly queue: DurationTally;
  readonly starts: Readonly<Pick<StartCount, 'starts' | 'restarts'>>;
}

export interface DurationTally {
  /** One more than DURATION_BOUNDS_S, for what took longer. Not cumulative. */
  readonly counts: Float64Array;
  readonly sumMs: number;
}

/** What has no series of its own is counted under this name; no server can have it. */
const OTHERS = '_other';

/**
 * Counts calls and starts whether or not anybody reads them, so that a reader who comes late sees all of them. Exact, also where the
 * history leaves calls out, and bounded, whatever names hosts and servers think of.
 */
export class Tally {
  readonly #servers = new Map<ServerName, Counted>();
  #tools = 0;

  get servers(): ReadonlyMap<ServerName, ServerTally> {
    return this.#servers;
  }

  called({ server, method, target, outcome, queuedMs, totalMs }: CallRecord): void {
    const counted = this.#of(server);
    add(seriesOf(counted.methods, method, METRICS_METHODS_MAX), outcome);
    if (method === 'tools/call') add(this.#toolOf(counted.tools, target), outcome);
    observe(counted.duration, totalMs);
    observe(counted.queue, queuedMs);
  }

  moved({ server, from, to }: Transition): void {
    if (to === 'starting' || this.#servers.has(server)) this.#of(server).starts.moved({ from, to });
  }

  #of(server: ServerName): Counted {
    const known = this.#servers.get(server);
    if (known !== undefined) return known;
    if (this.#servers.size >= METRICS_SERVERS_MAX && server !== OTHERS) return this.#of(OTHERS);
    const fresh = newTally();
    this.#servers.set(server, fresh);
    return fresh;
  }

  #toolOf(tools: Map<string, Series>, tool: string): Series {
    const known = tools.get(tool);
    if (known !== undefined) return known;
    if (this.#tools < METRICS_SERIES_MAX) this.#tools += 1;
    else if (tool !== OTHERS) return this.#toolOf(tools, OTHERS);
    const series: Series = new Map();
    tools.set(tool, series);
    return series;
  }
}

// — internal —

type Series = Map<Outcome, number>;

interface Counted extends ServerTally {
  readonly methods: Map<string, Series>;
  readonly tools: Map<string, Series>;
  readonly duration: { counts: Float64Array; sumMs: number };
  readonly queue: { counts: Float64Array; sumMs: number };
  readonly starts: StartCount;
}

const BOUNDS_MS = DURATION_BOUNDS_S.map((seconds) => seconds * 1000);

function newTally(): Counted {
  const durations = () => ({ counts: new Float64Array(BOUNDS_MS.length + 1), sumMs: 0 });
  return { methods: new Map(), tools: new Map(), duration: durations(), queue: durations(), starts: new StartCount() };
}

function seriesOf(all: Map<string, Series>, name: string, max: number): Series {
  const known = all.get(name);
  if (known !== undefined) return known;
  if (all.size >= max && name !== OTHERS) return seriesOf(all, OTHERS, max);
  const series: Series = new Map();
  all.set(name, series);
  return series;
}

function add(series: Series, outcome: Outcome): void {
  series.set(outcome, (series.get(outcome) ?? 0) + 1);
}

function observe(tally: { counts: Float64Array; sumMs: number }, ms: number): void {
  let place = 0;
  while (place < BOUNDS_MS.length && ms > (BOUNDS_MS[place] ?? 0)) place += 1;
  tally.counts[place] = (tally.counts[place] ?? 0) + 1;
  tally.sumMs += ms;
}
