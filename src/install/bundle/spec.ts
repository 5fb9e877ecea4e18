import { posix, win32 } from 'node:path';
import { McpdError } from '../../errors.ts';
import { bundleAddress } from './source.ts';

/** How bundles are written where packages are: `mcpb:PATH|URL`, and the file that is meant where that matters. */

/** A path or an address that names a bundle by its ending. */
export function isBundleName(text: string): boolean {
  if (!/^https?:/i.test(text)) return ENDING.test(text);
  return URL.canParse(text) && ENDING.test(new URL(text).pathname);
}

/**
 * @param text a path or an address, without `mcpb:`; `#sha256=…` behind it names the one file that will do
 * @throws {McpdError} SPEC_INVALID
 */
export function parseBundle(text: string): { identifier: string; sha256: string | null } {
  const pinned = PIN.exec(text);
  const from = pinned?.[1] ?? text;
  const sha256 = pinned?.[2]?.toLowerCase() ?? null;
  if (/^[a-z][a-z0-9+.-]+:/i.test(from)) return { identifier: bundleAddress(from).href, sha256 };
  if (posix.isAbsolute(from) || win32.isAbsolute(from)) return { identifier: from, sha256 };
  throw new McpdError('SPEC_INVALID', {
    what: `"${text.slice(0, 120)}" names no bundle`,
    why: 'it is neither an absolute path nor an address',
    fix: 'mcpd install ./NAME.mcpb, or mcpd install https://HOST/NAME.mcpb',
  });
}

/** What `parseBundle` reads, with `mcpb:`. */
export function bundleText(identifier: string, sha256: string | null): string {
  return `mcpb:${identifier}${sha256 === null ? '' : `#sha256=${sha256}`}`;
}

// — internal —

const ENDING = /\.(mcpb|dxt)$/i;
const PIN = /^(.*)#sha256=([0-9a-f]{64})$/is;
