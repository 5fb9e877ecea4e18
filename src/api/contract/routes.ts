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
} from '../contract.ts';
import type { ApprovalCode, ApprovalEvent, ApprovalInfo, ApprovalRequest, ConfirmRequest } from './approvals.ts';
import type { CallDetail, CallPage, CallQuery } from './calls.ts';
import type { CheckupEvent } from './checkup.ts';
import type { NewToken, SecretChange, SecretInfo, SecretRequest, TokenInfo, TokenRequest } from './credentials.ts';
import type { ServerFigures } from './figures.ts';
import type { HealthReport } from './health.ts';
import type { LockReport, LockState } from './lock.ts';
import type { ForgottenLogin, LoginEvent, LoginRequest, PageLoginRequest } from './logins.ts';
import type { Completion, CompletionRequest, ServerOffer } from './offers.ts';
import type {
  RecordedFrames,
  Recording,
  RecordingState,
  RecordingSwitch,
  ReplayEvent,
  ReplayRequest,
} from './recordings.ts';
import type { RegistriesInfo, RegistriesRequest, RegistryStanding, SearchAnswer } from './search.ts';
import type { ScrapeToken, TelemetryRequest, TelemetryStatus } from './telemetry.ts';
import type { TryAnswer, TryEvent, TryRequest } from './tries.ts';
import type {
  KnownVersions,
  PinRequest,
  UpdateAgreement,
  UpdateEvent,
  UpdateRequest,
  VersionChange,
  VersionState,
  WaitingOffer,
} from './updates.ts';

/**
 * Every route of the control interface, from which docs/openapi.json is made (`npm run openapi`; a test compares it with the routes that
 * there are). `request` is the JSON of its body, `answer` the JSON that comes back, `lines` one line of an answer that goes on: JSON lines,
 * as they come; `text` the type of what is no JSON. Which of them a page may ask for is the guard's to say.
 */
export interface Routes {
  /** Is it there? Needs no token. */
  'GET /healthz': { answer: { ok: true } };
  /** A one-time code of `mcpd dashboard`, for the token. Needs no token. */
  'POST /api/session': { request: { code: string }; answer: { token: string } };
  /**
   * The address that opens the dashboard once. `file`: also as a file of the home that leads there, which is gone when the code is: the
   * arguments of a program that opens it are seen by all.
   */
  'POST /api/codes': { request: { file?: boolean }; answer: { url: string; expiresInMs: number; file?: string } };
  /** The same stream as `/ws`: a snapshot, then what changed. */
  'GET /api/live': { lines: LiveEvent };

  /** The daemon itself. */
  'GET /api/status': { answer: DaemonStatus };
  /** What `mcpd doctor` finds, as far as the daemon can see it. */
  'GET /api/health': { answer: HealthReport };
  /** The daemon drains and stops. */
  'POST /api/shutdown': { request: ShutdownRequest; answer: { stopping: true } };
  /** Connected hosts. */
  'GET /api/sessions': { answer: SessionStatus[] };
  /** Processes of the servers, with all their descendants. */
  'GET /api/processes': { answer: ProcessTree };

