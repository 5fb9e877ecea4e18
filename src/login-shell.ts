import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { LOGIN_SHELL_TIMEOUT_MS } from './limits.ts';

/** The shell that a terminal of this user opens: what `SHELL` says, else the user's entry. */
export function loginShell(env: NodeJS.ProcessEnv): string {
  const given = env['SHELL'];
  if (given?.startsWith('/')) return given;
  return shellOfUser() ?? '/bin/sh';
}

/**
 * The PATH that the shell has after its profile; null when it is too slow or there is no such shell. Never rejects. It is an interactive
 * login shell in a session of its own: it has no terminal to wait for, and all that its profile starts can be ended. It is killed as soon
 * as its answer is there.
 */
export function readLoginPath(shell: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const mark = `mcpd-${randomBytes(8).toString('hex')}`;
  return new Promise((resolve) => {
    const child = started(shell, mark, env);
    if (child === null) return resolve(null);
    let output = '';
    let over = false;
    const settle = (path: string | null) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      const lives = child.exitCode === null && child.signalCode === null;
      if (lives && child.pid !== undefined) killGroup(child.pid);
      child.stdout.destroy();
      resolve(path);
    };
    const timer = setTimeout(() => settle(null), LOGIN_SHELL_TIMEOUT_MS);
    child.on('error', () => settle(null)); // there is no such shell: the fallback serves
    child.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('latin1')).slice(-OUTPUT_CHARS_MAX);
      const path = betweenMarks(output, mark);
      if (path !== null) settle(Buffer.from(path, 'latin1').toString());
    });
    child.stdout.on('end', () => settle(null));
  });
}

/** What the shell is started with. The text is plain enough for sh, bash, zsh, fish and csh: they only pass it on to /bin/sh. */
export function shellArgs(shell: string, mark: string): string[] {
  const script = `/bin/sh -c 'printf "%s" "${mark}" "$PATH" "${mark}"'`;
  // csh takes -l only when it is alone.
  return /^t?csh$/.test(basename(shell)) ? ['-i', '-c', script] : ['-l', '-i', '-c', script];
}

/** The text between the two marks; null while the second one is missing. What a profile prints round it does not matter. */
export function betweenMarks(output: string, mark: string): string | null {
  const [, inner, rest] = output.split(mark);
  return rest === undefined || inner === undefined || inner === '' ? null : inner;
}

// — internal —

/** What a profile prints before the marks is not kept beyond this. */
const OUTPUT_CHARS_MAX = 1024 * 1024;

function started(shell: string, mark: string, env: NodeJS.ProcessEnv) {
  try {
    const child = spawn(shell, shellArgs(shell, mark), {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env,
      cwd: '/',
    });
    // Without a free descriptor there is no pipe; the error event follows.
    if (child.stdout !== null && child.stdout !== undefined) return child;
    child.on('error', () => undefined); // told by the null below
    return null;
  } catch {
    return null; // no memory for a process: the fallback serves
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // ESRCH: it has ended by itself
  }
}

function shellOfUser(): string | null {
  try {
    return userInfo().shell;
  } catch {
    return null; // a uid without an entry, as in some containers
  }
}
