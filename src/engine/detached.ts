import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { asMcpdError } from '../errors.ts';
import { homeFault } from '../home.ts';
import { DAEMON_ENVIRONMENT } from '../limits.ts';
import { daemonEnvironment } from './environment.ts';
import type { DaemonProgram } from './program.ts';

/**
 * Starts the daemon by itself, in its own session, with nothing that restarts it.
 * @throws {McpdError} DAEMON_START_FAILED when there is no process, HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
 */
export async function startDetached(program: DaemonProgram): Promise<void> {
  const { paths, script, args } = program;
  let log: number;
  try {
    log = openSync(paths.startLog, 'a', 0o600);
  } catch (thrown) {
    throw homeFault(thrown, `${paths.startLog} cannot be written`);
  }
  try {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: paths.home,
      detached: true,
      stdio: ['ignore', log, log],
      windowsHide: true,
      env: daemonEnvironment(program.env, process.platform, {
        ...DAEMON_ENVIRONMENT,
        MCPD_HOME: paths.home,
        MCPD_ENGINE: 'direct',
      }),
    });
    await once(child, 'spawn');
    child.unref();
  } catch (thrown) {
    throw asMcpdError(thrown, 'DAEMON_START_FAILED', 'the daemon could not be started');
  } finally {
    closeSync(log);
  }
}
