import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { asMcpdError, McpdError } from '../errors.ts';
import { DAEMON_ENVIRONMENT } from '../limits.ts';
import { PM2_COMMAND_TIMEOUT_MS, PM2_OUTPUT_CHARS_MAX } from '../operation-limits.ts';
import { daemonEnvironment } from './environment.ts';
import type { DaemonProgram } from './program.ts';

/**
 * Runs pm2 as a program of its own (it is AGPL-3.0, and never part of ours) on our private PM2_HOME. Only under the start lock, and never to
 * ask something: every pm2 command starts a pm2 daemon when there is none.
 * @throws {McpdError} PM2_FAILED when it cannot be run, takes longer than PM2_COMMAND_TIMEOUT_MS, or ends with an error
 */
export async function runPm2(program: DaemonProgram, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [pm2Script(), ...args], {
    // pm2's sockets are named relative to this folder, see environmentOf.
    cwd: program.paths.pm2Home,
    env: environmentOf(program),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const output = collect(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), PM2_COMMAND_TIMEOUT_MS);
  try {
    // `exit`, not `close`: the pm2 daemon that it starts may hold the pipes.
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (code !== 0) throw failed(args, code, signal, output());
  } catch (thrown) {
    throw asMcpdError(thrown, 'PM2_FAILED', 'pm2 could not be run');
  } finally {
    clearTimeout(timer);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

// — internal —

function pm2Script(): string {
  try {
    return createRequire(import.meta.url).resolve('pm2/bin/pm2');
  } catch (thrown) {
    throw new McpdError(
      'PM2_FAILED',
      {
        what: 'pm2, which keeps the daemon alive, is not installed',
        fix: 'install mcpd again, or run the daemon in the foreground: mcpd daemon run',
      },
      { cause: thrown },
    );
  }
}

/**
 * Also the daemon's environment: pm2 hands it on. The two socket names are relative, because Node cuts a path silently at 108 bytes and two
 * long homes would share one pm2.
 */
function environmentOf(program: DaemonProgram): Record<string, string> {
  return daemonEnvironment(program.env, process.platform, {
    ...DAEMON_ENVIRONMENT,
    MCPD_HOME: program.paths.home,
    MCPD_ENGINE: 'pm2',
    PM2_HOME: program.paths.pm2Home,
    PM2_DAEMON_RPC_PORT: 'rpc.sock',
    PM2_DAEMON_PUB_PORT: 'pub.sock',
    PM2_DISABLE_VERSION_CHECK: 'true',
    PM2_DISCRETE_MODE: 'true',
    NO_COLOR: '1',
  });
}

function collect(child: ChildProcess): () => string {
  let text = '';
  const add = (data: Buffer) => {
    text = (text + data.toString('utf8')).slice(-PM2_OUTPUT_CHARS_MAX);
  };
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return () => text.trim();
}

function failed(args: readonly string[], code: number | null, signal: string | null, output: string): McpdError {
  const end = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  return new McpdError('PM2_FAILED', {
    what: `pm2 ${args[0]} ${end}`,
    why: output === '' ? 'it said nothing' : output,
    fix: 'try again, or run the daemon in the foreground: mcpd daemon run',
  });
}
