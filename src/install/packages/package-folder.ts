import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, McpdError } from '../../errors.ts';
import { shellWord } from '../../shell-word.ts';
import { exists } from '../traces.ts';

/** Folders of packages in the home: `packages/SERVER/VERSION`. */

/** A file in a folder that could not be made under another name: what is in it is not whole yet. */
export const UNFINISHED = '.unfinished';

/** A temporary folder of our own: what is in it when the daemon is killed is swept. @throws McpdError DISK_FULL, HOME_UNWRITABLE */
export async function makeFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await mkdtemp(join(folder, '.fetching-'));
  } catch (error) {
    const errno = errnoOf(error);
    throw new McpdError(errno === 'ENOSPC' || errno === 'EDQUOT' ? 'DISK_FULL' : 'HOME_UNWRITABLE', {
      what: `${folder} could not be made`,
      why: errno ?? String(error),
      fix: `check its owner, rights and free space: ls -ld ${shellWord(folder)}`,
    });
  }
}

/** Gives the finished folder its name. */
export async function settle(temporary: string, folder: string, version: string): Promise<string> {
  const root = await freeName(folder, version);
  await rename(temporary, root);
  return root;
}

/** The version, with a suffix where an older install of the same version is still in use. */
export async function freeName(folder: string, version: string): Promise<string> {
  const plain = join(folder, version);
  return (await exists(plain)) ? `${plain}.${randomBytes(4).toString('hex')}` : plain;
}
