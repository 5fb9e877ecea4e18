import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayEvent } from '../core/events.ts';
import type { HttpLaunch, InstanceKey, ProcessLedger, ServerName, StdioLaunch } from '../core/model.ts';
import { REAP_DELAY_MS, SERVER_UMASK } from '../limits.ts';
import type { Paths } from '../paths.ts';
import type { Bytes } from '../protocol/frame.ts';
import { type ChildSurroundings, ServerChild } from './child.ts';
import type { CommandLookup } from './command-path.ts';
import { Containers } from './containers.ts';
import { serverEnvironment } from './environment.ts';
import { valuesFor } from './given-variables.ts';
import { Guardian } from './guardian.ts';
import { findCommand, type LaunchPlan, planLaunch } from './launch-plan.ts';
import { createLoginPath } from './login-path.ts';
import { LoginShells } from './login-shells.ts';
import { markerOf } from './marker.ts';
import { commandLinesOf, createProcessScanner } from './process-scan.ts';
import { type FamilyTree, treeOf } from './process-tree.ts';
import { type ReapReport, reap } from './reaper.ts';
import type { RemoteAuth } from './remote/authorization.ts';
import { Connections } from './remote/connections.ts';
import type { RunningServer, ServerOrder } from './running-server.ts';
import { ServerLog } from './server-log.ts';
import type { ServerMasks } from './server-masks.ts';
import { TreeWatch } from './tree-watch.ts';

export interface ServerProcessesOptions {
  paths: Paths;
  /** Random, new with each daemon; no colon. */
  nonce: string;
  ledger: ProcessLedger;
  /** Never called from inside a call of `ServerProcesses`. */
  report(event: GatewayEvent): void;
  /** Monotonic milliseconds, for `at` of events. */
  now(): number;
  /** Resolves when secrets can be read, or it is known that they cannot. Never rejects. */
  secretsReady(): Promise<void>;
  /** All secrets of a server. @throws McpdError SECRETS_DAMAGED, SECRETS_LOCKED */
  secretsOf(server: ServerName): ReadonlyMap<string, string>;
  /** What hides the secrets of each server, and is told what it gets of the environment. */
  masks: Pick<ServerMasks, 'of' | 'learn'>;
  /** The daemon's environment, of which servers get a named part. */
  inherited: NodeJS.ProcessEnv;
  /** Who holds the logins for remote servers; nobody unless given. */
  auth?: RemoteAuth;
  /** File mode mask of servers; SERVER_UMASK unless given. */
  umask?: number;
}

interface InstanceTree extends FamilyTree {
  server: ServerName;
  instance: InstanceKey;
}

/** Everything that touches a running server, be it a process or a connection to one elsewhere. */
export interface ServerProcesses {
  /**
   * Answered by `server-spawned` and one `server-exited`, or by the latter alone.
   * @throws {RangeError} the instance has a process
   */
  spawn(order: ServerOrder): void;
  /** A message with its newline. `full` and `gone`: it was not taken. Sent at the end of this turn, or by `flush`. */
  write(instance: InstanceKey, generation: number, message: Bytes): 'ok' | 'full' | 'gone';
  flush(): void;
  stop(instance: InstanceKey, generation: number, kill: boolean): void;
  pid(instance: InstanceKey): number | null;
  tree(): Promise<InstanceTree[]>;
  /** Memory and CPU of the processes of each server. */
  readonly trees: TreeWatch;
  log(server: ServerName): ServerLog;
  /** Forgets the log of a server that was removed, with its files. */
  deleteLog(server: ServerName): Promise<void>;
  /** Ends what earlier daemons of this home left, after REAP_DELAY_MS. Spawns wait for it. Never rejects. */
  reap(): Promise<ReapReport>;
  /** Ends this process group (of an npm, say) should the daemon die before the returned function is called. */
  guard(pgid: number): () => void;
  /** Looks a command up as a server's start would. */
  findCommand(command: string, cwd: string): Promise<CommandLookup>;
  /** The environment that mcpd itself has, with the login shell's PATH: for npm. */
  ownEnvironment(): Promise<NodeJS.ProcessEnv>;
  /** Reads the login shell's PATH, anew if need be; the first spawn would wait for it. */
  prepare(): void;
  /** What hampers the processes as a whole (no guardian, no process table), for people. */
  findings(): string[];
  /** Kills what runs, ends the guardian, writes the logs. */
  dispose(): Promise<void>;
}

