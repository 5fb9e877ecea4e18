import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, McpdError } from '../errors.ts';
import { START_LOG_TAIL_BYTES } from '../limits.ts';
import { CONTROL_POLL_MS, DAEMON_START_TIMEOUT_MS, DAEMON_STOP_TIMEOUT_MS } from '../operation-limits.ts';
import type { Paths } from '../paths.ts';
import { isRunning } from '../running.ts';
import { fatalIn } from '../start-report.ts';
import { DaemonClient } from './client.ts';
import type { Engine } from './engine.ts';
import { isAbsent } from './exchange.ts';
import { lookForDaemon, moveFor, type Sighting, watchForDaemon } from './sighting.ts';

export interface EnsureOptions {
  paths: Paths;
  /** Of this program. */
  version: string;
  /** Loaded only when something must be started or replaced. */
  engine: () => Promise<Engine>;
  /** A sentence for the person who waits. */
  say: (text: string) => void;
}

export interface StopOptions {
  /** Skips the drain. */
  now: boolean;
  /** The caller starts another one at once. */
  successor: boolean;
}

/** The running daemon, or null. Never starts one. @throws McpdError as `exchange` does, when one is there and does not answer */
export async function findDaemon(paths: Paths): Promise<DaemonClient | null> {
  const sighting = await lookForDaemon(paths);
  if (sighting.kind === 'hung') throw sighting.error;
  return sighting.kind === 'absent' ? null : new DaemonClient(paths);
}

/**
 * The running daemon. Starts one when there is none, waits for one that is stopping, and replaces one of an older version.
 * @throws {McpdError} DAEMON_START_FAILED with the end of its start log, or the daemon's own reason why it cannot start; DAEMON_UNREACHABLE
 *   when one hangs; DAEMON_OLDER when it could not be replaced; PM2_FAILED
 */
export async function ensureDaemon(options: EnsureOptions): Promise<DaemonClient> {
  const first = await lookForDaemon(options.paths);
  if (first.kind === 'hung') throw first.error;
  if (moveFor(first, options.version) !== 'use') {
    const engine = await options.engine();
    // Somebody else may have done it while we waited for the lock: look again.
    await engine.underLock(async () => settle(options, engine, await lookForDaemon(options.paths)));
  }
  return new DaemonClient(options.paths);
}

/**
 * Ends the daemon and what keeps it alive; false when there was none.
 * @throws {McpdError} DAEMON_STOPPING when it takes too long, DAEMON_UNREACHABLE with its pid when it hangs and pm2 does not end it, PM2_FAILED
 */
export async function stopDaemon(options: Pick<EnsureOptions, 'paths' | 'engine'> & StopOptions): Promise<boolean> {
  const engine = await options.engine();
  return engine.underLock(async () => {
    const sighting = await lookForDaemon(options.paths);
    const direct = sighting.kind === 'answers' && sighting.status.engine === 'direct';
    // pm2 may keep a second daemon ready that would take over at once; and it ends a daemon of its own that hangs.
    const ended = (direct || sighting.kind === 'hung') && (await engine.stop());
    const left = sighting.kind === 'hung' && ended ? await lookForDaemon(options.paths) : sighting;
    if (left.kind === 'hung') throw hungForGood(options.paths, left.error);
    if (left.kind === 'answers') await shutDown(options.paths, left.status.pid, options);
    const kept = await engine.stop();
    return sighting.kind !== 'absent' || kept;
  });
}

// — internal —

/** A shim of an old version may start an old daemon in the gap; then it is replaced once more, and no oftener. */
const REPLACEMENTS_MAX = 2;

async function settle(options: EnsureOptions, engine: Engine, found: Sighting): Promise<void> {
  let sighting = found;
  for (let replaced = 0; ; ) {
    const move = moveFor(sighting, options.version);
    if (move === 'use') return;
    if (sighting.kind === 'hung') throw sighting.error;
    if (move === 'start') sighting = await start(options, engine);
    else if (sighting.kind === 'answers') {
      const { pid, version } = sighting.status;
      if (move === 'replace') {
        if (replaced++ === REPLACEMENTS_MAX) throw notReplaced(version, options.version);
        options.say(`mcpd ${version} runs and this is ${options.version}: it ends its calls and is replaced`);
        await shutDown(options.paths, pid, { now: false, successor: true });
        await engine.stop();
      } else {
        options.say('the daemon is stopping; waiting for its end');
        await gone(options.paths, pid);
      }
      sighting = await lookForDaemon(options.paths);
    }
  }
}

