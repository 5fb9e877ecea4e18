import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { LOGIN_SHELL_TIMEOUT_MS } from '../../src/limits.ts';
import { type Check, note, ok, warning } from './check.ts';

/** What servers are commonly started with. */
const COMMON = ['node', 'npx', 'uvx', 'python3', 'docker'] as const;

/** Servers get the PATH of the login shell: does it answer in time, and what can be started with it? */
export async function checkLoginPath(env: NodeJS.ProcessEnv): Promise<Check[]> {
  if (process.platform === 'win32') return [];
  const shell = shellOf(env);
  const path = await pathOf(shell);
  if (path === null) {
    const text = `${shell} did not tell its PATH within ${LOGIN_SHELL_TIMEOUT_MS} ms; servers get the PATH of whoever started the daemon`;
    return [warning('PATH', text, `look for what is slow in the profile: time ${shell} -lic true`)];
  }
  const found = COMMON.filter((name) => isOn(path, name));
  const missing = COMMON.filter((name) => !found.includes(name));
  const text = `the login shell ${shell} has ${found.length === 0 ? 'none' : found.join(', ')} on its PATH`;
  return [missing.length === 0 ? ok('PATH', text) : note('PATH', `${text}, and not ${missing.join(', ')}`)];
}

// — internal —

const OUTPUT_CHARS_MAX = 1024 * 1024;

function shellOf(env: NodeJS.ProcessEnv): string {
  const given = env['SHELL'];
  if (given?.startsWith('/')) return given;
  try {
    return userInfo().shell ?? '/bin/sh';
  } catch {
    return '/bin/sh'; // A uid without an entry, as in some containers.
  }
}

/** In a session of its own: an interactive shell would take the terminal away from us. */
function pathOf(shell: string): Promise<string | null> {
  const mark = randomUUID();
  const child = spawn(shell, ['-l', '-i', '-c', `/bin/sh -c 'printf "%s" "${mark}" "$PATH" "${mark}"'`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: '/',
  });
  return new Promise((resolve) => {
    let output = '';
    const settle = (path: string | null) => {
      clearTimeout(timer);
      child.stdout.destroy();
      endGroup(child.pid);
      resolve(path);
    };
    const timer = setTimeout(() => settle(null), LOGIN_SHELL_TIMEOUT_MS);
    child.once('error', () => settle(null)); // No such shell: told as one that does not answer.
    child.stdout.once('end', () => settle(null));
    child.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARS_MAX);
      const [, path, rest] = output.split(mark);
      if (path !== undefined && rest !== undefined) settle(path);
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function isOn(path: string, name: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false; // Not in this folder.
    }
  });
}
