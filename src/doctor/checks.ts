import type { SecretInfo } from '../api/contract/credentials.ts';
import type { Check, HealthReport, Verdict } from '../api/contract/health.ts';
import type { LockState } from '../api/contract/lock.ts';
import type { RegistryStanding } from '../api/contract/search.ts';
import type { DaemonStatus, ProcessTree, ServerStatus } from '../api/contract.ts';
import { asMcpdError } from '../errors.ts';
import type { Paths } from '../paths.ts';
import { failureOf } from './check.ts';
import { checkPm2, judgeDaemon, judgeServer, SERVER_TOPIC } from './daemon.ts';
import { checkFiles } from './files.ts';
import { checkHome } from './home.ts';
import { judgeLock } from './lock.ts';
import { checkLoginPath } from './login-path.ts';
import { judgeSecrets } from './secrets.ts';
import { judgeStandings } from './standings.ts';
import { judgeStrays } from './strays.ts';

/** What the checks are made of. */
export interface Seen {
  paths: Paths;
  env: NodeJS.ProcessEnv;
  /** Milliseconds since 1970. */
  now: number;
  /** `silent` is one that does not answer; why stands in `checks` of whoever asked it. */
  daemon: 'none' | 'silent' | 'answers';
  /** Of a daemon that answers; the lists are empty otherwise. */
  status: DaemonStatus | null;
  servers: readonly ServerStatus[];
  secrets: readonly SecretInfo[];
  processes: Pick<ProcessTree, 'servers'>;
  /** What is otherwise than mcpd.lock says. */
  lock: readonly LockState[];
  /** What MCP registries say of what was installed from them; none where nobody asked. */
  standings: readonly RegistryStanding[];
}

/** What `mcpd doctor` and the page both look at, in the order in which a person reads it. A look that fails is a finding itself. */
export async function lookedAt(seen: Seen): Promise<Check[]> {
  const found = await Promise.all(LOOKS.map((look) => result(look, seen)));
  return found.flat();
}

/**
 * What the daemon warns of is often what was looked at here as well: the first one counts, which may know more. Servers each keep their
 * line, however alike they fare.
 */
export function withoutRepeats(checks: readonly Check[]): Check[] {
  const isFirst = (check: Check, at: number) => checks.findIndex((other) => other.text === check.text) === at;
  return checks.filter((check, at) => check.topic.startsWith(SERVER_TOPIC) || isFirst(check, at));
}

export function reportOf(checks: readonly Check[], checkedAt: number): HealthReport {
  const worst = VERDICTS.filter((verdict) => checks.some((check) => check.verdict === verdict)).at(-1);
  return { checkedAt, verdict: worst ?? 'ok', checks: [...checks] };
}

// — internal —

/** The worst last. */
const VERDICTS: readonly Verdict[] = ['ok', 'note', 'warning', 'failure'];

interface Look {
  topic: string;
  run(seen: Seen): Check[] | Promise<Check[]>;
}

const LOOKS: readonly Look[] = [
  { topic: 'home', run: ({ paths, daemon }) => checkHome(paths, daemon !== 'none') },
  { topic: 'PATH', run: ({ env }) => checkLoginPath(env) },
  { topic: 'daemon', run: ({ daemon, status, now }) => (daemon === 'silent' ? [] : judgeDaemon(status, now)) },
  { topic: 'files', run: ({ status }) => (status === null ? [] : checkFiles(status.pid)) },
  { topic: 'pm2', run: ({ paths, status }) => checkPm2(paths, status) },
  { topic: 'servers', run: ({ servers }) => servers.map(judgeServer) },
  { topic: 'processes', run: ({ processes }) => judgeStrays(processes) },
  { topic: 'lock', run: ({ lock }) => judgeLock(lock) },
  { topic: 'registry', run: ({ standings }) => judgeStandings(standings) },
  { topic: 'secrets', run: ({ secrets }) => judgeSecrets(secrets) },
];

async function result({ topic, run }: Look, seen: Seen): Promise<Check[]> {
  try {
    return await run(seen);
  } catch (thrown) {
    return [failureOf(topic, asMcpdError(thrown, 'INTERNAL', 'this could not be looked at'))];
  }
}
