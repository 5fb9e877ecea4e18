import { createHash } from 'node:crypto';
import type { Launch } from '../src/core/model.ts';

/**
 * sha-256 (hex) of what a launch runs: command, arguments, folder, variables by name (their order means nothing) and the integrity of
 * the installed package, null where there is none. Lists and era belong to it.
 */
export function fingerprintOf(launch: Launch, integrity: string | null): string {
  const env = Object.entries(launch.env).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify(['launch', 1, launch.command, launch.args, launch.cwd, env, integrity]))
    .digest('hex');
}
