import type { CallDetail, CallPage, CallQuery } from '../api/contract/calls.ts';
import type {
  NewToken,
  SecretChange,
  SecretInfo,
  SecretRequest,
  TokenInfo,
  TokenRequest,
} from '../api/contract/credentials.ts';
import type { ForgottenLogin, LoginEvent, LoginRequest } from '../api/contract/logins.ts';
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
import type { LifeControl } from '../api/life-control.ts';
import type { RecordingControl } from '../api/recording-control.ts';
import type { RegistriesControl } from '../api/registries-control.ts';
import type { ServerStatus } from '../core/model.ts';
import { instancesOf } from '../core/places.ts';
import type { Figures } from './figures.ts';
import { Offers } from './offers.ts';
import type { Parts } from './parts.ts';
import { commandServer, knownServer, patchServer, serverInfo } from './server-control.ts';
import { removeSecrets, secretRows, setSecret } from './stored-secrets.ts';
import { shown, shownInstance, toolsOf } from './views.ts';

/** What the control API can do, carried out by the daemon's parts. */
export class Control implements DaemonControl {
  readonly figures: Figures;
  readonly offers: Offers;
  readonly #parts: Parts;
  #recordings: Promise<RecordingControl> | null = null;
  #life: Promise<LifeControl> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.figures = parts.figures;
    this.offers = new Offers(parts);
  }

  get telemetry(): TelemetryControl {
    return this.#parts.telemetry;
  }

  status(): DaemonStatus {
    return this.#parts.status();
  }

  servers(): ServerStatus[] {
    return this.#parts.gateway.statuses().map((status) => shown(status, this.#parts.masks));
  }

  server(name: string): Promise<ServerInfo> {
    return serverInfo(this.#parts, name);
  }

  tools(server: string | null): ToolInfo[] {
    if (server !== null) knownServer(this.#parts.gateway, server);
    return toolsOf(this.#parts.gateway, server);
  }

  sessions(): SessionStatus[] {
    return this.#parts.gateway.sessions();
  }

  async plan(request: InstallRequest, options: { exact: boolean }): Promise<InstallPlan> {
    return (await this.#parts.installs.installer()).plan(request, options);
  }

  async install(request: InstallRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void> {
    await this.#parts.installs.install((installer) => installer.install(request, report, signal));
  }

  async add(request: AddRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void> {
    await this.#parts.installs.install((installer) => installer.add(request, report, signal));
  }

  patch(name: string, patch: ServerPatch): Promise<ServerStatus> {
    return patchServer(this.#parts, name, patch);
  }

  command(name: string, command: ServerCommand): Promise<ServerStatus> {
    return commandServer(this.#parts, name, command);
  }

  async uninstall(name: string, options: { purge: boolean }): Promise<void> {
    // Also an entry that the registry cannot read, which the core has never heard of: the installer knows better what there is.
    await (await this.#parts.installs.installer()).uninstall(name, options);
  }

  catalog(query: string): Promise<CatalogHit[]> {
    return this.#parts.installs.catalog(query);
  }

  logs(name: string, options: { lines: number; since: number | null }): Promise<LogLine[]> {
    knownServer(this.#parts.gateway, name);
    return this.#parts.processes.log(name).lines(options);
  }

  followLogs(name: string, listener: (line: LogLine) => void, gone: () => void): () => void {
    knownServer(this.#parts.gateway, name);
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
        const { state, hosts, folder } = shownInstance(this.#parts.gateway, instance);
        return { server, instance, state, hosts, folder, root, strays };
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
    return this.#parts.installs.install((installer) => installer.apply(request));
  }

  async exportSet(options: { lock: boolean }): Promise<DeclaredSet> {
    return (await this.#parts.installs.installer()).exportSet(options);
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
    return !this.#parts.installs.isUnderWay ? rows : rows.filter(({ state }) => state !== 'orphaned');
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

  forgetLogin(name: string): Promise<ForgottenLogin> {
    return this.#parts.logins.forget(name);
  }

  registries(): Promise<RegistriesControl> {
    return this.#parts.installs.registries();
  }

  recordings(): Promise<RecordingControl> {
    this.#recordings ??= import('./recordings.ts').then(({ Recordings }) => new Recordings(this.#parts));
    // A load that failed (no free file descriptor) is tried again by the next request.
    this.#recordings.catch(() => (this.#recordings = null));
    return this.#recordings;
  }

  life(): Promise<LifeControl> {
    this.#life ??= import('./life.ts').then(({ Life }) => new Life(this.#parts));
    // As above.
    this.#life.catch(() => (this.#life = null));
    return this.#life;
  }

  watch(listener: (event: LiveEvent) => void): () => void {
    return this.#parts.live.watch(listener);
  }

  shutdown(request: ShutdownRequest): void {
    this.#parts.stop(request);
  }
}
