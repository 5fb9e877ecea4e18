import { join } from 'node:path';
import type { History } from '../../registry/history.ts';
import { openRegistry, type Registry } from '../../registry/registry.ts';
import type { DaemonStatus, ShutdownRequest } from '../api/contract.ts';
import { type Api, createApi } from '../api/listen.ts';
import { keptToken } from '../api/token.ts';
import { ClientTokens } from '../client-tokens.ts';
import type { Gateway } from '../core/gateway.ts';
import type { ServerDefinition, ServerMemory, Wish } from '../core/model.ts';
import { systemKeyring } from '../keyring.ts';
import { KEYRING_PROMPT_MS, KEYRING_START_MS } from '../operation-limits.ts';
import { packageRoot } from '../package-root.ts';
import { type Paths, portOf } from '../paths.ts';
import type { SecretSurroundings } from '../secret-keys.ts';
import { openSecrets, type Secrets } from '../secrets.ts';
import type { ServerMasks } from '../servers/server-masks.ts';
import { createServerProcesses, type ServerProcesses } from '../servers/server-processes.ts';
import { Agreements } from './agreements.ts';
import { closeInOrder } from './closing.ts';
import { Condition } from './condition.ts';
import { Control } from './control.ts';
import { Ending, type EndReason } from './ending.ts';
import { Figures } from './figures.ts';
import { createGateway, newGeneration } from './gateway.ts';
import { heapForCalls } from './heap-options.ts';
import { leaveHint, removeHint } from './hint.ts';
import { historyOf } from './history.ts';
import { HomeWatch } from './home-watch.ts';
import { createHosts, type Hosts } from './hosts.ts';
import { InstallWork } from './install-work.ts';
import { LiveEvents } from './live-events.ts';
import { Logins } from './logins.ts';
import { masksOf } from './masks.ts';
import type { Parts } from './parts.ts';
import { Proofs } from './proofs.ts';
import { toEach } from './recorders.ts';
import { type Edges, Runtime } from './runtime.ts';
import { DaemonTelemetry } from './telemetry.ts';
import { logText, shown } from './views.ts';
import { ServerWaits } from './waiting.ts';
import { Watching } from './watching.ts';

export interface Daemon {
  /** Begins the orderly end; `atOnce` skips the drain. Later calls only hurry it. */
  end(atOnce: boolean): void;
  /** Resolves when everything has ended and all files are closed. */
  readonly ended: Promise<EndReason>;
  /** What it is doing, for SIGQUIT: no secrets, no arguments, no results. */
  dump(): string;
  /** How many events its core has taken: it is idle while they hardly grow. */
  events(): number;
  /** Forgets what can be read again from the disk. */
  reload(): void;
  /** Whoever kept it running has ended. */
  abandon(): void;
}

/**
 * Opens the files, wires all parts and listens. The caller holds the lock and has changed into the home.
 * @throws {McpdError} REGISTRY_DAMAGED, REGISTRY_NEWER, HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
 */
export async function startDaemon(paths: Paths, engine: DaemonStatus['engine'], warnings: string[]): Promise<Daemon> {
  // Before the registry: a keyring is asked meanwhile.
  const secrets = await openSecrets(paths, secretSurroundings());
  const registry = openRegistry(paths);
  const startedAt = Date.now();
  let daemon: WiredDaemon | null = null;
  const masks = masksOf(secrets, (server) => daemon?.gateway.view.servers.get(server)?.definition.launch ?? null);
  const history = historyOf(paths, masks, startedAt);
  await secrets.ready(KEYRING_START_MS);
  daemon = new WiredDaemon({ paths, engine, warnings, startedAt, registry, secrets, masks, history });
  await daemon.begin();
  return daemon;
}

// — internal —

/** The key of the secrets is for the daemon alone: nothing that it starts finds it in its environment. */
function secretSurroundings(): SecretSurroundings {
  const env = { ...process.env };
  delete process.env['MCPD_SECRET_KEY'];
  return { env, keyring: systemKeyring() };
}

