import { BUNDLE_DEPTH_MAX, BUNDLE_NAME_BYTES_MAX, BUNDLE_PATH_BYTES_MAX } from '../../bundle-limits.ts';
import type { McpdError } from '../../errors.ts';
import { named, unsafe } from './refusal.ts';

/** Names of entries: which text they are, and whether a file may be called so. Pure. */

/**
 * The name as text. Archives say whether it is UTF-8; many write UTF-8 and do not say so.
 * @throws {McpdError} BUNDLE_UNSAFE where readers would differ about it
 */
export function decodedName({ rawName, otherName }: { rawName: Buffer; otherName: Buffer | null }): string {
  if (otherName !== null && !otherName.equals(rawName))
    throw unsafe(`${named(rawName.toString('latin1'))} has a second name`);
  try {
    return STRICT_UTF8.decode(rawName);
  } catch {
    throw unsafe(`${named(rawName.toString('latin1'))} is not UTF-8`); // the decoder says no more than that
  }
}

/** @throws {McpdError} BUNDLE_UNSAFE */
export function checkPath(path: string, platform: NodeJS.Platform): void {
  const refused = (why: string): McpdError => unsafe(`the name ${named(path)} ${why}`);
  if (path === '') throw unsafe('an entry has no name');
  if (CONTROL.test(path)) throw refused('has control characters');
  if (path.includes('\\')) throw refused('has a backslash');
  if (path.startsWith('/')) throw refused('is absolute');
  if (path.includes(':')) throw refused('has a colon, which stands behind drive letters');
  if (Buffer.byteLength(path) > BUNDLE_PATH_BYTES_MAX) throw refused(`is longer than ${BUNDLE_PATH_BYTES_MAX} bytes`);
  const parts = path.split('/');
  if (parts.length > BUNDLE_DEPTH_MAX) throw refused(`lies in more than ${BUNDLE_DEPTH_MAX} folders`);
  for (const part of parts) {
    if (part === '..') throw refused('climbs out of its folder');
    if (part === '' || part === '.') throw refused('is not a normal path');
    if (Buffer.byteLength(part) > BUNDLE_NAME_BYTES_MAX) throw refused(`has more than ${BUNDLE_NAME_BYTES_MAX} bytes`);
    if (platform !== 'win32') continue;
    if (/[. ]$/.test(part)) throw refused('ends in a dot or a space, which Windows drops');
    if (WINDOWS_DEVICE.test(part)) throw refused('is a device of Windows');
  }
}

/** Two paths that are one on a system that takes no notice of case, or of how accents are written, have the same. */
export function foldedPath(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

// — internal —

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const CONTROL = /\p{Cc}/u;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?$/i;
