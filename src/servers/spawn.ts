import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, McpdError } from '../errors.ts';
import { SPAWN_RETRIES_MAX, SPAWN_RETRY_MS } from '../limits.ts';
import { shellWord } from '../shell-word.ts';
import type { LaunchPlan } from './launch-plan.ts';

export interface SpawnOptions {
  /** File mode mask of the server; the daemon's own is 077, which would surprise in a person's project folder. */
  umask: number;
  signal: AbortSignal;
  /** Told before each further attempt. */
  onRetry(errno: string): void;
}

/**
 * Starts the process as leader of its own session and group, with three pipes and no other descriptor (Node opens all of its own with
 * close-on-exec). Shortages of the moment are tried again SPAWN_RETRIES_MAX times.
 * @throws McpdError SERVER_START_FAILED with the errno and what it means here; SERVER_STOPPED when `signal` was raised meanwhile, also
 * while the plan is being made; or what the plan failed with
 */
export async function spawnGroup(
  planned: Promise<LaunchPlan>,
  options: SpawnOptions,
): Promise<ChildProcessWithoutNullStreams> {
  const plan = await Promise.race([planned, cancelled(options.signal)]);
  for (let retry = 0; ; retry++) {
    if (options.signal.aborted) throw stoppedEarly();
    try {
      return await attempt(plan, options.umask);
    } catch (error) {
      const errno = errnoOf(error) ?? String(error);
      if (!SHORTAGES.has(errno) || retry >= SPAWN_RETRIES_MAX) throw await explained(errno, plan);
      options.onRetry(errno);
      await delay(SPAWN_RETRY_MS, undefined, { signal: options.signal }).catch(() => undefined); // the loop sees the abort
    }
  }
}

// — internal —

/** ETXTBSY: the program is being written at this moment, as by an install. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ETXTBSY']);

function cancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(stoppedEarly()), { once: true }));
}

function stoppedEarly(): McpdError {
  return new McpdError('SERVER_STOPPED', { what: 'stopped before it was started' });
}

function attempt(plan: LaunchPlan, umask: number): Promise<ChildProcessWithoutNullStreams> {
  return new Promise((resolve, reject) => {
    const daemonMask = process.umask(umask);
    try {
      const child = spawn(plan.file, plan.args, {
        cwd: plan.cwd,
        env: plan.env,
        stdio: ['pipe', 'pipe', 'pipe'],
        // On Windows this would open a console window; there is no group either.
        detached: process.platform !== 'win32',
        windowsHide: true,
        windowsVerbatimArguments: plan.verbatim,
      });
      // Later errors are of signals, which signals.ts sends itself.
      child.on('error', reject);
      if (child.pid !== undefined) resolve(child);
    } catch (error) {
      reject(error instanceof Error ? error : new RangeError(String(error)));
    } finally {
      process.umask(daemonMask);
    }
  });
}

async function explained(errno: string, plan: LaunchPlan): Promise<McpdError> {
  const why = await meaningOf(errno, plan);
  const what = `spawn ${errno}`;
  return new McpdError('SERVER_START_FAILED', why === null ? { what, why: plan.file } : { what, ...why });
}

/** The file was found and the folder was there a moment ago, so the plain meanings of these errors are ruled out. */
async function meaningOf(errno: string, { file }: LaunchPlan): Promise<{ why: string; fix: string } | null> {
  switch (errno) {
    case 'ENOENT': {
      const firstLine = await firstLineOf(file);
      const interpreter = /^#!\s*(\S+)/.exec(firstLine)?.[1];
      if (interpreter === undefined) return null;
      // The system takes the carriage return for a letter of the program's name.
      if (firstLine.endsWith('\r'))
        return { why: `${file} has line ends of Windows`, fix: `sed -i 's/\\r$//' ${shellWord(file)}` };
      return {
        why: `${file} names ${interpreter} in its first line, which does not exist`,
        fix: `install ${interpreter}`,
      };
    }
    case 'ENOEXEC':
      return {
        why: `${file} is neither a program of this system nor a script with a first line`,
        fix: 'give its interpreter as the command',
      };
    case 'EACCES':
      return {
        why: `${file} may not be run by this user, or lies on a file system without that right`,
        fix: `ls -l ${shellWord(file)}`,
      };
    case 'E2BIG':
      return {
        why: 'its arguments and environment together are longer than the system allows',
        fix: 'put long values into a file',
      };
    case 'EMFILE':
    case 'ENFILE':
      return {
        why: 'no file descriptor is free',
        fix: 'raise the limit (ulimit -n) and restart mcpd, or stop some servers',
      };
    case 'EAGAIN':
    case 'ENOMEM':
      return { why: 'the system has no process or memory left for it', fix: 'stop some servers or other programs' };
    default:
      return null;
  }
}

/** No longer than systems read it; empty when it cannot be read, as it is only an explanation: without it the errno stands alone. */
async function firstLineOf(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => null);
  try {
    const head = await handle?.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0);
    return head?.buffer.toString('latin1', 0, head.bytesRead).split('\n', 1)[0] ?? '';
  } catch {
    return ''; // as above
  } finally {
    await handle?.close();
  }
}

const FIRST_LINE_BYTES = 256;