interface Given {
  paths: Paths;
  engine: DaemonStatus['engine'];
  warnings: readonly string[];
  /** Epoch milliseconds. */
  startedAt: number;
  registry: Registry;
  secrets: Secrets;
  masks: ServerMasks;
  history: History;
}

/** All parts, each made with what it needs of the others. None of them knows this class: they get functions, or the `Parts` they name. */
class WiredDaemon implements Daemon, Parts {
  readonly paths: Paths;
  readonly registry: Registry;
  readonly secrets: Secrets;
  readonly masks: ServerMasks;
  readonly clients: ClientTokens;
  readonly history: History;
  readonly figures: Figures;
  readonly gateway: Gateway;
  readonly runtime: Runtime;
  readonly processes: ServerProcesses;
  readonly logins: Logins;
  readonly hosts: Hosts;
  readonly installs: InstallWork;
  readonly live: LiveEvents;
  readonly waits: ServerWaits;
  readonly watching: Watching;
  readonly telemetry: DaemonTelemetry;
  readonly proofs: Proofs;
  readonly agreements: Agreements;
  readonly ended: Promise<EndReason>;
  readonly now = () => performance.now();
  readonly #ending = new Ending();
  readonly #condition: Condition;
  readonly #api: Api;
  readonly #home: HomeWatch;

  constructor({ paths, engine, warnings, startedAt, registry, secrets, masks, history }: Given) {
    this.paths = paths;
    this.registry = registry;
    this.secrets = secrets;
    this.masks = masks;
    this.clients = new ClientTokens(registry);
    this.proofs = new Proofs(registry);
    this.agreements = new Agreements(this);
    this.history = history;
    this.#condition = new Condition(this, { engine, warnings, startedAt });
    this.telemetry = new DaemonTelemetry(this, startedAt);
    this.logins = new Logins(this, () => this.#api.port());
    const generation = newGeneration();
    this.gateway = createGateway(registry.allNames(), generation, keptToken(paths.token));
    this.processes = this.#createProcesses(generation);
    this.figures = new Figures(this);
    this.live = new LiveEvents(this);
    this.installs = new InstallWork(this);
    this.hosts = createHosts(this, generation, (event) => this.runtime.post(event));
    this.runtime = new Runtime(this.gateway, this.#edges());
    this.waits = new ServerWaits(this.gateway);
    this.watching = new Watching(this);
    this.#api = this.#createApi();
    this.#home = new HomeWatch(paths.home);
    this.ended = this.#ending.stopped.then(() => this.#close());
  }

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  async begin(): Promise<void> {
    // Bound already, before a server is known: a host that connects now waits a moment instead of finding nobody.
    const listening = this.hosts.listen();
    void this.processes.reap();
    const definitions = this.registry.allServers();
    const memories = this.registry.allMemories();
    const wishes = this.registry.allWishes();
    for (const definition of definitions)
      this.#define(definition, memories.get(definition.name) ?? null, wishes.get(definition.name) ?? null);
    this.agreements.lookSoon();
    this.watching.follow(definitions);
    if (this.secrets.damage !== null) void this.secrets.ready(KEYRING_PROMPT_MS).then(() => this.telemetry.readAgain());
    await listening;
    await this.#api.listen();
    this.#home.begin(this.paths, (path) => this.#homeGone(path));
    leaveHint(this.paths, this.#api.port());
  }

  announce(definition: ServerDefinition, memory: ServerMemory | null): void {
    this.#define(definition, memory);
    this.watching.follow(this.registry.allServers());
  }

  stop(request: ShutdownRequest): void {
    this.#end(request, 'person');
  }

  end(atOnce: boolean): void {
    this.#end({ now: atOnce }, 'signal');
  }

  status(): DaemonStatus {
    const { state } = this.#ending;
    return this.#condition.status({ state, port: this.#api.port(), apiWarnings: this.#api.warnings() });
  }

  dump(): string {
    const [servers, sessions] = [this.gateway.statuses().map((one) => shown(one, this.masks)), this.gateway.sessions()];
    return JSON.stringify({ status: this.status(), servers, sessions }, null, 2);
  }

  events(): number {
    return this.runtime.events;
  }

  reload(): void {
    this.processes.prepare();
  }

  abandon(): void {
    this.#condition.abandon();
  }

  #end({ now = false, successor = false }: ShutdownRequest, reason: EndReason): void {
    if (this.#ending.begin(reason, successor)) {
      // `down` is said of every server. Whatever else ends a daemon, the next one takes up what this one leaves.
      if (reason === 'person' && !successor) this.#condition.storing(() => this.registry.forgetWishes());
      this.hosts.drain(successor ? 'upgrade' : 'stopping');
      this.live.stopping();
    }
    this.runtime.post({ type: 'shutdown', at: this.now(), now });
  }

  #homeGone(path: string): void {
    if (this.#ending.state === 'stopping') return;
    console.error(
      `mcpd: ${path} was moved, removed or replaced, and no command finds this daemon without it, so it ends`,
    );
    this.#end({}, 'home-gone');
  }

  /** `wish`: what a person said to a daemon before this one. */
  #define(definition: ServerDefinition, memory: ServerMemory | null, wish?: Wish): void {
    const said = wish === undefined ? {} : { wish };
    this.runtime.post({ type: 'server-defined', at: this.now(), definition, memory, ...said });
  }

  #createProcesses(generation: string): ServerProcesses {
    return createServerProcesses({
      paths: this.paths,
      nonce: generation,
      ledger: this.registry.ledger,
      report: (event) => this.runtime.post(event),
      now: this.now,
      secretsReady: () => this.secrets.ready(),
      secretsOf: (server) => this.secrets.mapOf(server),
      masks: this.masks,
      auth: this.logins.remote,
      inherited: process.env,
    });
  }

