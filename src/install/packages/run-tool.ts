import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { McpdError } from '../../errors.ts';
import { TOOL_KILL_GRACE_MS, TOOL_OUTPUT_BYTES_MAX } from '../../operation-limits.ts';

/** Running what fetches packages: npm, uv, pip, docker, dotnet, git. Never a shell. */

/** A program without the arguments of this run. */
export interface ToolProgram {
  command: string;
  args: string[];
}

export interface ToolRun {
  code: number | null;
  stdout: string;
  stderr: string;
  /** It was ended because it took longer than `timeoutMs`. */
  timedOut: boolean;
}

export interface ToolRunOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  timeoutMs: number;
  /** A line of stderr, as it comes. */
  onLine(line: string): void;
  /** What it prints, as it comes: all of it, where the end that is kept would not do. */
  onOutput?: ((text: string) => void) | undefined;
  /** Told of the process group while it lives, so that it cannot outlive a killed daemon; returns what to call when it is gone. */
  track?: ((pid: number) => () => void) | undefined;
}

/** Runs it in a process group of its own; an abort or the time limit ends the whole group. @throws the signal's reason when aborted */
export async function runTool(
  program: ToolProgram,
  args: readonly string[],
  options: ToolRunOptions,
): Promise<ToolRun> {
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
    const run = await outcomeOf(child, basename(program.command), options);
    options.signal.throwIfAborted();
    return { ...run, timedOut };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', end);
    untrack?.();
  }
}

// — internal —

function outcomeOf(
  child: ChildProcess,
  name: string,
  { onLine, onOutput }: Pick<ToolRunOptions, 'onLine' | 'onOutput'>,
): Promise<Omit<ToolRun, 'timedOut'>> {
  return new Promise((resolve, reject) => {
    const stdout = tailOf(child.stdout);
    if (onOutput !== undefined) child.stdout?.on('data', onOutput);
    const stderr = tailOf(child.stderr);
    if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', onLine);
    child.on('error', (error) => {
      reject(
        new McpdError(
          'FETCH_FAILED',
          { what: `${name} could not be started`, why: error.message, fix: `${name} --version` },
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
    text = (text + part).slice(-TOOL_OUTPUT_BYTES_MAX);
  });
  return () => text;
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), TOOL_KILL_GRACE_MS);
  child.once('exit', () => clearTimeout(timer));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => {
        child.kill(); // no taskkill on this system: then at least the tool itself
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
