import type { CallDetail, CallPage, CallQuery } from '../api/contract/calls.ts';
import type {
  NewToken,
  SecretChange,
  SecretInfo,
  SecretRequest,
  TokenInfo,
  TokenRequest,
} from '../api/contract/credentials.ts';
import type { LoginEvent, LoginRequest } from '../api/contract/logins.ts';
import type { TryAnswer, TryEvent, TryRequest } from '../api/contract/tries.ts';
import type {
  AddRequest,
  ApplyRequest,
  ApplyResult,
  CatalogHit,
  DaemonStatus,
  DeclaredSet,
  InstallEvent,
  InstallPlan,
  InstallRequest,
  LiveEvent,
  LogLine,
  ProcessTree,
  ServerCommand,
  ServerInfo,
  ServerPatch,
  SessionStatus,
  ShutdownRequest,
  ToolInfo,
} from '../api/contract.ts';
import type { DaemonControl, TelemetryControl } from '../api/daemon-control.ts';
import type { RecordingControl } from '../api/recording-control.ts';
import type { ServerStatus } from '../core/model.ts';
import { instancesOf } from '../core/places.ts';
import { McpdError } from '../errors.ts';
import type { Installer } from '../install/install.ts';
import { unknownServer } from '../unknown-server.ts';
import type { Figures } from './figures.ts';
import type { Parts } from './parts.ts';
import { isAtRest, isUpOrDown } from './settled.ts';
import { startFailure } from './start-failure.ts';
import { removeSecrets, secretRows, setSecret } from './stored-secrets.ts';
import { listsOf, shown, toolsOf } from './views.ts';

/** Transitions shown of one server. */
const TRANSITIONS_SHOWN = 50;