async function shutDown(paths: Paths, pid: number, { now, successor }: StopOptions): Promise<void> {
  try {
    await new DaemonClient(paths).shutdown({ now, successor });
  } catch (thrown) {
    // It went by itself in between.
    if (!isAbsent(thrown) && !(thrown instanceof McpdError && thrown.code === 'DAEMON_LOST')) throw thrown;
  }
  await gone(paths, pid);
}

async function gone(paths: Paths, pid: number): Promise<void> {
  const until = performance.now() + DAEMON_STOP_TIMEOUT_MS;
  while (isRunning(pid)) {
    if (performance.now() >= until) {
      throw new McpdError('DAEMON_STOPPING', {
        what: `the daemon of ${paths.home} (process ${pid}) does not end`,
        why: `it was asked to, ${DAEMON_STOP_TIMEOUT_MS / 1000} s ago`,
        fix: 'mcpd down --now',
      });
    }
    await delay(CONTROL_POLL_MS);
  }
}

async function start(options: EnsureOptions, engine: Engine): Promise<Sighting> {
  const { paths } = options;
  const logBefore = sizeOf(paths.startLog);
  await engine.start();
  // A line of the daemon itself that says why it cannot start ends the wait: nothing better will come.
  const reason = () => fatalIn(tailSince(paths.startLog, logBefore));
  const sighting = await watchForDaemon(
    paths,
    DAEMON_START_TIMEOUT_MS,
    (seen) => seen.kind === 'answers' || reason() !== null,
  );
  if (sighting.kind === 'answers') return sighting;
  await engine.stop();
  throw reason() ?? notStarted(paths, tailSince(paths.startLog, logBefore));
}

function notStarted(paths: Paths, tail: string): McpdError {
  const lines = tail.trim();
  return new McpdError('DAEMON_START_FAILED', {
    what: `the daemon did not answer within ${DAEMON_START_TIMEOUT_MS / 1000} s after its start`,
    why: lines === '' ? `it wrote nothing into ${paths.startLog}` : `the end of ${paths.startLog}:\n${lines}`,
    fix: 'mcpd daemon run shows what happens in the foreground',
  });
}

function notReplaced(found: string, wanted: string): McpdError {
  return new McpdError('DAEMON_OLDER', {
    what: `a daemon of version ${found} came back each time it was replaced by ${wanted}`,
    why: 'another installed mcpd starts it, perhaps the one that a host uses',
    fix: 'update that one, or let the host use this one (command -v mcpd)',
  });
}

/** pm2 ends a daemon of its own that hangs. One that was started by itself is left to the person, who learns which process it is. */
function hungForGood(paths: Paths, error: McpdError): McpdError {
  const pid = pidIn(paths.daemonInfo);
  if (pid === null || !isRunning(pid)) return error;
  const { what, why } = error.parts;
  return new McpdError('DAEMON_UNREACHABLE', {
    what: `${what} (process ${pid})`,
    ...(why === undefined ? {} : { why }),
    fix: `kill -9 ${pid}`,
  });
}

function pidIn(daemonInfo: string): number | null {
  try {
    const { pid } = JSON.parse(readFileSync(daemonInfo, 'utf8')) as { pid?: unknown };
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 1 ? pid : null;
  } catch {
    return null; // A hint that is not there, or not whole.
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What was written since the file had that size, at most its last START_LOG_TAIL_BYTES. */
function tailSince(path: string, size: number): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return '';
    throw thrown;
  }
  try {
    const end = fstatSync(file).size;
    // Smaller than before: it was emptied in between.
    const start = Math.max(end < size ? 0 : size, end - START_LOG_TAIL_BYTES);
    const bytes = Buffer.alloc(end - start);
    readSync(file, bytes, 0, bytes.length, start);
    return bytes.toString('utf8');
  } finally {
    closeSync(file);
  }
}
