import { rmdir, stat } from 'node:fs/promises';
import { errnoOf } from '../errors.ts';

/** What an install finds in the home, and must not leave there. */

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    // ENOTDIR: a file stands where a folder would.
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return false;
    throw error;
  }
}

/** A folder that holds something is somebody's and stays. */
export async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const errno = errnoOf(error);
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errno ?? '')) throw error;
  }
}
