import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { DAEMON_ENVIRONMENT, START_LOG_TAIL_BYTES } from '../../src/limits.ts';
import { reasonOf } from './home.ts';

/** Empty as long as the daemon has nothing to complain about; it writes its log elsewhere. */
const START_LOG = 'start.log';

/**
 * Starts a daemon that outlives the shim, in a session of its own. Many may be started at once: the lock lets one of them live.
 * `onEnd` comes once if it ends or cannot be started: null when it had nothing to say (another daemon has the lock), else why.
 * The working folder is the home.
 */
export function startDaemon(home: string, program: string, onEnd: (why: string | null) => void): void {
  let log: number | null = null;
  try {
    // Loaded here: most shims find a daemon, and starting must stay quick.
    const { spawn } = process.getBuiltinModule('node:child_process');
    // Emptied now, and appended to, so that it can be emptied later too.
    log = openSync(START_LOG, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND, 0o600);
    const child = spawn(process.execPath, [program, '--engine', 'direct'], {
      detached: true,
      stdio: ['ignore', 'ignore', log],
      env: { ...process.env, ...DAEMON_ENVIRONMENT, MCPD_HOME: home },
      windowsHide: true,
    });
    child.once('error', (error) => onEnd(reasonOf(error)));
    child.once('exit', (code, signal) => onEnd(code === 0 ? null : complaint(code, signal)));
    child.unref();
  } catch (thrown) {
    // As if it had been started and had failed; not at once, so that the caller sees one order of things.
    setImmediate(onEnd, reasonOf(thrown));
  } finally {
    if (log !== null) closeSync(log);
  }
}

// — internal —

/** How the line begins in which a daemon says why it cannot start. */
const FATAL = '{"fatal":';

function reasonIn(fatalLine: string): string {
  const { what, why, fix } = (JSON.parse(fatalLine) as { fatal: Record<string, string | undefined> }).fatal;
  return [what, why, fix === undefined ? undefined : `try: ${fix}`].filter((part) => part !== undefined).join('; ');
}

function complaint(code: number | null, signal: string | null): string {
  const ended = signal === null ? `the daemon ended with code ${code}` : `the daemon was ended by ${signal}`;
  const said = tail();
  return said === '' ? ended : said;
}

/** The reason that the daemon gave, or the last lines that it wrote as one line of plain text. */
function tail(): string {
  try {
    const end = readFileSync(START_LOG).subarray(-START_LOG_TAIL_BYTES).toString('utf8');
    const fatal = end.split('\n').findLast((line) => line.startsWith(FATAL));
    if (fatal !== undefined) return reasonIn(fatal);
    return end.replace(/\p{Cc}+\s*/gu, ' | ').replace(/^[ |]+|[ |]+$/g, '');
  } catch {
    // No log: then the exit code has to do.
    return '';
  }
}
