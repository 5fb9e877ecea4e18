import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf, McpdError } from './errors.ts';
import { homeFault } from './home.ts';
import { shellWord } from './shell-word.ts';

/** Files that only their owner reads, and that are whole whatever happens while they are written. */

/**
 * Null when the file is not there. Rights that are too wide are narrowed at once; a symbolic link is not followed.
 * @throws McpdError HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
 */
export async function readPrivate(path: string): Promise<string | null> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw unreachable(path, error);
  }
  try {
    if (process.platform !== 'win32' && ((await file.stat()).mode & 0o077) !== 0) await file.chmod(FILE_MODE);
    return await file.readFile('utf8');
  } catch (error) {
    throw unreachable(path, error);
  } finally {
    await file.close();
  }
}

/**
 * Whole or not at all, whenever the power goes: a new file, flushed, takes the name, and the folder is flushed too.
 * @throws McpdError HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), temporaryPrefix(path) + randomBytes(6).toString('hex'));
  try {
    const file = await open(temporary, 'wx', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw unreachable(path, error);
  }
}

/** It need not be there. @throws McpdError HOME_UNWRITABLE */
export async function removePrivate(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  } catch (error) {
    throw unreachable(path, error);
  }
}

/** A writer that was killed leaves its new file, and with it secrets. @throws McpdError HOME_UNWRITABLE */
export async function removeUnfinished(path: string): Promise<void> {
  try {
    for (const name of await readdir(dirname(path))) {
      if (name.startsWith(temporaryPrefix(path))) await rm(join(dirname(path), name), { force: true });
    }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw unreachable(path, error);
  }
}

// — internal —

const FILE_MODE = 0o600;

function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there, and renames are journalled
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unreachable(path: string, error: unknown): McpdError {
  const what = `${path} could not be read or written`;
  const fault = homeFault(error, what);
  // Of the disk and of file descriptors that says it all; what is left is about this very file.
  if (fault.code === 'DISK_FULL' || fault.code === 'OUT_OF_FILES') return fault;
  const errno = errnoOf(error);
  return new McpdError('HOME_UNWRITABLE', {
    what,
    why:
      errno === 'ELOOP' ? 'it is a symbolic link, which mcpd does not follow for secrets' : (errno ?? 'unknown reason'),
    fix: `check its owner and rights: ls -ld ${shellWord(dirname(path))} ${shellWord(path)}`,
  });
}
