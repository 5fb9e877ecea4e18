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
  const registry = entry.package?.registry;
  const to = `${destinationOf(launch)}${registry === undefined ? '' : ` of ${registry}`}`;
  return secretPlaces(launch).map(({ secret, label, value, steers }) => ({
    ...{ server, secret, steers, to },
    place: `${label}: ${value}`,
  }));
}

/** As far as it tells who gets a secret: what an `install` fetches is named by its spec, its registry and its publisher's words before it. */
function launchOf(entry: DeclaredEntry, folder: string) {
  const { url, headers = {}, command, install, package: pack, args = [], env = {}, cwd } = entry;
  if (url !== undefined) return { kind: 'http' as const, url, headers };
  const words = [...(pack?.runtimeArguments ?? []), ...args];
  return {
    kind: 'stdio' as const,
    command: command ?? install ?? '',
    args: words,
    env,
    cwd: resolve(folder, cwd ?? '.'),
  };
}

function key({ secret, place, to }: SecretUse): string {
  return JSON.stringify([secret, place, to]);
}
