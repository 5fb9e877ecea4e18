import type { CallQuery } from '../../src/api/contract/calls.ts';
import type { SecretInfo, SecretRequest, TokenRequest } from '../../src/api/contract/credentials.ts';
import type { FiguresEvent, ServerFigures } from '../../src/api/contract/figures.ts';
import type { LoginEvent, LoginRequest } from '../../src/api/contract/logins.ts';
import type {
  AddRequest,
  ApplyRequest,
  ApplyResult,
  DaemonStatus,
  InstallEvent,
  InstallPlan,
  InstallRequest,
  LiveEvent,
  LogLine,
  ServerInfo,
  ServerStatus,
  ShutdownRequest,
} from '../../src/api/contract.ts';
import type { DaemonControl, FiguresControl, TelemetryControl } from '../../src/api/daemon-control.ts';
import { McpdError } from '../../src/errors.ts';
import { PlainLife } from './plain-life.ts';
import { PlainOffers } from './plain-offers.ts';
import { PlainRecordings } from './plain-recordings.ts';
import { PlainRegistries } from './plain-registries.ts';
import { serverStatus } from './server-status.ts';

/** The daemon's side of the control API, from plain data: what the API is given is what a test reads back. */
export class PlainControl implements DaemonControl {
  readonly known = new Map<string, ServerStatus>();
  /** What was asked, in order: `command weather start`. */
  readonly asked: string[] = [];
  readonly pastLines: LogLine[] = [];
  version = '0.1.0';
  state: DaemonStatus['state'] = 'running';
  engine: DaemonStatus['engine'] = 'direct';
  /** What the plan of an install says beside its name. */
  planned: Partial<InstallPlan> = {};
  /** What applying a file says that it does. */
  applied: Partial<ApplyResult> = {};
  /** What an install does after it was asked. */
  installing: (report: (event: InstallEvent) => void, signal: AbortSignal) => Promise<void> = async (report) =>
    report({ type: 'done', server: serverStatus('weather'), tools: [], durationMs: 1, checkup: null });
  /** Ends the log that is followed. */
  onGone: () => void = () => undefined;
  onShutdown: (request: ShutdownRequest) => void = () => undefined;
  /** Of all servers, as far as a test needs any. */
  readonly figuresOf = new Map<string, ServerFigures>();
  readonly figures: FiguresControl = {
    all: () => [...this.figuresOf.values()],
    of: (name) => {
      this.find(name);
      return serverFigures(name);
    },
    watch: (listener) => {
      this.figureWatchers.add(listener);
      return () => this.figureWatchers.delete(listener);
    },
  };
  private readonly figureWatchers = new Set<(event: FiguresEvent) => void>();
  readonly offers = new PlainOffers((name) => this.find(name), this.asked);
  readonly plainLife = new PlainLife((name) => this.find(name), this.asked);
  readonly plainRegistries = new PlainRegistries(this.asked);
  readonly plainRecordings = new PlainRecordings((name) => this.find(name));
  private readonly watchers = new Set<(event: LiveEvent) => void>();
  private readonly followers = new Set<(line: LogLine) => void>();

  constructor(...names: string[]) {
    for (const name of names) this.known.set(name, serverStatus(name));
  }

  get watching(): number {
    return this.watchers.size;
  }

  get following(): number {
    return this.followers.size;
  }

  publish(event: LiveEvent): void {
    for (const watcher of this.watchers) watcher(event);
  }

  publishFigures(event: FiguresEvent): void {
    for (const watcher of this.figureWatchers) watcher(event);
  }

  log(line: LogLine): void {
    for (const follower of this.followers) follower(line);
  }

  status(): DaemonStatus {
    return {
      pid: process.pid,
      version: this.version,
      home: '/home/ann/.mcpd',
      port: null,
      startedAt: 1_700_000_000_000,
      state: this.state,
      engine: this.engine,
      node: process.version,
      servers: this.known.size,
      sessions: 0,
      calls: 0,
      warnings: [],
    };
  }

  servers() {
    return [...this.known.values()];
  }

  async server(name: string): Promise<ServerInfo> {
    return {
      ...this.find(name),
      instructions: null,
      serverInfo: null,
      capabilities: null,
      lists: { tools: [], prompts: [], resources: [], templates: [] },
      exits: [],
      transitions: [],
      daemons: [],
      countedSince: 0,
      logFile: `/home/ann/.mcpd/logs/${name}.log`,
      secrets: [],
      login: null,
      loginLink: null,
    };
  }

  tools(server: string | null) {
    const tool = { server: 'weather', name: 'weather__now', raw: 'now', description: 'now', inputSchema: { big: 1 } };
    const all = [{ ...tool, onlyFor: null }];
    return all.filter((tool) => server === null || tool.server === server);
  }

  sessions() {
    return [];
  }

  async plan(request: InstallRequest, { exact }: { exact: boolean }): Promise<InstallPlan> {
    this.asked.push(`plan ${request.spec}${exact ? ' exactly' : ''}`);
    const nothing = {
      fetch: null,
      fileSha256: null,
      integrity: null,
      versionIs: 'none',
      publisher: null,
      published: null,
      choice: null,
    } as const;
    const shown = { variables: [], inputs: [], commandLine: 'node x', warnings: [] };
    const plan = { name: request.spec, description: '', ...nothing, ...shown };
    return { ...plan, ...this.planned };
  }

