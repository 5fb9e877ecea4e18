import type { Engine } from '../control/engine.ts';
import { startDetached } from './detached.ts';
import { startUnderPm2, stopPm2 } from './pm2.ts';
import type { DaemonProgram } from './program.ts';
import { underStartLock } from './start-lock.ts';

/**
 * What starts the daemon and keeps it alive: pm2 with a private home. On Windows pm2 has one pipe for all its homes, so a private one is
 * not private, and ending it would end the user's own; there the daemon is started by itself.
 */
export function daemonEngine(program: DaemonProgram, platform: NodeJS.Platform = process.platform): Engine {
  const underLock = <T>(work: () => Promise<T>) => underStartLock(program.paths, work);
  if (platform === 'win32') return { start: () => startDetached(program), stop: async () => false, underLock };
  return { start: () => startUnderPm2(program), stop: () => stopPm2(program), underLock };
}
