import { chmodSync, lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { resolve } from 'node:path';
import { McpdError } from './errors.ts';
import { folderIdentity, isStill } from './home.ts';

/** A listener on a socket of the home. */
export interface HomeSocket {
  /**
   * No new connections, and the file is removed; a second call does nothing. It is removed by name, so when another daemon's socket lies
   * there by now, this one stays open until its process ends.
   */
  close(): void;
}

/**
 * Listens on `name` in the working folder (on Windows: on the pipe of that name) and replaces what a dead daemon left. Node binds at
 * once, so the file is there when it returns. Only the holder of the daemon's lock may call it.
 * @throws {McpdError} HOME_UNSAFE when something else than a socket lies there; system errors as they come
 */
export function listenInHome(server: Server, name: string): HomeSocket {
  removeStaleSocket(name);
  server.listen(name);
  // A pipe of Windows is no file; the home is 0700 already, so the mode matters only if somebody opens it.
  const file = process.platform === 'win32' || !server.listening ? null : name;
  if (file !== null) chmodSync(file, 0o600);
  const identity = file === null ? null : folderIdentity(file);
  return {
    close: () => {
      const isTaken = file !== null && !isStill(file, identity) && !isStill(file, null);
      if (server.listening && !isTaken) server.close();
    },
  };
}

// — internal —

/** Only ever a socket: whatever else lies there is not ours to remove. On Windows pipes are no files. */
function removeStaleSocket(path: string): void {
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
