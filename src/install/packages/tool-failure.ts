import { type ErrorCode, McpdError } from '../../errors.ts';
import type { ToolRun } from './run-tool.ts';

/** Why a tool did not fetch a package, from what it printed. Pure. */

export interface FailureContext {
  /** `pypi:mcp-server-time@1.0` */
  label: string;
  /** As on a command line. */
  tool: string;
  timeoutMs: number;
}

export function toolError(run: ToolRun, { label, tool, timeoutMs }: FailureContext): McpdError {
  if (run.timedOut) {
    return new McpdError('FETCH_FAILED', {
      what: `${label} could not be fetched`,
      why: `${tool} was not done after ${timeoutMs / 1000} seconds`,
      fix: 'check the network and the proxy, and try again',
    });
  }
  const text = `${run.stderr}\n${run.stdout}`;
  const [, code, what, fix] = FAILURES.find(([pattern]) => pattern.test(text)) ?? OTHER;
  return new McpdError(code, {
    what: `${label} ${what}`,
    why: tellingLine(text) ?? `${tool} ended with exit code ${run.code}`,
    fix: fix.replace('TOOL', tool),
  });
}

// — internal —

type Failure = readonly [pattern: RegExp, code: ErrorCode, what: string, fix: string];

const OTHER: Failure = [/$/, 'FETCH_FAILED', 'could not be fetched', 'check the network and the proxy, and try again'];

/** As pip, uv, docker, podman and NuGet say it. pip goes on to say that there is no such package, which nobody knows then. */
const NETWORK =
  /failed to establish a new connection|name or service not known|temporary failure in name resolution|nodename nor servname|dns error|could not resolve host|no such host|network is unreachable|connection refused|connection reset|error sending request|dial tcp|i\/o timeout|connecttimeout|readtimeout|proxyerror|unable to load the service index|certificate verify failed|x509: /i;

/** In this order: what says more comes first. */
const FAILURES: readonly Failure[] = [
  [
    /no usable wheels|no wheels|--no-build|building source distributions is disabled|--only-binary/i,
    'PACKAGE_NEEDS_SCRIPTS',
    'is published as source only, and building it would run its scripts',
    'if you trust it, mcpd install or mcpd update with --allow-scripts',
  ],
  [
    /cannot connect to the docker daemon|is the docker daemon running|cannot connect to podman|connection refused.*podman|dockerDesktopLinuxEngine/i,
    'FETCH_FAILED',
    'could not be fetched, as the container engine does not answer',
    'start it: TOOL info',
  ],
  [
    /permission denied.*docker(\.sock| daemon)/i,
    'FETCH_FAILED',
    'could not be fetched, as this user may not use the container engine',
    'sudo usermod -aG docker $USER, and log in again',
  ],
  [
    /no space left on device/i,
    'DISK_FULL',
    'could not be fetched, as the disk is full',
    'free some space and try again',
  ],
  [
    NETWORK,
    'FETCH_FAILED',
    'could not be fetched, as its host was not reached',
    'are you online? Check the network and the proxy, and try again',
  ],
  [
    /there is no version of|from versions: \d|manifest unknown|manifest for .* not found|version .* (was|is) not found/i,
    'VERSION_UNKNOWN',
    'does not exist in that version',
    'look at its own page for its versions',
  ],
  [
    /not found in the package registry|no matching distribution|repository does not exist|repository .* not found|name unknown|pull access denied|requested access to the resource is denied|is not found in (the following )?(nuget|sources)/i,
    'PACKAGE_UNKNOWN',
    'does not exist, or is not for everybody',
    'look at its own page for its name',
  ],
];

/** The line that most likely says what is wrong. */
function tellingLine(text: string): string | null {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/^[\s\u00d7\u2570\u2500\u25b6\u2502\u251c\u256d\u00b7]+/u, '').trim())
    .filter((line) => line !== '');
  const line =
    lines.find((each) => NETWORK.test(each)) ??
    lines.find((each) => /^(error|fatal)\b/i.test(each)) ??
    lines.find((each) => /error|not found|denied|cannot|no version/i.test(each)) ??
    lines.at(-1);
  return line === undefined ? null : line.slice(0, LINE_MAX);
}

const LINE_MAX = 300;
