/**
 * Every error a person can meet has a code and three parts: what happened, why, and what to try.
 * The table gives each code its exit code (CLI) and HTTP status (API), so that both always agree.
 */
interface ErrorClass {
  /** Exit code of the CLI; docs/cli-json.md documents them. */
  exit: number;
  /** Status of the control API. */
  http: number;
}

const USAGE: ErrorClass = { exit: 2, http: 400 };
const NOT_FOUND: ErrorClass = { exit: 3, http: 404 };
const CONFLICT: ErrorClass = { exit: 4, http: 409 };
const SERVER_FAULT: ErrorClass = { exit: 5, http: 502 };
const DAEMON_FAULT: ErrorClass = { exit: 6, http: 503 };
const HOME_FAULT: ErrorClass = { exit: 7, http: 500 };
const REFUSED: ErrorClass = { exit: 8, http: 403 };
const INTERNAL: ErrorClass = { exit: 1, http: 500 };

const CODES = {
  // What the person typed.
  USAGE,
  NAME_INVALID: USAGE,
  SPEC_INVALID: USAGE,
  INPUT_MISSING: USAGE,
  INPUT_INVALID: USAGE,
  CONFIG_INVALID: USAGE,
  REQUEST_INVALID: USAGE,
  // Things that are not there, or are there already.
  SERVER_UNKNOWN: NOT_FOUND,
  TOOL_UNKNOWN: NOT_FOUND,
  SECRET_UNKNOWN: NOT_FOUND,
  CLIENT_UNKNOWN: NOT_FOUND,
  CALL_UNKNOWN: NOT_FOUND,
  APPROVAL_UNKNOWN: NOT_FOUND,
  RECORDING_EMPTY: NOT_FOUND,
  NOTHING_KEPT: NOT_FOUND,
  PACKAGE_UNKNOWN: NOT_FOUND,
  VERSION_UNKNOWN: NOT_FOUND,
  FOLDER_UNKNOWN: NOT_FOUND,
  ROUTE_UNKNOWN: NOT_FOUND,
  TRY_UNKNOWN: NOT_FOUND,
  NAME_TAKEN: CONFLICT,
  INSTALL_CANCELLED: CONFLICT,
  SERVER_DISABLED: CONFLICT,
  SERVER_MANUAL: CONFLICT,
  MANAGED_BY_FILE: CONFLICT,
  SERVER_PINNED: CONFLICT,
  UPDATE_CHANGED: CONFLICT,
  LOGIN_CANCELLED: CONFLICT,
  TRIES_FULL: CONFLICT,
  APPROVAL_ENDED: CONFLICT,
  APPROVALS_FULL: CONFLICT,
  // A server that does not do its part.
  COMMAND_NOT_FOUND: SERVER_FAULT,
  COMMAND_NOT_EXECUTABLE: SERVER_FAULT,
  PACKAGE_NOT_RUNNABLE: SERVER_FAULT,
  PACKAGE_UNSUPPORTED: SERVER_FAULT,
  PACKAGE_NEEDS_SCRIPTS: SERVER_FAULT,
  FETCH_FAILED: SERVER_FAULT,
  BUNDLE_INVALID: SERVER_FAULT,
  SERVER_START_FAILED: SERVER_FAULT,
  SERVER_START_TIMEOUT: SERVER_FAULT,
  SERVER_FAILED: SERVER_FAULT,
  SERVER_EXITED: SERVER_FAULT,
  SERVER_BUSY: SERVER_FAULT,
  SERVER_UNREACHABLE: SERVER_FAULT,
  SERVER_STOPPED: SERVER_FAULT,
  SERVER_UNREAD: SERVER_FAULT,
  LIST_FAILED: SERVER_FAULT,
  LINE_TOO_LONG: SERVER_FAULT,
  CALL_TIMEOUT: SERVER_FAULT,
  CALL_FAILED: SERVER_FAULT,
  LOGIN_FAILED: SERVER_FAULT,
  PROXY_FAILED: SERVER_FAULT,
  // The daemon and its home.
  DAEMON_UNREACHABLE: DAEMON_FAULT,
  DAEMON_START_FAILED: DAEMON_FAULT,
  DAEMON_OLDER: DAEMON_FAULT,
  DAEMON_NEWER: DAEMON_FAULT,
  DAEMON_LOST: DAEMON_FAULT,
  DAEMON_STOPPING: DAEMON_FAULT,
  PM2_FAILED: DAEMON_FAULT,
  HOME_UNSAFE: HOME_FAULT,
  HOME_UNWRITABLE: HOME_FAULT,
  REGISTRY_DAMAGED: HOME_FAULT,
  REGISTRY_NEWER: HOME_FAULT,
  DISK_FULL: HOME_FAULT,
  OUT_OF_FILES: HOME_FAULT,
  SECRETS_DAMAGED: HOME_FAULT,
  SECRETS_LOCKED: HOME_FAULT,
  SECRET_MISSING: USAGE,
  VARIABLE_MISSING: USAGE,
  // Refused on purpose.
  BUNDLE_UNSAFE: REFUSED,
  PACKAGE_UNSAFE: REFUSED,
  INTEGRITY_MISMATCH: REFUSED,
  UNAUTHORIZED: { exit: 8, http: 401 },
  FORBIDDEN: REFUSED,
  PACKAGE_DELETED: REFUSED,
  LOGIN_REFUSED: REFUSED,
  // A fault of ours.
  INTERNAL,
} as const satisfies Record<string, ErrorClass>;

export type ErrorCode = keyof typeof CODES;

export interface ErrorParts {
  /** What happened, as a sentence without full stop: `weather did not become ready within 30 s`. */
  what: string;
  /** Why, as far as it is known: an errno, an exit code, the last line on stderr. */
  why?: string;
  /** What to try: a command where there is one. */
  fix?: string;
}

/** The shape in which an error crosses the control socket. */
export interface ErrorReport extends ErrorParts {
  code: ErrorCode;
}

export class McpdError extends Error {
  readonly code: ErrorCode;
  readonly parts: ErrorParts;

  constructor(code: ErrorCode, parts: ErrorParts, options?: { cause?: unknown }) {
    super(parts.why === undefined ? parts.what : `${parts.what}: ${parts.why}`, options);
    this.name = 'McpdError';
    this.code = code;
    this.parts = parts;
  }

  get exitCode(): number {
    return CODES[this.code].exit;
  }

  get httpStatus(): number {
    return CODES[this.code].http;
  }

  report(): ErrorReport {
    return { code: this.code, ...this.parts };
  }
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(CODES, text);
}

/** The error a report describes. An unknown code (a newer daemon) becomes INTERNAL with the same words. */
export function fromReport(report: { code: string } & ErrorParts): McpdError {
  const { code, ...parts } = report;
  return new McpdError(isErrorCode(code) ? code : 'INTERNAL', parts);
}

/** Any thrown value as an McpdError; what is not ours becomes `fallback` with the thrown text as its reason. */
export function asMcpdError(thrown: unknown, fallback: ErrorCode, what: string): McpdError {
  if (thrown instanceof McpdError) return thrown;
  return new McpdError(
    fallback,
    { what, why: thrown instanceof Error ? thrown.message : String(thrown) },
    { cause: thrown },
  );
}

/** The errno code (`ENOENT`) of a thrown system error, or undefined. */
export function errnoOf(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