export function createServerProcesses(options: ServerProcessesOptions): ServerProcesses {
  return new Processes(options);
}

// — internal —

class Processes implements ServerProcesses {
  readonly trees: TreeWatch;
  readonly #options: ServerProcessesOptions;
  readonly #inherited: NodeJS.ProcessEnv;
  readonly #sources;
  readonly #children = new Map<InstanceKey, RunningServer>();
  readonly #logs = new Map<ServerName, ServerLog>();
  readonly #guardian: Guardian;
  readonly #scanner = createProcessScanner();
  readonly #shells: LoginShells;
  readonly #loginPath;
  /** Children that were written to since the last flush. */
  readonly #written = new Set<RunningServer>();
  readonly #connections: Connections;
  readonly #containers: Containers;
  /** Nothing is started before these. */
  #quiet: Promise<void> = Promise.resolve();
  #reaping: Promise<void> = Promise.resolve();
  readonly #reapFindings: string[] = [];

  constructor(options: ServerProcessesOptions) {
    this.#options = options;
    this.#guardian = new Guardian(options.paths.lostMark);
    this.#inherited = { HOME: homedir(), ...options.inherited };
    this.#shells = new LoginShells(this.#guardian);
    this.#sources = { ...options, inherited: this.#inherited, onShell: this.#shells.watch };
    this.#loginPath = createLoginPath(this.#inherited, this.#shells.watch);
    this.#connections = new Connections({ ...options, values: (definition) => valuesFor(definition, this.#sources) });
    this.#containers = new Containers(options.paths.containers, options.nonce, () => this.ownEnvironment());
    this.trees = new TreeWatch(this.#scanner, () => this.#children.values());
  }

  spawn(order: ServerOrder): void {
    const { instance, generation, definition } = order;
    if (this.#children.has(instance)) throw new RangeError(`${instance} has a process already`);
    const { launch } = definition;
    if (launch.kind === 'http') return this.#connect(order, launch);
    const log = this.log(definition.name);
    const { paths, nonce, ledger, now, umask = SERVER_UMASK } = this.#options;
    const marker = markerOf({ home: paths.home, nonce }, instance, generation);
    const surroundings: ChildSurroundings = {
      scanner: this.#scanner,
      guardian: this.#guardian,
      ledger,
      log,
      nonce,
      marker,
      umask,
      now,
      report: (event) => {
        if (event.type === 'server-exited') this.#forget(instance, child);
        this.#options.report(event);
      },
    };
    const child = new ServerChild(order, surroundings);
    this.#children.set(instance, child);
    this.trees.begin();
    void child.start((signal) => this.#plan(child, launch, marker, log, signal));
  }

  write(instance: InstanceKey, generation: number, message: Bytes): 'ok' | 'full' | 'gone' {
    const child = this.#children.get(instance);
    if (child === undefined || child.order.generation !== generation) return 'gone';
    const taken = child.write(message);
    if (taken === 'ok') this.#written.add(child);
    return taken;
  }

  flush(): void {
    for (const child of this.#written) child.flush();
    this.#written.clear();
  }

  stop(instance: InstanceKey, generation: number, kill: boolean): void {
    const child = this.#children.get(instance);
    if (child?.order.generation === generation) child.stop(kill);
  }

  pid(instance: InstanceKey): number | null {
    return this.#children.get(instance)?.pid ?? null;
  }

  async tree(): Promise<InstanceTree[]> {
    const table = await this.#scanner.fresh({ markers: true });
    const children = [...this.#children.values()];
    if (table !== null) for (const child of children) child.observe(table);
    const pids = children.flatMap((child) =>
      table === null || child.family === null ? [] : table.family(child.family).map((row) => row.pid),
    );
    const commands = await commandLinesOf(pids);
    return children.map(({ order, family }) => {
      const log = this.log(order.definition.name);
      const shown = (pid: number) => log.masked(commands.get(pid) ?? '');
      const tree = table === null || family === null ? { root: null, strays: [] } : treeOf(table, family, shown);
      return { server: order.definition.name, instance: order.instance, ...tree };
    });
  }

  log(server: ServerName): ServerLog {
    const known = this.#logs.get(server);
    if (known !== undefined) return known;
    const log = new ServerLog(this.#options.paths.logOf(server));
    this.#logs.set(server, log);
    return log;
  }

  async deleteLog(server: ServerName): Promise<void> {
    const log = this.log(server);
    this.#logs.delete(server);
    await log.deleteFiles();
  }

  reap(): Promise<ReapReport> {
    const { paths, nonce, ledger } = this.#options;
    this.#quiet = delay(REAP_DELAY_MS);
    const reaping = this.#quiet.then(() => reap(this.#scanner, { home: paths.home, nonce }, ledger));
    this.#reaping = reaping.then(({ fault, left }) => {
      if (fault !== null) this.#reapFindings.push(`the record of processes could not be used: ${fault}`);
      if (left.length > 0) this.#reapFindings.push(`processes of an earlier daemon do not end: ${left.join(', ')}`);
    });
    // When their clients have ended, which may just have started one. Not waited for: an engine that hangs must not keep servers from starting.
    void this.#reaping.then(() => this.#containers.sweep()).then((faults) => this.#reapFindings.push(...faults));
    return reaping;
  }

  prepare(): void {
    this.#loginPath.refresh();
  }

  guard(pgid: number): () => void {
    this.#guardian.add(pgid);
    return () => this.#guardian.remove(pgid);
  }

  async findCommand(command: string, cwd: string): Promise<CommandLookup> {
    const [loginPath, inherited, { platform }] = [await this.#loginPath.read(), this.#inherited, process];
    return findCommand(command, cwd, serverEnvironment({ inherited, loginPath, declared: {}, platform }));
  }

  async ownEnvironment(): Promise<NodeJS.ProcessEnv> {
    return { ...this.#inherited, PATH: await this.#loginPath.read() };
  }

  findings(): string[] {
    const own = [this.#guardian.finding(), this.#scanner.finding()].filter((finding) => finding !== null);
    return [...own, ...this.#reapFindings];
  }

  async dispose(): Promise<void> {
    const children = [...this.#children.values()];
    for (const child of children) child.stop(true);
    await Promise.all([...children.map((child) => child.ended), this.#shells.end()]);
    await this.#containers.settled();
    this.trees.end();
    await this.#guardian.close();
    await Promise.all(Array.from(this.#logs.values(), (log) => log.flush()));
  }

  /** A server that runs elsewhere needs no PATH, and nothing of it can be left over from before. */
  #connect(order: ServerOrder, launch: HttpLaunch): void {
    const { instance, definition } = order;
    const log = this.log(definition.name);
    log.maskWith(this.#options.masks.of(definition.name));
    const connection = this.#connections.open(order, launch, log, (event) => {
      if (event.type === 'server-exited') this.#forget(instance, connection);
      this.#options.report(event);
    });
    this.#children.set(instance, connection);
  }

  async #plan(
    child: ServerChild,
    launch: StdioLaunch,
    marker: string,
    log: ServerLog,
    signal: AbortSignal,
  ): Promise<LaunchPlan> {
    const { definition } = child.order;
    const { paths, secretsOf, masks } = this.#options;
    await this.#quiet;
    const [loginPath, variables] = await Promise.all([
      this.#loginPath.read(),
      valuesFor(definition, this.#sources),
      this.#reaping,
    ]);
    log.maskWith(masks.of(definition.name));
    // Stopped while it waited: perhaps uninstalled, and then its folder must not appear again.
    signal.throwIfAborted();
    return planLaunch(definition, launch, {
      inherited: this.#inherited,
      loginPath,
      variables,
      marker,
      containers: this.#containers.of(child.order),
      dataDir: paths.dataOf(definition.name),
      secret: (name) => secretsOf(definition.name).get(name),
    });
  }

  #forget(instance: InstanceKey, child: RunningServer): void {
    if (this.#children.get(instance) === child) this.#children.delete(instance);
    const { order } = child;
    this.#containers.ended(order, (fault) => this.log(order.definition.name).lifecycle('warn', fault));
  }
}