  install(request: InstallRequest, report: (event: InstallEvent) => void, signal: AbortSignal) {
    this.asked.push(`install ${request.spec}`);
    return this.installing(report, signal);
  }

  add(request: AddRequest, report: (event: InstallEvent) => void, signal: AbortSignal) {
    this.asked.push(`add ${request.name}`);
    return this.installing(report, signal);
  }

  async patch(name: string, patch: object) {
    this.asked.push(`patch ${name} ${JSON.stringify(patch)}`);
    return this.find(name);
  }

  async command(name: string, command: string) {
    this.asked.push(`command ${name} ${command}`);
    return this.find(name);
  }

  async uninstall(name: string, { purge }: { purge: boolean }) {
    this.find(name);
    this.asked.push(`uninstall ${name} ${purge}`);
  }

  async catalog(query: string) {
    this.asked.push(`catalog ${query}`);
    return [];
  }

  async logs(name: string, { lines, since }: { lines: number; since: number | null }) {
    this.find(name);
    return this.pastLines.filter((line) => since === null || line.at >= since).slice(-lines);
  }

  followLogs(name: string, listener: (line: LogLine) => void, gone: () => void) {
    this.find(name);
    this.followers.add(listener);
    this.onGone = gone;
    return () => this.followers.delete(listener);
  }

  async processes() {
    return { daemon: { pid: process.pid, rssBytes: 1 }, servers: [] };
  }

  async calls(query: CallQuery) {
    this.asked.push(`calls ${JSON.stringify(query)}`);
    return { calls: [], next: null, total: 0, totalIsLeast: false };
  }

  async call(id: number) {
    this.asked.push(`call ${id}`);
    return null;
  }

  async apply(request: ApplyRequest) {
    if (request.dryRun !== true) this.asked.push(`apply ${request.path}`);
    return {
      added: [],
      changed: [],
      removed: [],
      unchanged: [],
      failed: [],
      warnings: [],
      secrets: [],
      ...this.applied,
    };
  }

  async exportSet() {
    return { mcpServers: {} };
  }

  async login(name: string, { clientId }: LoginRequest, report: (event: LoginEvent) => void) {
    this.find(name);
    this.asked.push(`login ${name} ${clientId}`);
    report({ type: 'link', url: 'https://login.test/', expiresInMs: 1, joined: false });
    throw new McpdError('LOGIN_REFUSED', { what: 'the login was refused' });
  }

  async forgetLogin(name: string) {
    this.find(name);
    this.asked.push(`forget login ${name}`);
    return { server: name, forgotten: false, revocation: null, issuer: null };
  }

  tokens() {
    return [{ name: 'inspector', addedAt: 1_700_000_000_000 }];
  }

  addToken({ name }: TokenRequest) {
    this.asked.push(`add token ${name}`);
    return { name, addedAt: 1_700_000_000_000, token: 'mcpd_x', url: null };
  }

  removeToken(name: string) {
    this.asked.push(`remove token ${name}`);
  }

  secrets(): SecretInfo[] {
    return [{ server: 'weather', name: 'KEY', state: 'used' }];
  }

  async setSecret(server: string, { name, value }: SecretRequest) {
    this.asked.push(`set ${server} ${name} ${value}`);
    return { server: this.find(server), restarted: true };
  }

  async removeSecrets(server: string, name: string | null) {
    this.asked.push(`remove ${server} ${name}`);
    return [name ?? 'all'];
  }

  registries() {
    return Promise.resolve(this.plainRegistries);
  }

  recordings() {
    return Promise.resolve(this.plainRecordings);
  }

  life() {
    return Promise.resolve(this.plainLife);
  }

  watch(listener: (event: LiveEvent) => void) {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  readonly telemetry: TelemetryControl = {
    status: () => ({ otlp: null, scrape: { url: null, hasToken: false } }),
    set: async ({ endpoint }) => {
      this.asked.push(`telemetry ${endpoint}`);
      return this.telemetry.status();
    },
    off: async () => {
      this.asked.push('telemetry off');
      return this.telemetry.status();
    },
    token: ({ renew }) => {
      this.asked.push(`scrape token ${renew}`);
      return { token: 'x', file: '/home/ann/.mcpd/metrics-token', url: null };
    },
    metrics: async () => ({ type: 'text/plain; version=0.0.4; charset=utf-8', text: 'mcpd_sessions 0\n' }),
  };

  shutdown(request: ShutdownRequest) {
    this.asked.push(`shutdown ${JSON.stringify(request)}`);
    this.onShutdown(request);
  }

  private find(name: string): ServerStatus {
    const found = this.known.get(name);
    if (found !== undefined) return found;
    throw new McpdError('SERVER_UNKNOWN', { what: `no server is called ${name}`, fix: 'mcpd list' });
  }
}

export function serverFigures(name: string, changes: Partial<ServerFigures> = {}): ServerFigures {
  return {
    name,
    perMinute: { lastAt: 0, calls: [], errors: [] },
    latency: { count: 0, p50: null, p95: null, p99: null },
    tree: { state: 'unknown', reason: 'it does not run', samples: { at: [], rssBytes: [], cpuPercent: [] } },
    restarts: 0,
    sessions: [],
    openCalls: 0,
    calls: 0,
    errors: 0,
    ...changes,
  };
}
