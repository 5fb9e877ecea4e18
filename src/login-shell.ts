import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { LOGIN_SHELL_TIMEOUT_MS } from './limits.ts';

/** Told of each shell as it starts, so that somebody sees to its end when this process ends before its answer. */
export type ShellStarted = (shell: ChildProcess) => void;

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
export async function readLoginPath(
  shell: string,
  env: NodeJS.ProcessEnv,
  onStart?: ShellStarted,
): Promise<string | null> {
  const [path = ''] = (await readLogin(shell, env, ['"$PATH"'], onStart)) ?? [];
  return path === '' ? null : path;
}

/** Variables that the shell has after its profile: those of `names` that are set. Null and limits as above. */
export async function readLoginVariables(
  shell: string,
  env: NodeJS.ProcessEnv,
  names: readonly string[],
  onStart?: ShellStarted,
): Promise<Map<string, string> | null> {
  // An `x` stands before each that is set.
  const words = names.filter((name) => VARIABLE.test(name));
  const texts = await readLogin(
    shell,
    env,
    words.map((name) => `"\${${name}+x$${name}}"`),
    onStart,
  );
  if (texts === null) return null;
  return new Map(words.flatMap((name, at) => (texts[at]?.startsWith('x') ? [[name, texts[at].slice(1)]] : [])));
}

/** What a shell is started with that only passes it on to /bin/sh: the text is plain enough for sh, bash, zsh, fish and csh. */
export function shellArgs(shell: string, mark: string, words: readonly string[]): string[] {
  const parts = [`"${mark}"`, ...words.flatMap((word) => [word, `"${mark}"`])];
  const script = `/bin/sh -c 'printf "%s" ${parts.join(' ')}'`;
  // csh takes -l only when it is alone.
  return /^t?csh$/.test(basename(shell)) ? ['-i', '-c', script] : ['-l', '-i', '-c', script];
}

/** The `count` texts between the marks; null while one of those is missing. What a profile prints round them does not matter. */
export function betweenMarks(output: string, mark: string, count: number): string[] | null {
  const pieces = output.split(mark);
  return pieces.length < count + 2 ? null : pieces.slice(1, count + 1);
}

// — internal —

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The values of these words of /bin/sh after the profile. */
function readLogin(
  shell: string,
  env: NodeJS.ProcessEnv,
  words: readonly string[],
  onStart: ShellStarted | undefined,
): Promise<string[] | null> {
  const mark = `mcpd-${randomBytes(8).toString('hex')}`;
  return new Promise((resolve) => {
    const child = started(shell, shellArgs(shell, mark, words), env);
    if (child === null) return resolve(null);
    onStart?.(child);
    let output = '';
    let over = false;
    const settle = (texts: string[] | null) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      const lives = child.exitCode === null && child.signalCode === null;
      if (lives && child.pid !== undefined) killGroup(child.pid);
      child.stdout.destroy();
      resolve(texts);
    };
    const timer = setTimeout(() => settle(null), LOGIN_SHELL_TIMEOUT_MS);
    child.on('error', () => settle(null)); // there is no such shell: the fallback serves
    child.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('latin1')).slice(-OUTPUT_CHARS_MAX);
      const texts = betweenMarks(output, mark, words.length);
      if (texts !== null) settle(texts.map((text) => Buffer.from(text, 'latin1').toString()));
    });
    child.stdout.on('end', () => settle(null));
  });
}

/** What a profile prints before the marks is not kept beyond this. */
const OUTPUT_CHARS_MAX = 1024 * 1024;

function started(shell: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  try {
    const child = spawn(shell, args, {
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
