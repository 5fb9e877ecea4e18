import { dirname } from 'node:path';
import type { SecretInfo } from '../../src/api/contract/credentials.ts';
import type { Verdict } from '../../src/api/contract/health.ts';
import type { DaemonStatus, ServerStatus } from '../../src/api/contract.ts';
import type { DaemonClient } from '../../src/control/client.ts';
import { type ErrorCode, McpdError } from '../../src/errors.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { type Check, failureOf } from '../doctor/check.ts';
import { checkPm2, judgeDaemon, judgeServer, SERVER_TOPIC } from '../doctor/daemon.ts';
import { checkHome } from '../doctor/home.ts';
import { checkInstallation } from '../doctor/installation.ts';
import { checkLastStart } from '../doctor/last-start.ts';
import { checkLoginPath } from '../doctor/login-path.ts';
import { checkPort } from '../doctor/port.ts';
import { judgeSecrets } from '../doctor/secrets.ts';
import type { Palette } from '../output.ts';
import { amount } from '../units.ts';

export async function runDoctor(parsed: Parsed, context: Context): Promise<number> {
  const checks = once(await everyCheck(context));
  const worst = checks.find((check) => check.exit !== null);
  if (parsed.flag('json')) context.output.json(checks);
  else show(checks, context);
  return worst?.exit ?? 0;
}

// — internal —

async function everyCheck(context: Context): Promise<Check[]> {
  const { paths, env } = context;
  const seen = await lookAtDaemon(context);
  return [
    ...(await checkInstallation(dirname(context.dist), env)),
    ...(await checkHome(paths, seen.daemon !== 'none')),
    ...(await checkLoginPath(env)),
    ...seen.checks,
    ...checkPm2(paths, seen.status),
    ...(seen.daemon === 'none' ? [...checkLastStart(paths), await checkPort(paths, env)] : []),
    ...seen.servers.map(judgeServer),
    ...judgeSecrets(seen.secrets),
  ];
}

/**
 * What the daemon warns of is often what was looked at here as well: the first one counts, which may know more. Servers each keep their
 * line, however alike they fare.
 */
function once(checks: readonly Check[]): Check[] {
  const isFirst = (check: Check, at: number) => checks.findIndex((other) => other.text === check.text) === at;
  return checks.filter((check, at) => check.topic.startsWith(SERVER_TOPIC) || isFirst(check, at));
}

interface Seen {
  /** `silent` is one that does not answer. */
  daemon: 'none' | 'silent' | 'answers';
  status: DaemonStatus | null;
  servers: ServerStatus[];
  secrets: SecretInfo[];
  checks: Check[];
}

/** A daemon that does not answer is what the doctor is called for: it becomes a check. */
async function lookAtDaemon(context: Context): Promise<Seen> {
  try {
    const daemon: DaemonClient | null = await context.runningDaemon();
    const status = daemon === null ? null : await daemon.status();
    const checks = judgeDaemon(status, Date.now());
    return {
      daemon: daemon === null ? 'none' : 'answers',
      status,
      servers: daemon === null ? [] : await daemon.request<ServerStatus[]>('GET', '/api/servers'),
      secrets: daemon === null ? [] : await secretsOf(daemon),
      checks,
    };
  } catch (thrown) {
    if (!(thrown instanceof McpdError)) throw thrown;
    return { daemon: 'silent', status: null, servers: [], secrets: [], checks: [failureOf('daemon', thrown)] };
  }
}

/** Of an earlier release of the daemon, and told by the check of the home. */
const SECRETS_UNTOLD: ReadonlySet<ErrorCode> = new Set(['ROUTE_UNKNOWN', 'SECRETS_DAMAGED']);

async function secretsOf(daemon: DaemonClient): Promise<SecretInfo[]> {
  try {
    return await daemon.request<SecretInfo[]>('GET', '/api/secrets');
  } catch (thrown) {
    if (thrown instanceof McpdError && SECRETS_UNTOLD.has(thrown.code)) return [];
    throw thrown;
  }
}

const MARKS: Record<Verdict, [mark: string, colour: keyof Palette]> = {
  ok: ['✓', 'green'],
  note: ['·', 'dim'],
  warning: ['!', 'yellow'],
  failure: ['✗', 'red'],
};

function show(checks: readonly Check[], { output }: Context): void {
  const width = Math.max(...checks.map((check) => check.topic.length));
  for (const check of checks) {
    const [mark, colour] = MARKS[check.verdict];
    output.print(`${output.paint[colour](mark)} ${check.topic.padEnd(width)}  ${showable(check.text)}`);
    if (check.fix !== null) output.print(`  ${' '.repeat(width)}  ${output.paint.bold('try')} ${showable(check.fix)}`);
  }
  const failures = checks.filter((check) => check.verdict === 'failure').length;
  const warnings = checks.filter((check) => check.verdict === 'warning').length;
  output.print('');
  output.print(
    failures + warnings === 0 ? 'All is well.' : `${amount(failures, 'failure')}, ${amount(warnings, 'warning')}.`,
  );
}
