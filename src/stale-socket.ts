import { lstatSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { McpdError } from './errors.ts';

/**
 * Removes the socket that a dead daemon left; only ever a socket, since whatever else lies there is not ours to remove. Only the holder
 * of the daemon's lock may call it. On Windows, where pipes are no files, it does nothing.
 * @throws {McpdError} HOME_UNSAFE when something else lies there; system errors as they come
 */
export function removeStaleSocket(path: string): void {
  if (process.platform === 'win32') return;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) {
    throw new McpdError('HOME_UNSAFE', {
      what: `${resolve(path)} is not a socket`,
      why: 'mcpd puts its own socket there',
      fix: 'look at it, and move it away',
    });
  }
  rmSync(path);
}
