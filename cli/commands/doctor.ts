import { dirname } from 'node:path';
import type { SecretInfo } from '../../src/api/contract/credentials.ts';
import type { Check, Verdict } from '../../src/api/contract/health.ts';
import type { LockReport } from '../../src/api/contract/lock.ts';
import type { RegistryStanding } from '../../src/api/contract/search.ts';
import type { ProcessTree, ServerStatus } from '../../src/api/contract.ts';
import type { DaemonClient } from '../../src/control/client.ts';
import { failureOf } from '../../src/doctor/check.ts';
import { lookedAt, type Seen, withoutRepeats } from '../../src/doctor/checks.ts';
import { type ErrorCode, McpdError } from '../../src/errors.ts';
import { amount } from '../../src/shown.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { checkInstallation } from '../doctor/installation.ts';
import { checkLastStart } from '../doctor/last-start.ts';
import { checkPort } from '../doctor/port.ts';
import type { Palette } from '../output.ts';

export async function runDoctor(parsed: Parsed, context: Context): Promise<number> {
  const checks = withoutRepeats(await everyCheck(context));
  const worst = checks.find((check) => check.exit !== null);
  if (parsed.flag('json')) context.output.json(checks);
  else show(checks, context);
  return worst?.exit ?? 0;
}

// — internal —

async function everyCheck(context: Context): Promise<Check[]> {
  const { paths, env } = context;
  const { fault, ...seen } = await lookAtDaemon(context);
  return [
    ...(await checkInstallation(dirname(context.dist), env)),
    ...(await lookedAt({ paths, env, now: Date.now(), ...seen })),
    ...fault,
    ...(seen.daemon === 'none' ? [...checkLastStart(paths), await checkPort(paths, env)] : []),
  ];
}

type OfDaemon = Pick<Seen, 'daemon' | 'status' | 'servers' | 'secrets' | 'processes' | 'lock' | 'standings'>;

const NOTHING: OfDaemon = {
  daemon: 'none',
  status: null,
  servers: [],
  secrets: [],
  processes: { servers: [] },
  lock: [],
  standings: [],
};

/** A daemon that does not answer is what the doctor is called for: it becomes a check. */
async function lookAtDaemon(context: Context): Promise<OfDaemon & { fault: Check[] }> {
  try {
    const daemon: DaemonClient | null = await context.runningDaemon();
    if (daemon === null) return { ...NOTHING, fault: [] };
    return {
      daemon: 'answers',
      status: await daemon.status(),
      servers: await daemon.request<ServerStatus[]>('GET', '/api/servers'),
      secrets: await secretsOf(daemon),
      processes: await daemon.request<ProcessTree>('GET', '/api/processes'),
      lock: (await daemon.request<LockReport>('POST', '/api/lock', {})).servers,
      standings: await standingsOf(daemon),
      fault: [],
    };
  } catch (thrown) {
    if (!(thrown instanceof McpdError)) throw thrown;
    return { ...NOTHING, daemon: 'silent', fault: [failureOf('daemon', thrown)] };
  }
}

/** Of an earlier release of the daemon, and told by the check of the home. */
const SECRETS_UNTOLD: ReadonlySet<ErrorCode> = new Set(['ROUTE_UNKNOWN', 'SECRETS_DAMAGED', 'SECRETS_LOCKED']);

async function secretsOf(daemon: DaemonClient): Promise<SecretInfo[]> {
  try {
    return await daemon.request<SecretInfo[]>('GET', '/api/secrets');
  } catch (thrown) {
    if (thrown instanceof McpdError && SECRETS_UNTOLD.has(thrown.code)) return [];
    throw thrown;
  }
}

async function standingsOf(daemon: DaemonClient): Promise<RegistryStanding[]> {
  try {
    return await daemon.request<RegistryStanding[]>('GET', '/api/registries/standings');
  } catch (thrown) {
    if (thrown instanceof McpdError && thrown.code === 'ROUTE_UNKNOWN') return []; // an earlier release of the daemon
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
