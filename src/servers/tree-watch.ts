import type { ServerName } from '../core/model.ts';
import { PROCESS_SCAN_WATCHED_MS, TREE_SAMPLES_AGE_MS } from '../figures-limits.ts';
import { PROCESS_SCAN_EVERY_MS } from '../limits.ts';
import { showable } from '../text.ts';
import type { ProcessScanner } from './process-scan.ts';
import type { ProcessTable } from './process-table.ts';
import type { RunningServer } from './running-server.ts';
import { TreeHistory, type TreeSample, type TreeSamples } from './tree-history.ts';

/** Memory and CPU of all processes of one server. */
type TreeFigures =
  | { state: 'measured'; now: TreeSample; samples: TreeSamples }
  | { state: 'unknown'; reason: string; samples: TreeSamples };

type Looking = { name: 'resting' } | { name: 'waiting'; timer: NodeJS.Timeout } | { name: 'looking' };

/**
 * Looks at the processes of all servers, for their limits each PROCESS_SCAN_EVERY_MS and more often while somebody watches. Nothing is
 * looked at while nothing runs.
 */
export class TreeWatch {
  readonly #scanner: ProcessScanner;
  readonly #running: () => Iterable<RunningServer>;
  readonly #histories = new Map<ServerName, TreeHistory>();
  #looking: Looking = { name: 'resting' };
  #watchers = 0;
  #ended = false;

  constructor(scanner: ProcessScanner, running: () => Iterable<RunningServer>) {
    this.#scanner = scanner;
    this.#running = running;
  }

  /** Something runs that has to be looked at. */
  begin(): void {
    if (this.#looking.name === 'resting') this.#wait();
  }

  /** Looks at once, and then more often, until the returned function is called. */
  watch(): () => void {
    this.#watchers += 1;
    if (this.#watchers === 1 && this.#looking.name === 'waiting') {
      clearTimeout(this.#looking.timer);
      void this.#look();
    }
    let over = false;
    return () => {
      if (!over) this.#watchers -= 1;
      over = true;
    };
  }

  of(server: ServerName): TreeFigures {
    const history = this.#histories.get(server);
    const samples = history?.samples() ?? { at: [], rssBytes: [], cpuPercent: [] };
    const own = [...this.#running()].filter(({ order }) => order.definition.name === server && order.isAside !== true);
    const now = own.length === 0 ? null : (history?.now() ?? null);
    return now === null
      ? { state: 'unknown', reason: this.#whyUnknown(own), samples }
      : { state: 'measured', now, samples };
  }

  /** What was seen of each server, also of those that rest by now. */
  seen(): { server: ServerName; rssBytes: number; cpuMs: number | null }[] {
    return Array.from(this.#histories, ([server, history]) => {
      return { server, rssBytes: history.now()?.rssBytes ?? 0, cpuMs: history.cpuMs };
    });
  }

  /** Of a server that was uninstalled: another one of its name begins anew. */
  forget(server: ServerName): void {
    this.#histories.delete(server);
  }

  end(): void {
    this.#ended = true;
    if (this.#looking.name === 'waiting') clearTimeout(this.#looking.timer);
  }

  #wait(): void {
    if (this.#ended) return;
    const everyMs = this.#watchers > 0 ? PROCESS_SCAN_WATCHED_MS : PROCESS_SCAN_EVERY_MS;
    const timer = setTimeout(() => void this.#look(), everyMs);
    timer.unref();
    this.#looking = { name: 'waiting', timer };
  }

  async #look(): Promise<void> {
    this.#looking = { name: 'looking' };
    const table = await this.#scanner.fresh({ markers: false });
    if (table !== null) this.#take(table);
    const [any] = this.#running();
    if (any === undefined) this.#looking = { name: 'resting' };
    else this.#wait();
  }

  #take(table: ProcessTable): void {
    const rows = new Map<ServerName, ReturnType<ProcessTable['family']>>();
    for (const one of this.#running()) {
      one.observe(table);
      if (one.family === null || one.order.isAside === true) continue;
      const server = one.order.definition.name;
      rows.set(server, [...(rows.get(server) ?? []), ...table.family(one.family)]);
    }
    const [at, clockMs] = [Date.now(), performance.now()];
    for (const [server, members] of rows) {
      if (members.length === 0) continue;
      const history = this.#histories.get(server) ?? new TreeHistory();
      this.#histories.set(server, history);
      history.look(at, clockMs, members);
    }
    for (const [server, history] of this.#histories) {
      if ((rows.get(server)?.length ?? 0) > 0) continue;
      history.rest();
      if (at - (history.last()?.at ?? 0) > TREE_SAMPLES_AGE_MS) this.#histories.delete(server);
    }
  }

  #whyUnknown(own: readonly RunningServer[]): string {
    if (own.length === 0) return 'it does not run';
    if (own.every(({ order }) => order.definition.launch.kind === 'http')) return 'it runs elsewhere';
    const finding = this.#scanner.finding();
    if (finding !== null) return showable(finding);
    return process.platform === 'win32' ? 'processes are not listed on Windows' : 'it was not looked at yet';
  }
}
