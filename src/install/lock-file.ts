import type { LockFile } from '../api/contract/lock.ts';
import { readPrivate } from '../private-file.ts';

/** mcpd.lock as it was written last. One that is not there, or that nobody can read any more, has no servers. @throws McpdError HOME_UNWRITABLE */
export async function readLockFile(path: string): Promise<LockFile> {
  const none: LockFile = { version: 1, servers: {} };
  const text = await readPrivate(path);
  if (text === null) return none;
  try {
    const read = JSON.parse(text) as Partial<LockFile> | null;
    return read?.version === 1 && typeof read.servers === 'object' && read.servers !== null ? (read as LockFile) : none;
  } catch {
    return none; // it is written anew with the next change
  }
}
