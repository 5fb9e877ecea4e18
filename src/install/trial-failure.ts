import type { TrialOutcome } from '../core/events.ts';
import { type ErrorCode, McpdError } from '../errors.ts';

export interface TrialContext {
  name: string;
  /** Packages whose install scripts were left out. */
  scriptsLeftOut: readonly string[];
  /** The command that would run them. */
  withScripts: string;
  /** What else to try. */
  fix: string;
}

/** The error of a trial that failed, from what the core tells of it. */
export function trialError(outcome: Extract<TrialOutcome, { ok: false }>, context: TrialContext): McpdError {
  const { name, scriptsLeftOut } = context;
  const telling = tellingLine(outcome.exit?.stderrTail ?? []);
  const why =
    telling === null || outcome.reason.includes(telling)
      ? outcome.reason
      : `${outcome.reason}; it said on stderr: ${telling}`;
  if (scriptsLeftOut.length > 0) {
    return new McpdError('PACKAGE_NEEDS_SCRIPTS', {
      what: `${name} did not start, perhaps because install scripts of ${scriptsLeftOut.slice(0, 5).join(', ')} were not run`,
      why,
      fix: context.withScripts,
    });
  }
  return new McpdError(codeOf(outcome), { what: `${name} ${DID_NOT[outcome.step]}`, why, fix: context.fix });
}

// — internal —

const DID_NOT = {
  start: 'did not start',
  handshake: 'did not become ready',
  list: 'did not list its tools',
} as const;

/** Of what it printed, the line that most likely says what is wrong: Node ends a crash with its version, which says nothing. */
function tellingLine(stderr: readonly string[]): string | null {
  const lines = stderr
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(Node\.js v|at\s|throw\s|\^+$|[{}\]]+,?$)/.test(line));
  const complaints = lines.filter((line) =>
    /error|fatal|cannot|can't|unable|missing|required|invalid|\bnot\b|no such|denied/i.test(line),
  );
  return complaints.find((line) => !/^\W*warn/i.test(line)) ?? complaints[0] ?? lines.at(-1) ?? null;
}

function codeOf(outcome: Extract<TrialOutcome, { ok: false }>): ErrorCode {
  if (outcome.step === 'list') return 'LIST_FAILED';
  if (/^spawn ENOENT\b/.test(outcome.reason)) return 'COMMAND_NOT_FOUND';
  if (/^spawn EACCES\b/.test(outcome.reason)) return 'COMMAND_NOT_EXECUTABLE';
  return /timed out$/.test(outcome.reason) ? 'SERVER_START_TIMEOUT' : 'SERVER_START_FAILED';
}
