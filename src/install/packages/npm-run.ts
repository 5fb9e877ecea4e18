import { type ChildProcess, spawn } from 'node:child_process';
import { realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { McpdError } from '../../errors.ts';
import { NPM_KILL_GRACE_MS, NPM_OUTPUT_BYTES_MAX } from '../../operation-limits.ts';

/** The npm program, without its arguments. Never a shell. */
export interface NpmProgram {
  command: string;
  args: string[];
}

export interface NpmRun {
  code: number | null;
  stdout: string;
  stderr: string;
  /** It was ended because it took longer than `timeoutMs`. */
  timedOut: boolean;
}

export interface NpmRunOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  timeoutMs: number;
  /** A line of stderr, as it comes. */
  onLine(line: string): void;
  /** Told of the process group while it lives, so that it cannot outlive a killed daemon; returns what to call when it is gone. */
  track?: ((pid: number) => () => void) | undefined;
}

/**
 * The npm that came with the node at `execPath`, else the first on `path`.
 * @throws McpdError FETCH_FAILED when there is none
 */
export async function findNpm(execPath: string, path: string): Promise<NpmProgram> {
  const folders = [dirname(execPath), dirname(await realpath(execPath))];
  for (const folder of folders) {
    for (const beside of [['..', 'lib'], []]) {
      const cli = join(folder, ...beside, 'node_modules', 'npm', 'bin', 'npm-cli.js');
      if (await isFile(cli)) return { command: execPath, args: [cli] };
    }
  }
  for (const folder of path.split(delimiter).filter((each) => each !== '')) {
    const cli = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
    if (await isFile(cli)) return { command: execPath, args: [cli] };
    if (process.platform === 'win32' || !(await isFile(join(folder, 'npm')))) continue;
    const target = await realpath(join(folder, 'npm'));
    return extname(target) === '.js' ? { command: execPath, args: [target] } : { command: target, args: [] };
  }
  throw new McpdError('FETCH_FAILED', {
    what: 'npm was not found',
    why: `neither beside ${execPath} nor on the PATH`,
    fix: 'install npm, which comes with Node.js from nodejs.org',
  });
}

/**
 * `env` for npm: what a surrounding `npx` or `npm run` set is taken out, since it would change where and what npm installs. Settings that
 * say how to reach a registry stay: they are the user's own.
 */
export function npmEnvironment(env: NodeJS.ProcessEnv, execPath: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => {
    const setting = /^npm_config_(.*)$/i.exec(name)?.[1];
    if (setting !== undefined) return REACHING.test(setting);
    return !/^(npm_|INIT_CWD$|NODE_OPTIONS$)/i.test(name);
  });
  // Scripts of packages call `node`, which a daemon started by a desktop does not have on its PATH.
  const path = [dirname(execPath), env['PATH']].filter((part) => part !== undefined && part !== '').join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path };
}

/** Runs npm in a process group of its own; an abort or the time limit ends the whole group. @throws the signal's reason when aborted */
export async function runNpm(program: NpmProgram, args: readonly string[], options: NpmRunOptions): Promise<NpmRun> {
  options.signal.throwIfAborted();
  const child = spawn(program.command, [...program.args, ...args], {
    cwd: options.cwd,
    env: options.env,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const untrack = child.pid === undefined ? undefined : options.track?.(child.pid);
  let timedOut = false;
  const end = () => endGroup(child);
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, options.timeoutMs);
  options.signal.addEventListener('abort', end);
  try {
    const run = await outcomeOf(child, options.onLine);
    options.signal.throwIfAborted();
    return { ...run, timedOut };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', end);
    untrack?.();
  }
}

// — internal —

const REACHING =
  /^(registry|userconfig|globalconfig|cache|(https?[_-])?proxy|noproxy|ca|cafile|cert|key|strict[_-]ssl|@.*|\/\/.*)$/i;

function outcomeOf(child: ChildProcess, onLine: (line: string) => void): Promise<Omit<NpmRun, 'timedOut'>> {
  return new Promise((resolve, reject) => {
    const stdout = tailOf(child.stdout);
    const stderr = tailOf(child.stderr);
    if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', onLine);
    child.on('error', (error) => {
      reject(
        new McpdError(
          'FETCH_FAILED',
          { what: 'npm could not be started', why: error.message, fix: 'npm --version' },
          { cause: error },
        ),
      );
    });
    child.on('exit', () => signalGroup(child, 'SIGKILL')); // a script's background process would hold the pipes, and stay
    child.on('close', (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
  });
}

/** Collects the end of a stream. */
function tailOf(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-NPM_OUTPUT_BYTES_MAX);
  });
  return () => text;
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), NPM_KILL_GRACE_MS);
  child.once('exit', () => clearTimeout(timer));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => {
        child.kill(); // no taskkill on this system: then at least npm itself
      },
    );
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: the whole group is gone, which is what was wanted
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not to be read: no npm for us either way
  }
}
