import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type ErrorCode, errnoOf, McpdError } from './errors.ts';
import { type Finding, type FolderFacts, type Identity, judgeHome, judgeStep } from './folder-trust.ts';

export interface HomeOptions {
  /** Write a few bytes as well: what cannot be written shows at once, and not in the middle of something. */
  probe: boolean;
}

/**
 * Creates the home (0700) or checks that it may be used, and makes every later file private to its owner (umask 077). Resolves to
 * warnings. On Windows the profile folder's own access list protects it; owner and mode are not looked at there.
 * @throws {McpdError} HOME_UNSAFE, HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
 */
export function prepareHome(home: string, options: HomeOptions): string[] {
  process.umask(0o077);
  const me = identity();
  createHome(home);
  if (me !== null) checkTrust(home, me);
  if (options.probe) probe(home);
  return me?.uid === 0
    ? ['mcpd runs as root, so every server does; better run it as the user whose files they need']
    : [];
}

/**
 * Runs `work` with the home as working folder and goes back. For sockets: both ends use a bare name, because a longer path is cut
 * silently at 108 bytes. Binding, connecting and closing happen at once in Node, so `work` must not wait.
 */
export function insideHome<T>(home: string, work: () => T): T {
  const before = currentFolder();
  process.chdir(home);
  try {
    return work();
  } finally {
    if (before !== null) process.chdir(before);
  }
}

/** Which folder is behind the path now, whatever it was called before; null when there is none. */
export function folderIdentity(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

/** Is it still that folder, neither moved nor removed? */
export function isStill(path: string, identity: string | null): boolean {
  try {
    return folderIdentity(path) === identity;
  } catch {
    return true; // It cannot be seen just now (rights, a disk that errs), which does not mean that it is gone.
  }
}

/** A failed file operation in the home, as an error that says what to do about it. */
export function homeFault(thrown: unknown, what: string): McpdError {
  if (thrown instanceof McpdError) return thrown;
  const fault = FAULTS[errnoOf(thrown) ?? ''] ?? {
    code: 'HOME_UNWRITABLE',
    fix: 'look at the folder and its file system',
  };
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return new McpdError(fault.code, { what, why, fix: fault.fix }, { cause: thrown });
}

// — internal —

const NOT_OURS = { code: 'HOME_UNWRITABLE', fix: 'name a folder in MCPD_HOME that you may write to' } as const;
const FULL = { code: 'DISK_FULL', fix: 'free some space there (mcpd needs a few MB), then try again' } as const;
const NO_FILES = {
  code: 'OUT_OF_FILES',
  fix: 'close programs, or raise the limit (ulimit -n), then try again',
} as const;
const FAULTS: Partial<Record<string, { code: ErrorCode; fix: string }>> = {
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
  EROFS: NOT_OURS,
  ENOENT: NOT_OURS,
  ENOSPC: FULL,
  EDQUOT: FULL,
  EMFILE: NO_FILES,
  ENFILE: NO_FILES,
  ENOTDIR: { code: 'HOME_UNSAFE', fix: 'name another folder in MCPD_HOME: a part of this path is a file' },
  ELOOP: { code: 'HOME_UNSAFE', fix: 'name another folder in MCPD_HOME: its links lead in a circle' },
};

const PROBE_BYTES = 4096;

function identity(): Identity | null {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined) return null;
  if (process.geteuid?.() !== uid) {
    throw new McpdError('HOME_UNSAFE', {
      what: 'mcpd does not run with the rights of another user (setuid)',
      why: `it was started by user ${uid} with the rights of user ${process.geteuid?.()}`,
      fix: 'remove the setuid bit from the program',
    });
  }
  return { uid, gid, rootUid: lstatSync('/').uid };
}

function createHome(home: string): void {
  try {
    makeFolder(home);
  } catch (thrown) {
    throw homeFault(thrown, `mcpd's home ${home} cannot be created`);
  }
  // Elsewhere checkTrust describes what is in its place.
  if (process.platform !== 'win32' || statSync(home).isDirectory()) return;
  throw new McpdError('HOME_UNSAFE', {
    what: `${home} cannot be mcpd's home`,
    why: 'it is not a folder',
    fix: 'move it away, or name another folder in MCPD_HOME',
  });
}

/**
 * With the folders above it; what is there stays as it is. Not by `recursive`: Node 20 asks for ever where a folder can be seen and nothing
 * made in it, as in /proc.
 */
function makeFolder(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EEXIST') throw thrown;
  }
}

function checkTrust(home: string, me: Identity): void {
  const real = resolved(home);
  for (const path of new Set([...above(home), ...above(real)])) refuse(judgeStep(factsOf(path), me));
  const named = factsOf(home);
  if (named.kind === 'link') refuse(judgeStep(named, me));
  refuse(judgeHome({ ...factsOf(real), path: home }, me));
}

/** Every folder above, from the top. */
function above(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...above(parent), parent];
}

function resolved(home: string): string {
  try {
    return realpathSync(home);
  } catch (thrown) {
    throw homeFault(thrown, `mcpd's home ${home} cannot be followed`);
  }
}

function factsOf(path: string): FolderFacts {
  const stats = lstatSync(path);
  return { path, kind: kindOf(stats), uid: stats.uid, gid: stats.gid, mode: stats.mode };
}

function kindOf(stats: Stats): FolderFacts['kind'] {
  if (stats.isSymbolicLink()) return 'link';
  return stats.isDirectory() ? 'folder' : 'other';
}

function refuse(finding: Finding | null): void {
  if (finding !== null) throw new McpdError('HOME_UNSAFE', finding);
}

function probe(home: string): void {
  const path = join(home, `probe-${process.pid}`);
  try {
    const file = openSync(path, 'w', 0o600);
    try {
      writeSync(file, Buffer.alloc(PROBE_BYTES));
      fsyncSync(file);
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
  } catch (thrown) {
    throw homeFault(thrown, `mcpd cannot write into its home ${home}`);
  }
}

function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null; // It was removed: then there is nothing to go back to.
  }
}