/** What the control API can do, carried out by the daemon's parts. */
export class Control implements DaemonControl {
  readonly figures: Figures;
  readonly #parts: Parts;
  /** Under way. */
  #installs = 0;
  #recordings: Promise<RecordingControl> | null = null;
  readonly #watchers = new Set<(event: LiveEvent) => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.figures = parts.figures;
  }

  get telemetry(): TelemetryControl {
    return this.#parts.telemetry;
  }

  status(): DaemonStatus {
    return this.#parts.status();
  }

  servers(): ServerStatus[] {
    return this.#parts.gateway.statuses().map(shown);
  }

  async server(name: string): Promise<ServerInfo> {
    const { gateway, paths, secrets } = this.#parts;
    const status = this.#known(name);
    const known = gateway.view.servers.get(name);
    return {
      ...shown(status),
      instructions: known?.memory?.instructions ?? null,
      serverInfo: JSON.parse(known?.memory?.serverInfo ?? 'null'),
      capabilities: JSON.parse(known?.memory?.capabilities ?? 'null'),
      lists: listsOf(gateway, name),
      exits: gateway.view.instances.get(name)?.exits ?? [],
      transitions: await this.#parts.history.transitions(name, TRANSITIONS_SHOWN),
      logFile: paths.logOf(name),
      secrets: secrets.names(name),
      ...this.#parts.logins.info(name),
    };
  }

  tools(server: string | null): ToolInfo[] {
    if (server !== null) this.#known(server);
    return toolsOf(this.#parts.gateway, server);
  }

  sessions(): SessionStatus[] {
    return this.#parts.gateway.sessions();
  }

  async plan(request: InstallRequest, options: { exact: boolean }): Promise<InstallPlan> {
    return (await this.#installer()).plan(request, options);
  }

  async install(request: InstallRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void> {
    await this.#installing((installer) => installer.install(request, report, signal));
  }

  async add(request: AddRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void> {
    await this.#installing((installer) => installer.add(request, report, signal));
  }

  async patch(name: string, patch: ServerPatch): Promise<ServerStatus> {
    this.#known(name);
    const { registry, waits } = this.#parts;
    await (await import('../install/uninstall.ts')).checkNotDeclared(registry.server(name));
    const definition = registry.patch(name, patch);
    const memory = registry.memoryOf(name, definition.fingerprint);
    this.#parts.announce(definition, memory);
    // A disabled server is gone when the answer comes: nobody should find its process still there.
    const settled = patch.enabled === false ? await waits.until(name, isAtRest) : this.#known(name);
    return settled ?? this.#known(name);
  }

  async command(name: string, command: ServerCommand): Promise<ServerStatus> {
    const before = this.#known(name);
    const { runtime, now, waits } = this.#parts;
    if (command !== 'stop' && !before.enabled) {
      throw new McpdError('SERVER_DISABLED', { what: `${name} is disabled`, fix: `mcpd enable ${name}` });
    }
    runtime.post({ type: 'command', at: now(), server: name, command });
    const status = await waits.until(name, command === 'stop' ? isAtRest : isUpOrDown);
    if (status === null) throw new McpdError('SERVER_UNKNOWN', { what: `${name} was uninstalled meanwhile` });
    if (command === 'stop' || status.state === 'running') return status;
    throw startFailure(status);
  }

  async uninstall(name: string, options: { purge: boolean }): Promise<void> {
    // Also an entry that the registry cannot read, which the core has never heard of: the installer knows better what there is.
    await (await this.#installer()).uninstall(name, options);
  }

  async catalog(query: string): Promise<CatalogHit[]> {
    return (await this.#parts.installing()).catalog(query);
  }

  logs(name: string, options: { lines: number; since: number | null }): Promise<LogLine[]> {
    this.#known(name);
    return this.#parts.processes.log(name).lines(options);
  }

  followLogs(name: string, listener: (line: LogLine) => void, gone: () => void): () => void {
    this.#known(name);
    const log = this.#parts.processes.log(name);
    const stop = log.follow(listener);
    const stopWatching = this.watch((event) => {
      if (
        event.type !== 'server-removed' ||
        event.name !== name ||
        instancesOf(this.#parts.gateway.view, name).length > 0
      )
        return;
      void log.flush().then(gone);
    });
    return () => {
      stop();
      stopWatching();
    };
  }

  async processes(): Promise<ProcessTree> {
    const trees = await this.#parts.processes.tree();
    return {
      daemon: { pid: process.pid, rssBytes: process.memoryUsage.rss() },
      servers: trees.map(({ server, instance, root, strays }) => {
        const state = this.#parts.gateway.status(server)?.state ?? 'starting';
        return { server, instance, state, root, strays };
      }),
    };
  }

  calls(query: CallQuery): Promise<CallPage> {
    return this.#parts.history.calls(query);
  }

  call(id: number): Promise<CallDetail | null> {
    return this.#parts.history.call(id);
  }

  async apply(request: ApplyRequest): Promise<ApplyResult> {
    return this.#installing((installer) => installer.apply(request));
  }

  async exportSet(): Promise<DeclaredSet> {
    return (await this.#installer()).exportSet();
  }

  tokens(): TokenInfo[] {
    return this.#parts.clients.list();
  }

  addToken({ name }: TokenRequest): NewToken {
    const addedAt = Date.now();
    const token = this.#parts.clients.add(name, addedAt);
    const { port } = this.status();
    return { name, addedAt, token, url: port === null ? null : `http://127.0.0.1:${port}/mcp` };
  }

  removeToken(name: string): void {
    this.#parts.clients.remove(name);
    this.#parts.hosts.http.endClient(name);
  }

  secrets(): SecretInfo[] {
    const { registry, secrets } = this.#parts;
    if (secrets.damage !== null) throw secrets.damage;
    const rows = secretRows(registry.allServers(), secrets, (name) => registry.has(name));
    // An install keeps its secrets before it registers its server.
    return this.#installs === 0 ? rows : rows.filter(({ state }) => state !== 'orphaned');
  }

  setSecret(server: string, request: SecretRequest): Promise<SecretChange> {
    return setSecret(this.#parts, server, request);
  }

  removeSecrets(server: string, name: string | null): Promise<string[]> {
    return removeSecrets(this.#parts, server, name);
  }

  login(name: string, request: LoginRequest, report: (event: LoginEvent) => void, signal: AbortSignal): Promise<void> {
    return this.#parts.logins.login(name, request, report, signal);
  }

  forgetLogin(name: string): Promise<boolean> {
    return this.#parts.logins.forget(name);
  }

  async tryServer(name: string, request: TryRequest, tell: (event: TryEvent) => void, signal: AbortSignal) {
    this.#known(name);
    await (await this.#parts.hosts.tries()).run(name, request, tell, signal);
  }

  async answerTry(id: string, question: string, answer: TryAnswer): Promise<void> {
    (await this.#parts.hosts.tries()).answer(id, question, answer);
  }

  recordings(): Promise<RecordingControl> {
    this.#recordings ??= import('./recordings.ts').then(({ Recordings }) => new Recordings(this.#parts));
    // A load that failed (no free file descriptor) is tried again by the next request.
    this.#recordings.catch(() => (this.#recordings = null));
    return this.#recordings;
  }

  watch(listener: (event: LiveEvent) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Something changed that watchers look at. */
  published(topic: 'server' | 'sessions', name: string): void {
    if (topic === 'server' && !this.#parts.gateway.view.servers.has(name)) this.figures.forget(name);
    if (this.#watchers.size === 0) return;
    const status = topic === 'server' ? this.#parts.gateway.status(name) : null;
    if (topic === 'sessions') this.#tell({ type: 'sessions', sessions: this.sessions() });
    else this.#tell(status === null ? { type: 'server-removed', name } : { type: 'server', server: shown(status) });
  }

  shutdown(request: ShutdownRequest): void {
    this.#parts.stop(request);
  }

  /** The daemon begins to end, whatever the reason. */
  stopping(): void {
    this.#tell({ type: 'stopping' });
  }

  #tell(event: LiveEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }

  async #installing<T>(work: (installer: Installer) => Promise<T>): Promise<T> {
    this.#installs += 1;
    try {
      return await work(await this.#installer());
    } finally {
      this.#installs -= 1;
    }
  }

  async #installer(): Promise<Installer> {
    return (await this.#parts.installing()).installer;
  }

  #known(name: string): ServerStatus {
    const status = this.#parts.gateway.status(name);
    if (status !== null) return status;
    throw unknownServer(name, [...this.#parts.gateway.view.servers.keys()]);
  }
}
