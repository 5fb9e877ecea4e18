import { createHash } from 'node:crypto';
import type { HttpLaunch, Launch, StdioLaunch } from '../src/core/model.ts';

/**
 * sha-256 (hex) of what a launch runs: command, arguments, folder, variables by name (their order means nothing) and the integrity of
 * the installed package, null where there is none; of a remote server address, transport and headers. Lists and era belong to it.
 */
export function fingerprintOf(launch: Launch, integrity: string | null): string {
  return createHash('sha256')
    .update(JSON.stringify(launch.kind === 'http' ? remoteParts(launch) : processParts(launch, integrity)))
    .digest('hex');
}

// — internal —

/** Memories of every release so far belong to this form. */
function processParts({ command, args, cwd, env }: StdioLaunch, integrity: string | null): unknown[] {
  return ['launch', 1, command, args, cwd, inOrder(env), integrity];
}

function remoteParts({ url, transport, headers }: HttpLaunch): unknown[] {
  return ['remote', 1, url, transport, inOrder(headers)];
}

function inOrder(map: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1));
}
