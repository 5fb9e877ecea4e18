import { writeFileSync } from 'node:fs';
import type { Lock } from '../../registry/lock.ts';
import { asMcpdError } from '../errors.ts';
import { prepareHome } from '../home.ts';
import { homePath, type Paths, pathsOf, portFinding } from '../paths.ts';
import { storeFinding } from '../secret-keys.ts';
import { ENDED_EXIT_CODE, FATAL_EXIT_CODE, fatalLine } from '../start-report.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { giveBackWhenIdle } from './idle-heap.ts';
import { becomeTheDaemon } from './standby.ts';

/**
 * The daemon's program: one per home, in the foreground. `--engine direct` (or MCPD_ENGINE) says that a shim started it and nobody keeps
 * it alive; `pm2` and a service manager do.
 */
void run();

// — internal —

type Keeper = 'pm2' | 'direct' | 'foreground';

async function run(): Promise<void> {
  const keeper = keeperOf(process.argv, process.env);
  const paths = pathsOf(homePath());
  const begun = await begin(paths, keeper);
  if (begun === null) return;
  const { daemon, lock } = begun;
  obeySignals(daemon);
  giveBackWhenIdle(() => daemon.events());
  process.send?.('ready');
  const reason = await daemon.ended;
  if (reason === 'person') leaveEndMark(paths);
  // A pm2 whose folder is gone can be told nothing any more, and would stay for ever. Only SIGKILL keeps it from tidying up in a new home.
  if (reason === 'home-gone' && keeper === 'pm2' && process.connected) process.kill(process.ppid, 'SIGKILL');
  lock.release();
  // pm2 takes 0 for a crash as well; it restarts whatever does not say that it was meant.
  const meant = keeper === 'pm2' && reason !== 'signal';
  process.exit(process.exitCode ?? (meant ? ENDED_EXIT_CODE : 0));
}

/** Null when another daemon serves and this one is not needed. Does not return when it cannot start. */
async function begin(paths: Paths, keeper: Keeper): Promise<{ daemon: Daemon; lock: Lock } | null> {
  try {
    const warnings = [
      prepareHome(paths.home, { probe: false }),
      portFinding() ?? [],
      storeFinding(process.env) ?? [],
    ].flat();
    process.chdir(paths.home);
    const lock = await becomeTheDaemon(paths, keeper !== 'direct', () => {
      console.error('mcpd: another daemon of this home is running; waiting to take over');
      // pm2 waits for this word, and a standby is all that it can have.
      process.send?.('ready');
    });
    if (lock === null) return null;
    return { daemon: await startDaemon(paths, keeper === 'pm2' ? 'pm2' : 'direct', warnings), lock };
  } catch (thrown) {
    const error = asMcpdError(thrown, 'DAEMON_START_FAILED', 'the daemon cannot start');
    console.error(fatalLine(error));
    process.exit(FATAL_EXIT_CODE);
  }
}

function leaveEndMark({ endMark }: Paths): void {
  try {
    writeFileSync(endMark, '', { mode: 0o600 });
  } catch (thrown) {
    // It only spares a standby that a shim has started: such a one will take over now, and end with its hosts.
    console.error(`mcpd: ${endMark} was not written: ${String(thrown)}`);
  }
}

function keeperOf(argv: readonly string[], env: NodeJS.ProcessEnv): Keeper {
  const at = argv.indexOf('--engine');
  const named = at < 0 ? env['MCPD_ENGINE'] : argv[at + 1];
  return named === 'pm2' || named === 'direct' ? named : 'foreground';
}

function obeySignals(daemon: Daemon): void {
  let asked = 0;
  const stop = () => {
    asked += 1;
    daemon.end(asked > 1);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => daemon.reload());
  process.on('SIGQUIT', () => console.error(daemon.dump()));
  // pm2 may die; its end of the channel goes with it, and mcpd lives on.
  process.on('disconnect', () => daemon.abandon());
  let faults = 0;
  const fault = (thrown: unknown) => {
    faults += 1;
    process.exitCode = 1;
    console.error(`mcpd: a fault of its own: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
    // Whatever keeps it starts it again, and the shims resume their sessions.
    if (faults > 1) process.exit(1);
    daemon.end(false);
  };
  process.on('uncaughtException', fault);
  process.on('unhandledRejection', fault);
}
