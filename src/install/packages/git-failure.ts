import type { ErrorCode } from '../../errors.ts';
import { McpdError } from '../../errors.ts';
import type { ToolRun } from './run-tool.ts';
import { type FailureContext, toolError } from './tool-failure.ts';

/** Why git did not bring a repository, from what it printed. Pure. */

export function gitError(run: ToolRun, context: FailureContext): McpdError {
  const line = run.stderr.split(/\r?\n/).find((each) => /^(fatal|error|remote):/i.test(each)) ?? '';
  const found = run.timedOut ? undefined : FAILURES.find(([pattern]) => pattern.test(run.stderr));
  if (found === undefined) return toolError(run, context);
  const [, code, what, fix] = found;
  const why = line.replace(/^(fatal|error|remote):\s*/i, '').slice(0, LINE_MAX);
  return new McpdError(code, { what: `${context.label} ${what}`, why: why === '' ? 'git said no more' : why, fix });
}

/** Whether a server of git gives commits only by the name of a branch or tag. */
export function isUnadvertised(error: unknown): boolean {
  return error instanceof McpdError && /unadvertised object|not our ref|does not allow request/i.test(error.message);
}

// — internal —

const LINE_MAX = 300;

type Failure = readonly [pattern: RegExp, code: ErrorCode, what: string, fix: string];

const FAILURES: readonly Failure[] = [
  [
    /host key verification failed/i,
    'FETCH_FAILED',
    'could not be fetched, as ssh does not know that host yet',
    'look at its key once: ssh -T git@HOST',
  ],
  [
    /permission denied \(/i,
    'FETCH_FAILED',
    'could not be fetched: no key of ssh opens it',
    'ssh-add, or ask for the right to read it',
  ],
  [
    /could not read (username|password)|authentication failed|repository '.*' not found|repository not found|does not (appear to be|exist)|no such file or directory|returned error: 40[134]/i,
    'PACKAGE_UNKNOWN',
    'is no repository, or not for everybody',
    'look at its page for its address; of a private one take that for ssh (git@HOST:OWNER/REPOSITORY.git); a remote server: mcpd add NAME --url URL',
  ],
  [
    /dubious ownership/i,
    'FETCH_FAILED',
    'could not be fetched, as its files belong to another user',
    'clone it as yourself, and install the clone as a folder',
  ],
];
