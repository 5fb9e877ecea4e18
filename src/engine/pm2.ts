import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, McpdError } from '../errors.ts';
import { homeFault } from '../home.ts';
import { CONTROL_POLL_MS, PM2_END_TIMEOUT_MS, PM2_LOG_BYTES_MAX } from '../operation-limits.ts';
import type { Paths } from '../paths.ts';
import { isRunning } from '../running.ts';
import { ecosystemText } from './ecosystem.ts';
import { runPm2 } from './pm2-command.ts';
import type { DaemonProgram } from './program.ts';

/**
 * Starts the daemon under a pm2 of its own. What an earlier pm2 of this home left (a crashing daemon, one of an older version) is ended
 * first, so that each start is a fresh one. Only under the start lock, and only when no daemon answers.
 * @throws {McpdError} PM2_FAILED, HOME_UNWRITABLE, DISK_FULL
 */
export async function startUnderPm2(program: DaemonProgram): Promise<void> {
  const { paths } = program;
  await stopPm2(program);
  const config = join(paths.pm2Home, 'mcpd.config.cjs');
  try {
    // pm2's sockets can be used by everybody who reaches them.
    mkdirSync(paths.pm2Home, { recursive: true, mode: 0o700 });
    chmodSync(paths.pm2Home, 0o700);
    for (const log of [paths.startLog, join(paths.pm2Home, 'pm2.log')]) emptyLargeLog(log);
    writeFileSync(config, ecosystemText(program, process.execPath), { mode: 0o600 });
  } catch (thrown) {
    throw homeFault(thrown, `the start of the daemon cannot be prepared in ${paths.home}`);
  }
  await runPm2(program, ['start', config]);
}

/**
 * Ends the pm2 of this home, and with it a daemon that it runs (SIGINT, then SIGKILL after PM2_KILL_TIMEOUT_MS). Resolves when its process
 * is gone; false when there is none. Only under the start lock.
 * @throws {McpdError} PM2_FAILED
 */
export async function stopPm2(program: DaemonProgram): Promise<boolean> {
  const pid = pm2Pid(program.paths);
  if (pid === null) return false;
  await runPm2(program, ['kill']);
  const until = performance.now() + PM2_END_TIMEOUT_MS;
  while (isRunning(pid)) {
    if (performance.now() >= until) {
      throw new McpdError('PM2_FAILED', {
        what: `pm2 (process ${pid}) does not end`,
        why: `it was told to, ${PM2_END_TIMEOUT_MS / 1000} s ago`,
        fix: `kill ${pid}`,
      });
    }
    await delay(CONTROL_POLL_MS);
  }
  return true;
}

// — internal —

/** The pid of the pm2 daemon of this home, or null. pm2 leaves its pid file when it is killed, so the process must look like one. */
function pm2Pid(paths: Paths): number | null {
  let text: string;
  try {
    text = readFileSync(join(paths.pm2Home, 'pm2.pid'), 'utf8').trim();
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return null;
    throw homeFault(thrown, `${paths.pm2Home} cannot be read`);
  }
  const pid = Number(text);
  if (!/^\d+$/.test(text) || pid <= 1 || !isRunning(pid)) return null;
  return commandOf(pid).includes('God Daemon') ? pid : null;
}

/** pm2 gives its daemon this name: `PM2 v7.0.4: God Daemon (…)`. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'latin1' });
  } catch {
    return ''; // It has gone in between.
  }
}

/** Emptied in place: pm2 keeps the file open for appending. */
function emptyLargeLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > PM2_LOG_BYTES_MAX) truncateSync(path);
}