  #createApi(): Api {
    const { home, apiSocket, token } = this.paths;
    return createApi({
      control: new Control(this),
      home,
      socket: apiSocket,
      token: keptToken(token),
      scrapeToken: () => this.telemetry.scrapeToken(),
      port: portOf(home),
      front: this.hosts.http,
      assets: join(packageRoot(), 'dist', 'dashboard'),
      callback: (target) => this.logins.remote.callback(target),
    });
  }

  #edges(): Edges {
    return {
      now: this.now,
      hosts: this.hosts.edge,
      servers: this.processes,
      registry: this.agreements.watching(this.registry),
      history: toEach(this.figures.history, this.telemetry, this.proofs, heapForCalls),
      log: (line) => this.processes.log(line.server).lifecycle(line.level, logText(line)),
      publish: (topic, name) => {
        if (topic === 'server') this.waits.changed(name);
        this.live.published(topic, name);
      },
      trialFinished: (trial, outcome) => this.installs.trials.finished(trial, outcome),
      allStopped: () => this.#ending.allStopped(),
      stored: (fault) => this.#condition.stored(fault),
    };
  }

  /** In this order: nothing that is still open may ask for what is closed. */
  async #close(): Promise<EndReason> {
    this.#home.close();
    await closeInOrder({
      installs: () => this.installs.end(),
      logins: () => this.logins.close(),
      hosts: () => this.hosts.stop(),
      timers: () => this.runtime.dispose(),
      watching: () => this.watching.close(),
      telemetry: () => this.telemetry.close(),
      servers: () => this.processes.dispose(),
      history: () => this.history.close(this.#ending.why),
      'control API': () => this.#api.close(),
      secrets: () => this.secrets.settled(),
      registry: () => this.registry.close(),
      hint: () => this.#home.isThere() && removeHint(this.paths),
    });
    return this.#ending.reason;
  }
}