  /** Every server. */
  'GET /api/servers': { answer: ServerStatus[] };
  /** Installs from the catalog, from npm, from a folder or from an address. */
  'POST /api/servers': { request: InstallRequest; lines: InstallEvent };
  /** Adds a server by its command line or its address. */
  'POST /api/servers/add': { request: AddRequest; lines: InstallEvent };
  /** What an install would do and still needs. */
  /** `exact`: the registry is asked which version a package comes in today. */
  'POST /api/plans': { query: { exact?: Flag }; request: InstallRequest; answer: InstallPlan };
  /** One server, with its lists, its last exits and changes of state. */
  'GET /api/servers/{name}': { answer: ServerInfo };
  /** Changes its settings, never what it runs. */
  'PATCH /api/servers/{name}': { request: ServerPatch; answer: ServerStatus };
  /** Removes it. */
  'DELETE /api/servers/{name}': { query: { purge?: Flag }; answer: { removed: string } };
  /** Its check-up, by fresh processes that no host sees. */
  'POST /api/servers/{name}/verify': { lines: CheckupEvent };
  /** Fetches and tries another version, and tells what an update to it would change. It waits for a yes. */
  'POST /api/servers/{name}/update': { request: UpdateRequest; lines: UpdateEvent };
  /** What was offered last, while it waits for a yes. */
  'GET /api/servers/{name}/update': { answer: WaitingOffer };
  /** The yes to what was shown. The version before is kept. */
  'POST /api/servers/{name}/update/agreement': { request: UpdateAgreement; answer: VersionChange };
  /** Back to the version that was replaced last. */
  'POST /api/servers/{name}/rollback': { answer: VersionChange };
  /** Holds it at its version, or lets it go. */
  'POST /api/servers/{name}/pin': { request: PinRequest; answer: { server: string; isPinned: boolean } };
  /** What was agreed to of each server, or of that one, and what is otherwise now: lists, and files of packages. */
  'POST /api/lock': { query: { server?: string }; answer: LockReport };
  /** What it lists and its files are now becomes what was agreed to. */
  'POST /api/servers/{name}/lock': { answer: LockState };
  /** How installed packages stand to what there is: asks their registries. */
  'POST /api/outdated': { answer: VersionState[] };
  /** The same as far as it is known: asks nobody. */
  'GET /api/outdated': { answer: KnownVersions };
  /** Starts, stops or restarts it, and waits until it is so. */
  'POST /api/servers/{name}/{command}': { path: { command: ServerCommand }; answer: ServerStatus };
  /** Its log: past lines as one array, or past and new ones as lines; with `protocol` also a line for each message to and from it. */
  'GET /api/servers/{name}/logs': {
    query: { lines?: number; since?: number; follow?: Flag; protocol?: Flag };
    answer: LogLine[];
    lines: LogLine;
  };
  /** How it fares: calls by the minute, latency, memory and CPU. */
  'GET /api/servers/{name}/figures': { answer: ServerFigures };
  /** How all servers fare. */
  'GET /api/figures': { answer: ServerFigures[] };
  /** Logs in at a remote server. */
  'POST /api/servers/{name}/auth': { request: LoginRequest; lines: LoginEvent };
  /** The same for a page, which chooses nothing of it. Whoever leaves before the end calls it off, unless others wait for it too. */
  'POST /api/servers/{name}/login': { request: PageLoginRequest; lines: LoginEvent };
  /** Forgets a login, and revokes its tokens where the authorization server offers that. */
  'DELETE /api/servers/{name}/auth': { answer: ForgottenLogin };

  /** All that it lists, to whichever host, with what each entry takes; starts nothing. */
  'GET /api/servers/{name}/offer': { answer: ServerOffer };
  /** Reads it anew, as hosts of either kind get it: the server is started for that, beside what runs of it. */
  'POST /api/servers/{name}/offer': { answer: ServerOffer };
  /** How the server completes an argument of a prompt or of a resource template. */
  'POST /api/servers/{name}/completions': { request: CompletionRequest; answer: Completion };

  /** The tools of one server or of all, as hosts see them; those too that only some hosts see. */
  'GET /api/tools': { query: { server?: string }; answer: ToolInfo[] };
  /** A person tries a tool, a prompt or a resource. */
  'POST /api/servers/{name}/tries': { request: TryRequest; lines: TryEvent };
  /** What he answers to a question of a server that he tries. */
  'POST /api/tries/{try}/answers/{question}': { request: TryAnswer; answer: { answered: true } };
  /** Past calls that fit, page by page. */
  'GET /api/calls': { query: CallQuery; answer: CallPage };
  /** One of them, with what it passed on its way. */
  'GET /api/calls/{id}': { answer: CallDetail };

