import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Check } from '../api/contract/health.ts';
import { LOGIN_SHELL_TIMEOUT_MS } from '../limits.ts';
import { loginShell, readLoginPath } from '../login-shell.ts';
import { note, ok, warning } from './check.ts';

/** What servers are commonly started with. */
const COMMON = ['node', 'npx', 'uvx', 'python3', 'docker'] as const;

/** Servers get the PATH of the login shell: does it answer in time, and what can be started with it? */
export async function checkLoginPath(env: NodeJS.ProcessEnv): Promise<Check[]> {
  if (process.platform === 'win32') return [];
  const shell = loginShell(env);
  const path = await readLoginPath(shell, env);
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
