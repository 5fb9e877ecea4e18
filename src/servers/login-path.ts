import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { basename, posix, win32 } from 'node:path';
import { LOGIN_SHELL_TIMEOUT_MS, LOGIN_SHELL_TRIES_MAX } from '../limits.ts';
import { serverEnvironment, variable } from './environment.ts';
import { signalGroup } from './signals.ts';

/**
 * The PATH that the person has in a terminal. A daemon started by a desktop, by launchd or at boot has a short one, without the folders
 * in which node, uv or bun were installed.
 */
export interface LoginPath {
  /** Read once and kept. After a failure (a slow or broken profile) it is the daemon's own PATH and the usual folders. Never rejects. */
  read(): Promise<string>;
  /** Reads it anew: a person who installed something need not restart the daemon. */
  refresh(): void;
}

export function createLoginPath(inherited: NodeJS.ProcessEnv): LoginPath {
  const own = variable(defined(inherited), 'PATH', process.platform) ?? '';
  let tries = 0;
  let reading: Promise<string> | null = null;

  async function ask(): Promise<string> {
    tries++;
    const found = process.platform === 'win32' ? null : await readFromShell(shellOf(inherited), inherited);
    if (found !== null) return mergedPath([found, own], process.platform);
    if (tries < LOGIN_SHELL_TRIES_MAX) reading = null;
    return mergedPath([own, knownFolders(homeOf(inherited), process.platform)], process.platform);
  }

  return {
    read() {
      reading ??= ask();
      return reading;
    },
    refresh() {
      tries = 0;
      reading = ask();
    },
  };
}

/** One PATH of several, the first ones first, each folder once. Folders that are not absolute are left out. */
export function mergedPath(paths: readonly string[], platform: NodeJS.Platform): string {
  const { delimiter, isAbsolute } = platform === 'win32' ? win32 : posix;
  const folders = paths.flatMap((path) => path.split(delimiter)).filter((folder) => isAbsolute(folder));
  return [...new Set(folders)].join(delimiter);
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

/**
 * An interactive login shell, in a session of its own: it has no terminal to wait for, and all that its profile starts can be ended.
 * It is killed as soon as the second mark is there.
 */
function readFromShell(shell: string, inherited: NodeJS.ProcessEnv): Promise<string | null> {
  const mark = `mcpd-${randomBytes(8).toString('hex')}`;
  return new Promise((resolve) => {
    const child = started(shell, mark, inherited);
    if (child === null) return resolve(null);
    let output = '';
    let over = false;
    const settle = (path: string | null) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      const lives = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
      if (lives && child.pid !== undefined) signalGroup(child.pid, 'kill');
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

function started(shell: string, mark: string, inherited: NodeJS.ProcessEnv) {
  const loginPath = inherited['PATH'] ?? '/usr/bin:/bin';
  const env = serverEnvironment({
    inherited,
    loginPath,
    declared: { HOME: homeOf(inherited) },
    platform: process.platform,
  });
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

function homeOf(inherited: NodeJS.ProcessEnv): string {
  return inherited['HOME'] ?? homedir();
}

function shellOf(inherited: NodeJS.ProcessEnv): string {
  const given = inherited['SHELL'];
  if (given?.startsWith('/')) return given;
  return shellOfUser() ?? '/bin/sh';
}

function shellOfUser(): string | null {
  try {
    return userInfo().shell;
  } catch {
    return null; // a uid without an entry, as in some containers
  }
}

function knownFolders(home: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return '';
  const own = ['.local/bin', '.cargo/bin', '.bun/bin', '.deno/bin', '.volta/bin'].map((folder) =>
    posix.join(home, folder),
  );
  return [...own, '/opt/homebrew/bin', '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].join(':');
}

function defined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
