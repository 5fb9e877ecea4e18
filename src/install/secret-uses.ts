import { resolve } from 'node:path';
import type { SecretUse } from '../api/contract/credentials.ts';
import { destinationOf, secretPlaces } from '../secret-places.ts';
import type { DeclaredEntry } from './declared.ts';

/**
 * Secrets that are kept for a server and that a declared entry would use where the present one does not: in another place, or for another
 * program or address. `folder` is that of the file. Pure.
 */
export function newSecretUses(
  server: string,
  entry: DeclaredEntry,
  present: DeclaredEntry | null,
  kept: readonly string[],
  folder: string,
): SecretUse[] {
  const known = new Set((present === null ? [] : usesIn(server, present, folder)).map(key));
  return usesIn(server, entry, folder).filter((use) => kept.includes(use.secret) && !known.has(key(use)));
}

// — internal —

function usesIn(server: string, entry: DeclaredEntry, folder: string): SecretUse[] {
  const launch = launchOf(entry, folder);
  const to = destinationOf(launch);
  return secretPlaces(launch).map(({ secret, label, value, steers }) => ({
    ...{ server, secret, steers, to },
    place: `${label}: ${value}`,
  }));
}

/** As far as it tells who gets a secret: what an `install` fetches is named by its spec. */
function launchOf({ url, headers = {}, command, install, args = [], env = {}, cwd }: DeclaredEntry, folder: string) {
  if (url !== undefined) return { kind: 'http' as const, url, headers };
  const program = command ?? install ?? '';
  return { kind: 'stdio' as const, command: program, args, env, cwd: resolve(folder, cwd ?? '.') };
}

function key({ secret, place, to }: SecretUse): string {
  return JSON.stringify([secret, place, to]);
}