  /** Of which servers messages are recorded or kept, or were until the daemon ended. */
  'GET /api/recordings': { answer: RecordingState[] };
  /** The flight recorder of a server: on or off, and how much it holds. */
  'GET /api/servers/{name}/recording': { answer: RecordingState };
  /** Switches it. */
  'POST /api/servers/{name}/recording': { request: RecordingSwitch; answer: RecordingState };
  /** Forgets what it holds. */
  'DELETE /api/servers/{name}/recording': { answer: RecordingState };
  /** The messages it holds. */
  'GET /api/servers/{name}/recording/frames': { query: { after?: number; limit?: number }; answer: RecordedFrames };
  /** The same as a file, which can be replayed. */
  'GET /api/servers/{name}/recording/file': { answer: Recording };
  /** Asks again, of a fresh process, what hosts asked. */
  'POST /api/servers/{name}/recording/replay': { request: ReplayRequest; lines: ReplayEvent };

  /** Figures for Prometheus, in its own format. The token of `mcpd telemetry token` is good for this alone. */
  'GET /metrics': { text: 'text/plain' };
  /** What is sent to other programs. */
  'GET /api/telemetry': { answer: TelemetryStatus };
  /** Where it is sent. */
  'POST /api/telemetry': { request: TelemetryRequest; answer: TelemetryStatus };
  /** Sends nothing any more. */
  'DELETE /api/telemetry': { answer: TelemetryStatus };
  /** The token for `/metrics`, the same each time. */
  'POST /api/telemetry/token': { query: { renew?: Flag }; answer: ScrapeToken };

  /** What pages ask for and wait for, and what became of it. */
  'GET /api/approvals': { answer: ApprovalInfo[] };
  /** Asks for something that a page may not do: it waits for a person. */
  'POST /api/approvals': { request: ApprovalRequest; answer: ApprovalInfo };
  'GET /api/approvals/{id}': { answer: ApprovalInfo };
  /** Takes it back; what runs already is undone. */
  'DELETE /api/approvals/{id}': { answer: ApprovalInfo };
  /** What becomes of it. */
  'GET /api/approvals/{id}/events': { lines: ApprovalEvent };
  /** Says yes by a code from a terminal. */
  'POST /api/approvals/{id}/confirm': { request: ConfirmRequest; answer: ApprovalInfo };
  /** A person says yes. */
  'POST /api/approvals/{id}/accept': { answer: ApprovalInfo };
  /** A person says no. */
  'POST /api/approvals/{id}/decline': { answer: ApprovalInfo };
  /** A code for the page. */
  'POST /api/approvals/{id}/code': { answer: ApprovalCode };

  /** Entries of the catalog that fit the words. */
  'GET /api/catalog': { query: { query?: string }; answer: CatalogHit[] };
  /**
   * What an install of a name of the catalog or of an MCP registry would run, and ask for. `name`: what it shall be called. Whatever else can be
   * installed is planned by POST.
   */
  'GET /api/plans': { query: { spec: string; name?: string }; answer: InstallPlan };
  /** The same, and servers of the MCP registries; `catalog` leaves these out. */
  'GET /api/search': { query: { query?: string; catalog?: Flag }; answer: SearchAnswer };
  /** Of servers that came from an MCP registry: whether their versions are deprecated or deleted there by now. */
  'GET /api/registries/standings': { answer: RegistryStanding[] };
  /** Which MCP registries are asked. */
  'GET /api/registries': { answer: RegistriesInfo };
  /** Asks these from now on. */
  'POST /api/registries': { request: RegistriesRequest; answer: RegistriesInfo };
  /** Forgets what was set. */
  'DELETE /api/registries': { answer: RegistriesInfo };
  /** All servers as a file, without secrets; `lock`: with the integrity of each package, which an apply insists on. */
  'GET /api/declared': { query: { lock?: Flag }; answer: DeclaredSet };
  /** Makes the servers those of a file. */
  'POST /api/declared': { request: ApplyRequest; answer: ApplyResult };

  /** Names of secrets, and who needs them. */
  'GET /api/secrets': { answer: SecretInfo[] };
  'POST /api/secrets/{name}': { request: SecretRequest; answer: SecretChange };
  'DELETE /api/secrets/{name}': { query: { secret?: string }; answer: { removed: string[] } };
  /** Clients that come in by HTTP. */
  'GET /api/tokens': { answer: TokenInfo[] };
  'POST /api/tokens': { request: TokenRequest; answer: NewToken };
  'DELETE /api/tokens/{name}': { answer: { removed: string } };
}

// — internal —

type Flag = '1';
