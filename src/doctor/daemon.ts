import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from '../api/contract/health.ts';
import type { DaemonStatus, ServerStatus } from '../api/contract.ts';
import type { Paths } from '../paths.ts';
import { isRunning } from '../running.ts';
import { shellWord } from '../shell-word.ts';
import { amount, shownDuration } from '../shown.ts';
import { compareVersions, VERSION } from '../version.ts';
import { failure, note, ok, warning } from './check.ts';
import { remarkOf } from './remark.ts';

/** The daemon as it described itself; null when none runs, which is no fault. */
export function judgeDaemon(status: DaemonStatus | null, now: number): Check[] {
  if (status === null) return [note('daemon', 'not running; the next command or host starts it', 'mcpd up')];
  const facts = `version ${status.version}, process ${status.pid}, up ${shownDuration(now - status.startedAt)}, ${amount(status.servers, 'server')}, ${amount(status.sessions, 'host')}`;
  const order = compareVersions(VERSION, status.version);
  const keeper = 'started by a host or in the foreground; after a crash the next host or command starts it';
  // The daemon knows which port it is, and says so among its warnings.
  const portFault = status.port === null ? status.warnings.find((text) => text.includes('dashboard')) : undefined;
  return [
    order === 0
      ? ok('daemon', facts)
      : warning('daemon', `${facts}; this mcpd is ${VERSION}`, order > 0 ? 'mcpd restart' : 'use the newer mcpd'),
    ...(status.engine === 'direct' ? [note('daemon', keeper, 'mcpd restart')] : []),
    status.port === null
      ? warning('dashboard', portFault ?? 'off: another program has its port', 'set MCPD_PORT, then: mcpd restart')
      : ok('dashboard', `http://127.0.0.1:${status.port}`),
    ...status.warnings.filter((text) => text !== portFault).map((text) => warning('daemon', text, null)),
  ];
}

/** How the topics of servers begin. */
export const SERVER_TOPIC = 'server ';

/** Each server by its state; what is wrong comes with the daemon's own advice. */
export function judgeServer(server: ServerStatus): Check {
  const topic = `${SERVER_TOPIC}${server.name}`;
  const remark = remarkOf(server);
  const text = remark === '' ? server.state : `${server.state}: ${remark}`;
  const fix = server.fix ?? `mcpd logs ${server.name}`;
  if (!server.enabled) return note(topic, 'disabled', `mcpd enable ${server.name}`);
  if (server.state === 'failed') return failure(topic, text, fix, 'server');
  if (server.state === 'backoff' || server.health === 'degraded' || server.health === 'silent')
    return warning(topic, text, fix);
  // What does not run is neither well nor ill.
  return server.state === 'running' ? ok(topic, text) : note(topic, restText(server, text));
}

/** pm2's own process and folder, in the private home that mcpd gives it. */
export function checkPm2(paths: Paths, status: DaemonStatus | null): Check[] {
  const folder = lstatSync(paths.pm2Home, { throwIfNoEntry: false });
  if (folder === undefined)
    return status?.engine === 'pm2'
      ? [failure('pm2', `its folder ${paths.pm2Home} is gone`, 'mcpd restart', 'daemon')]
      : [];
  if (process.platform !== 'win32' && (folder.mode & 0o077) !== 0) {
    return [
      warning(
        'pm2',
        `others may enter ${paths.pm2Home}: its sockets start programs`,
        `chmod 700 ${shellWord(paths.pm2Home)}`,
      ),
    ];
  }
  const pid = pidIn(join(paths.pm2Home, 'pm2.pid'));
  const isUp = pid !== null && isRunning(pid);
  if (isUp) return [ok('pm2', `process ${pid}, in ${paths.pm2Home}`)];
  return status?.engine === 'pm2'
    ? [warning('pm2', 'it has ended, so nothing restarts the daemon after a crash', 'mcpd restart')]
    : [];
}

// — internal —

function restText({ state, start }: ServerStatus, text: string): string {
  if (state !== 'stopped' || start === 'always') return text;
  return `${text}; ${start === 'on-demand' ? 'starts with its first call' : 'starts when somebody starts it'}`;
}

function pidIn(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8').trim());
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null; // pm2 does not run, or never did.
  }
}
