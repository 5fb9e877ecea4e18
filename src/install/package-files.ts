import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ServerDefinition } from '../core/model.ts';
import { PACKAGE_BYTES_MAX, PACKAGE_FILES_MAX } from '../operation-limits.ts';

/** The folder of the version that a launch starts from, below `folder`; null where it names none. Pure. */
export function versionFolderOf({ launch }: ServerDefinition, folder: string): string | null {
  if (launch.kind === 'http') return null;
  const inside = [launch.command, ...launch.args].find((word) => word.startsWith(folder + sep));
  const version = inside === undefined ? undefined : relative(folder, inside).split(sep)[0];
  return version === undefined ? null : join(folder, version);
}

/**
 * `sha256:` of names, links and bytes of all files below `root`, but what programs write beside themselves while they run; null when there
 * are more than PACKAGE_FILES_MAX, or PACKAGE_BYTES_MAX.
 * @throws a system error for what cannot be read
 */
export async function filesDigest(root: string): Promise<string | null> {
  const hash = createHash('sha256');
  let [files, bytes] = [0, 0];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      const found = await lstat(path);
      if (found.isDirectory()) {
        if (!WRITTEN_AT_RUN.has(name)) folders.push(path);
        continue;
      }
      files += 1;
      bytes += found.size;
      if (files > PACKAGE_FILES_MAX || bytes > PACKAGE_BYTES_MAX) return null;
      hash.update(`${relative(root, path)}\0${found.mode & 0o111}\0`);
      if (found.isSymbolicLink()) hash.update(await readlink(path));
      else if (found.isFile()) hash.update(await digestOf(path, found.size));
      hash.update('\0');
    }
  }
  return `sha256:${hash.digest('hex')}`;
}

// — internal —

/** Python's compiled files, and what tools of npm keep. */
const WRITTEN_AT_RUN = new Set(['__pycache__', '.cache']);

/** What is read as a whole: a stream costs more than most files of a package. */
const AT_ONCE_BYTES_MAX = 1024 * 1024;

async function digestOf(path: string, bytes: number): Promise<Buffer> {
  const hash = createHash('sha256');
  if (bytes <= AT_ONCE_BYTES_MAX) return hash.update(await readFile(path)).digest();
  await pipeline(createReadStream(path), hash);
  return hash.digest();
}
