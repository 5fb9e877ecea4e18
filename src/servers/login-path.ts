import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { LOGIN_SHELL_TRIES_MAX } from '../limits.ts';
import { loginShell, readLoginPath, type ShellStarted } from '../login-shell.ts';
import { serverEnvironment, variable } from './environment.ts';

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

export function createLoginPath(inherited: NodeJS.ProcessEnv, onStart?: ShellStarted): LoginPath {
  const own = variable(defined(inherited), 'PATH', process.platform) ?? '';
  let tries = 0;
  let reading: Promise<string> | null = null;

  async function ask(): Promise<string> {
    tries++;
    const found =
      process.platform === 'win32'
        ? null
        : await readLoginPath(loginShell(inherited), profileEnvironment(inherited), onStart);
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

/** What a server would have, so that the profile of a login shell sees nothing else. */
export function profileEnvironment(inherited: NodeJS.ProcessEnv): Record<string, string> {
  return serverEnvironment({
    inherited,
    loginPath: inherited['PATH'] ?? '/usr/bin:/bin',
    declared: { HOME: homeOf(inherited) },
    platform: process.platform,
  });
}

// — internal —

function homeOf(inherited: NodeJS.ProcessEnv): string {
  return inherited['HOME'] ?? homedir();
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
