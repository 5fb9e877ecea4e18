import type { LockedServer, LockFile } from '../api/contract/lock.ts';
import { LIST_KINDS } from '../core/model.ts';
import { readPrivate } from '../private-file.ts';

/**
 * mcpd.lock as it was written last. One that is not there, or that nobody can read any more, has no servers; an entry that is no such thing is
 * left out, and the others count all the same. @throws McpdError HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
 */
export async function readLockFile(path: string): Promise<LockFile> {
  const none: LockFile = { version: 1, servers: {} };
  const text = await readPrivate(path);
  if (text === null) return none;
  try {
    const read: unknown = JSON.parse(text);
    if (!isRecord(read) || read['version'] !== 1 || !isRecord(read['servers'])) return none;
    const servers = Object.entries(read['servers']).filter((entry): entry is [string, LockedServer] =>
      isLocked(entry[1]),
    );
    return { version: 1, servers: Object.fromEntries(servers) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return none; // it is written anew with the next change
  }
}

// — internal —

/** As much of it as is compared. */
function isLocked(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { fingerprint, files, lists, instructions } = value;
  return (
    typeof fingerprint === 'string' &&
    [files, instructions].every((each) => each === null || typeof each === 'string') &&
    (lists === null || (isRecord(lists) && LIST_KINDS.every((kind) => isRecord(lists[kind]))))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
