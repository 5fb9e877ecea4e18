/** Where the daemon is, and whether what is there may be trusted. A copy in small of src/paths.ts, which would cost the shim its start. */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Cause } from './answers.ts';

/** `MCPD_HOME`, else `~/.mcpd`; always absolute. */
export function homeOf(env: NodeJS.ProcessEnv, userHome: () => string): string {
  const given = env['MCPD_HOME'];
  return given === undefined || given === '' ? join(userHome(), '.mcpd') : resolve(given);
}

/** Relative to the home, because Node cuts longer paths silently; on Windows the name of a pipe. `sha256` gives hex. */
export function socketNameOf(home: string, platform: NodeJS.Platform, sha256: (text: string) => string): string {
  return platform === 'win32' ? `\\\\.\\pipe\\mcpd-${sha256(home.toLowerCase()).slice(0, 16)}-hosts` : 'mcpd.sock';
}

/** Makes the home the working folder, and the home itself where there is none. Null, or why it must not be used. */
export function enterHome(home: string): Cause | null {
  try {
    changeInto(home);
    return distrusted(home, '.', WRITABLE_BY_OTHERS);
  } catch (thrown) {
    return { what: `mcpd cannot use its home ${home}`, why: reasonOf(thrown), fix: HOME_FIX };
  }
}

/** In the home: `absent`, `there`, or why it must not be used. */
export function lookForSocket(home: string, socketName: string): 'absent' | 'there' | Cause {
  if (process.platform === 'win32') return 'there';
  try {
    return distrusted(join(home, socketName), socketName, 0) ?? 'there';
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return 'absent';
    return { what: `mcpd cannot look at ${join(home, socketName)}`, why: reasonOf(thrown), fix: HOME_FIX };
  }
}

export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

// — internal —

const WRITABLE_BY_OTHERS = 0o022;
const HOME_FIX = 'mcpd doctor, or name another folder in MCPD_HOME';

function changeInto(home: string): void {
  try {
    process.chdir(home);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    mkdirSync(home, { recursive: true, mode: 0o700 });
    // A strange umask must not leave it unusable.
    chmodSync(home, 0o700);
    process.chdir(home);
  }
}

/** Another user who owns the folder or may write to it could put a socket of his own there. `path` is relative to the home. */
function distrusted(shown: string, path: string, forbidden: number): Cause | null {
  const uid = process.getuid?.();
  if (uid === undefined) return null;
  const found = lstatSync(path);
  const what = `mcpd does not trust ${shown}`;
  if (found.uid !== uid)
    return { what, why: `it belongs to user ${found.uid}, and not to you (${uid})`, fix: HOME_FIX };
  if ((found.mode & forbidden) === 0) return null;
  return { what, why: `others may write to it (mode ${(found.mode & 0o777).toString(8)})`, fix: `chmod 700 ${shown}` };
}
