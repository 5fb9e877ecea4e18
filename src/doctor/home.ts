import { existsSync, lstatSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Check } from '../api/contract/health.ts';
import { McpdError } from '../errors.ts';
import { prepareHome } from '../home.ts';
import type { Paths } from '../paths.ts';
import { secretsWhere, whereText } from '../secrets-where.ts';
import { shellWord } from '../shell-word.ts';
import { shownBytes } from '../shown.ts';
import { failure, failureOf, note, ok, warning } from './check.ts';

/** The home: who may enter it, whether it can be written, its private files, what is left of dead daemons, and the disk below it. */
export async function checkHome(paths: Paths, isDaemonThere: boolean): Promise<Check[]> {
  if (!existsSync(paths.home))
    return [
      note('home', `${paths.home} is not there yet; the first start makes it`),
      checkDisk(existingAbove(paths.home)),
    ];
  return [
    ...checkFolder(paths),
    ...checkRights(paths),
    ...(await checkSecrets(paths)),
    ...(isDaemonThere ? [] : checkSockets(paths)),
    checkDisk(paths.home),
  ];
}

/** Free space and free entries of the disk. */
export function judgeDisk(folder: string, free: { bytes: number; entries: number | null }): Check {
  const text = `${shownBytes(free.bytes)} free on the disk of ${folder}`;
  if (free.entries === 0)
    return failure('disk', `no free inodes on the disk of ${folder}`, 'remove files there', 'home');
  if (free.bytes < FREE_BYTES_MIN)
    return failure('disk', text, 'free some space: installs, logs and history need it', 'home');
  return free.bytes < FREE_BYTES_GOOD ? warning('disk', text, 'free some space before it is full') : ok('disk', text);
}

// — internal —

/** Room for the registry, the logs of one server at their bound, and a small package. */
const FREE_BYTES_MIN = 100 * 1024 ** 2;
const FREE_BYTES_GOOD = 1024 ** 3;
const OTHERS = 0o077;

function checkFolder(paths: Paths): Check[] {
  try {
    return [
      ok('home', paths.home),
      ...prepareHome(paths.home, { probe: true }).map((text) => warning('home', text, null)),
    ];
  } catch (thrown) {
    if (!(thrown instanceof McpdError)) throw thrown;
    return [failureOf('home', thrown)];
  }
}

/** Files whose content opens doors. Inside a 0700 folder this is the second wall. */
function checkRights(paths: Paths): Check[] {
  if (process.platform === 'win32') return [];
  return [paths.secrets, paths.secretKey, paths.plainSecrets, paths.token, paths.scrapeToken].flatMap((file) => {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & OTHERS) === 0) return [];
    return [
      warning(
        'home',
        `others may read ${file} (mode ${(stats.mode & 0o777).toString(8)})`,
        `chmod 600 ${shellWord(file)}`,
      ),
    ];
  });
}

async function checkSecrets(paths: Paths): Promise<Check[]> {
  const { kept, damage } = await secretsWhere(paths);
  if (damage !== null) return [failureOf('home', damage)];
  const text = whereText(kept, paths);
  if (kept === 'nothing') return [];
  return [kept === 'plain' ? warning('home', text, 'mcpd restart') : ok('home', text)];
}

function checkSockets(paths: Paths): Check[] {
  const left = [paths.hostSocket, paths.apiSocket].filter((name) =>
    lstatSync(join(paths.home, name), { throwIfNoEntry: false })?.isSocket(),
  );
  return left.length === 0
    ? []
    : [
        note(
          'home',
          `${left.join(' and ')} ${left.length === 1 ? 'is' : 'are'} left of a daemon that was killed; the next start replaces them`,
        ),
      ];
}

function checkDisk(folder: string): Check {
  const disk = statfsSync(folder);
  // Some file systems have no fixed number of entries and say 0 of 0.
  return judgeDisk(folder, { bytes: disk.bavail * disk.bsize, entries: disk.files === 0 ? null : disk.ffree });
}

function existingAbove(path: string): string {
  return existsSync(path) ? path : existingAbove(dirname(path));
}
