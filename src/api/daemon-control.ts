import type { CallDetail, CallPage, CallQuery } from './contract/calls.ts';
import type {
  NewToken,
  SecretChange,
  SecretInfo,
  SecretRequest,
  TokenInfo,
  TokenRequest,
} from './contract/credentials.ts';
import type { FiguresEvent, ServerFigures } from './contract/figures.ts';
import type { ForgottenLogin, LoginEvent, LoginRequest } from './contract/logins.ts';
import type { ScrapeToken, TelemetryRequest, TelemetryStatus } from './contract/telemetry.ts';
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
  ServerStatus,
  SessionStatus,
  ShutdownRequest,
  ToolInfo,
} from './contract.ts';
import type { LifeControl } from './life-control.ts';
import type { OffersControl } from './offers-control.ts';
import type { RecordingControl } from './recording-control.ts';
import type { RegistriesControl } from './registries-control.ts';

/** How servers fare. */
export interface FiguresControl {
  /** By name. */
  all(): ServerFigures[];
  /** @throws McpdError SERVER_UNKNOWN with the closest names */
  of(name: string): ServerFigures;
  /** Called with changes, every FIGURES_EVERY_MS at most, and with calls that ended; returns the way to stop listening. */
  watch(listener: (event: FiguresEvent) => void): () => void;
}

/** What the API needs of the daemon; src/daemon/control.ts provides it. */
export interface DaemonControl {
  status(): DaemonStatus;
  servers(): ServerStatus[];
  /** @throws McpdError SERVER_UNKNOWN with the closest names */
  server(name: string): Promise<ServerInfo>;
  tools(server: string | null): ToolInfo[];
  sessions(): SessionStatus[];
  /** `exact`: the registry is asked which version a package comes in, and the plan names that. @throws McpdError as an install does */
  plan(request: InstallRequest, options: { exact: boolean }): Promise<InstallPlan>;
  /** Resolves after the last event was given to `report`; an aborted `signal` undoes what was done. */
  install(request: InstallRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void>;
  add(request: AddRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void>;
  patch(name: string, patch: ServerPatch): Promise<ServerStatus>;
  /** Resolves when the server is up, or stopped, or the command failed; within COMMAND_WAIT_MS. */
  command(name: string, command: ServerCommand): Promise<ServerStatus>;
  uninstall(name: string, options: { purge: boolean }): Promise<void>;
  catalog(query: string): Promise<CatalogHit[]>;
  /** Past lines, oldest first. */
  logs(name: string, options: { lines: number; since: number | null }): Promise<LogLine[]>;
  /** Calls `gone` after the last line of a server that is uninstalled meanwhile. Returns the way to stop. */
  followLogs(name: string, listener: (line: LogLine) => void, gone: () => void): () => void;
  processes(): Promise<ProcessTree>;
  calls(query: CallQuery): Promise<CallPage>;
  call(id: number): Promise<CallDetail | null>;
  apply(request: ApplyRequest): Promise<ApplyResult>;
  exportSet(options: { lock: boolean }): Promise<DeclaredSet>;
  /** Resolves after the last event was given to `report`; an aborted `signal` calls it off. @throws McpdError LOGIN_… */
  login(name: string, request: LoginRequest, report: (event: LoginEvent) => void, signal: AbortSignal): Promise<void>;
  /** Tells whether there was a login, and what became of its tokens. */
  forgetLogin(name: string): Promise<ForgottenLogin>;
  tokens(): TokenInfo[];
  /** @throws McpdError NAME_INVALID, NAME_TAKEN */
  addToken(request: TokenRequest): NewToken;
  /** Ends what that client has open. @throws McpdError CLIENT_UNKNOWN */
  removeToken(name: string): void;
  secrets(): SecretInfo[];
  /** Resolves as `command` does. @throws McpdError SERVER_UNKNOWN, SECRET_UNKNOWN, INPUT_INVALID */
  setSecret(server: string, request: SecretRequest): Promise<SecretChange>;
  /** One, or with null all of a server that is not there; resolves to their names. @throws McpdError SERVER_UNKNOWN, SECRET_UNKNOWN */
  removeSecrets(server: string, name: string | null): Promise<string[]>;
  /** Loaded by whoever asks first. */
  recordings(): Promise<RecordingControl>;
  /** Loaded by whoever asks first. */
  life(): Promise<LifeControl>;
  /** Loaded by whoever asks first. */
  registries(): Promise<RegistriesControl>;
  /** Called with every change; returns the way to stop listening. */
  watch(listener: (event: LiveEvent) => void): () => void;
  readonly figures: FiguresControl;
  readonly offers: OffersControl;
  shutdown(request: ShutdownRequest): void;
  readonly telemetry: TelemetryControl;
}

/** What is told to other programs. */
export interface TelemetryControl {
  status(): TelemetryStatus;
  /** @throws McpdError INPUT_INVALID */
  set(request: TelemetryRequest): Promise<TelemetryStatus>;
  off(): Promise<TelemetryStatus>;
  /** The same each time, unless `renew`. */
  token(options: { renew: boolean }): ScrapeToken;
  /** For Prometheus, with its media type. */
  metrics(): Promise<{ type: string; text: string }>;
}
