import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DaemonStatus } from '../../src/api/contract.ts';
import { McpdError } from '../../src/errors.ts';
import { amount, shownDuration } from '../../src/shown.ts';
import { showable } from '../../src/text.ts';
import { VERSION } from '../../src/version.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';

export async function runUp(parsed: Parsed, context: Context): Promise<void> {
  showStatus(await (await context.daemon()).status(), parsed, context);
}

export async function runDown(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const stopped = await context.stopDaemon({ now: parsed.flag('now'), successor: false });
  if (parsed.flag('json')) return output.json({ stopped });
  output.print(stopped ? 'mcpd has stopped, and every server with it.' : 'mcpd was not running.');
}

/** `mcpd restart` without a name. Hosts stay connected: their shims wait for the new daemon. */
export async function restartDaemon(parsed: Parsed, context: Context): Promise<void> {
  await context.stopDaemon({ now: false, successor: true });
  showStatus(await (await context.daemon()).status(), parsed, context);
}

/** Never starts a daemon; that none runs is an answer and no error. */
export async function runStatus(parsed: Parsed, context: Context): Promise<void> {
  const daemon = await context.runningDaemon();
  if (daemon !== null) return showStatus(await daemon.status(), parsed, context);
  const { output, paths } = context;
  if (parsed.flag('json'))
    return output.json({ state: 'stopped', pid: null, version: VERSION, home: paths.home, port: null });
  output.fields([
    ['state', 'stopped; the next command or host starts it'],
    ['version', VERSION],
    ['home', paths.home],
  ]);
}

/** The daemon in this very process: whoever runs it (systemd, a container, a person who looks) sees what it says. */
export async function runDaemon(parsed: Parsed, context: Context): Promise<void> {
  if (parsed.operands[0] !== 'run') {
    throw new McpdError('USAGE', {
      what: `mcpd daemon does not know ${parsed.operands[0] ?? ''}`,
      fix: 'mcpd daemon run',
    });
  }
  context.releaseSignals();
  createRequire(import.meta.url)(join(context.dist, 'daemon.cjs'));
}

// — internal —

const ENGINES: Record<DaemonStatus['engine'], string> = {
  pm2: 'kept running by pm2',
  direct: 'started by itself; mcpd restart hands it to pm2',
};

function showStatus(status: DaemonStatus, parsed: Parsed, { output }: Context): void {
  if (parsed.flag('json')) return output.json(status);
  output.fields([
    ['state', `${status.state} for ${shownDuration(Date.now() - status.startedAt)}, ${ENGINES[status.engine]}`],
    ['version', `${status.version} on node ${status.node}`],
    ['process', String(status.pid)],
    ['home', status.home],
    ['dashboard', status.port === null ? 'off' : `http://127.0.0.1:${status.port} (mcpd dashboard opens it)`],
    [
      'HTTP hosts',
      status.port === null ? 'off' : `http://127.0.0.1:${status.port}/mcp (mcpd token add NAME lets one in)`,
    ],
    ['servers', `${status.servers}, ${amount(status.sessions, 'host')} connected, ${amount(status.calls, 'call')}`],
  ]);
  for (const warning of status.warnings) output.say(`${output.sayPaint.yellow('warning')}  ${showable(warning)}`);
}
