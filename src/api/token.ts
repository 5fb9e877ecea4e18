import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { errnoOf } from '../errors.ts';
import { homeFault } from '../home.ts';

/** 256 bits, in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const TOKEN_BYTES = 32;

/**
 * The token of this home: made at the first start and kept, so that an open page survives a restart. A file that others could read, or
 * that holds no token, is replaced: nothing is lost but open pages. Only the daemon that holds the lock may call this.
 * @throws {McpdError} HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
 */
export function keptToken(path: string): string {
  try {
    return readToken(path) ?? makeToken(path);
  } catch (thrown) {
    throw homeFault(thrown, `the dashboard's token ${path} cannot be kept`);
  }
}

/** The token in this file, if somebody has made one. @throws {McpdError} HOME_UNWRITABLE, OUT_OF_FILES */
export function tokenIn(path: string): string | null {
  try {
    return readToken(path);
  } catch (thrown) {
    throw homeFault(thrown, `the token ${path} cannot be read`);
  }
}

/** A new one in the place of any that was there. @throws {McpdError} HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES */
export function renewedToken(path: string): string {
  try {
    return makeToken(path);
  } catch (thrown) {
    throw homeFault(thrown, `the token ${path} cannot be kept`);
  }
}

export function newSecret(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Compares in a time that says nothing about where the two differ, nor how long the right one is. */
export function sameSecret(given: string, right: string): boolean {
  return timingSafeEqual(digest(given), digest(right));
}

// — internal —

function readToken(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (thrown) {
    // Not there yet, or a link, or closed to us: not what we made.
    if (['ENOENT', 'ELOOP', 'EACCES'].includes(errnoOf(thrown) ?? '')) return null;
    throw thrown;
  }
  try {
    const stats = fstatSync(file);
    const ours = process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0);
    if (!stats.isFile() || !ours || stats.size > 2 * TOKEN_BYTES) return null;
    const text = readFileSync(file, 'utf8').trim();
    return TOKEN.test(text) ? text : null;
  } finally {
    closeSync(file);
  }
}

/** Written beside and renamed, so that a crash leaves the old file or the new one. */
function makeToken(path: string): string {
  const token = newSecret();
  const beside = `${path}.new`;
  rmSync(beside, { force: true });
  const file = openSync(beside, 'wx', 0o600);
  try {
    writeSync(file, `${token}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
  return token;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
