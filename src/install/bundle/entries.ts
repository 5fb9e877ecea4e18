import {
  BUNDLE_ENTRIES_MAX,
  BUNDLE_MANIFEST_BYTES_MAX,
  BUNDLE_RATIO_FROM_BYTES,
  BUNDLE_RATIO_MAX,
  BUNDLE_UNPACKED_BYTES_MAX,
} from '../../bundle-limits.ts';
import { checkPath, decodedName, foldedPath } from './entry-names.ts';
import { invalid, named, unsafe } from './refusal.ts';

/** What an archive says of one entry: in its directory, and (`local`) once more before the data. Numbers as they came. */
export interface ArchiveEntry {
  rawName: Buffer;
  /** A second name that some readers take in the place of the first. */
  otherName: Buffer | null;
  flags: number;
  /** 0 is stored, 8 is deflated. */
  method: number;
  /** Which system its attributes are of; 3 is Unix. */
  system: number;
  /** The upper 16 bits are Unix's mode, the lower ones DOS's attributes. */
  attributes: number;
  packedBytes: number;
  bytes: number;
  crc32: number;
  start: number;
  dataStart: number;
  local: { rawName: Buffer; flags: number; method: number; packedBytes: number; bytes: number };
}

/** A file that may be written. */
export interface BundleFile {
  entry: ArchiveEntry;
  /** Relative, with `/`, normal, within the folder. */
  path: string;
  executable: boolean;
}

export interface BundleContent {
  files: BundleFile[];
  /** Folders that stand in the archive themselves; those that files need are not among them. */
  folders: string[];
  manifest: BundleFile;
}

export const MANIFEST = 'manifest.json';

/**
 * All that must hold of a bundle before a byte of it is written. Pure.
 * @param directoryStart where the data must have ended
 * @throws {McpdError} BUNDLE_UNSAFE, BUNDLE_INVALID
 */
export function checkEntries(
  entries: readonly ArchiveEntry[],
  directoryStart: number,
  platform: NodeJS.Platform,
): BundleContent {
  if (entries.length > BUNDLE_ENTRIES_MAX)
    throw unsafe(`it has ${entries.length} entries, and ${BUNDLE_ENTRIES_MAX} are permitted`);
  const files: BundleFile[] = [];
  const folders: string[] = [];
  for (const entry of entries) {
    const name = decodedName(entry);
    const path = name.replace(/\/$/, '');
    checkPath(path, platform);
    checkKind(entry, name);
    checkCoding(entry, name);
    checkSize(entry, name);
    if (name.endsWith('/')) folders.push(path);
    else files.push({ entry, path, executable: (modeOf(entry) & 0o111) !== 0 });
  }
  checkTotal(entries);
  checkPlaces(entries, directoryStart);
  checkTwins(
    files.map(({ path }) => path),
    folders,
  );
  return { files, folders, manifest: manifestIn(files) };
}

// — internal —

const ENCRYPTED = 0x1 | 0x40 | 0x20_00;
/** The sizes stand behind the data, and may be missing before it. */
const SIZES_BEHIND = 0x8;
const UNKNOWN_SIZE = 0xff_ff_ff_ff;
const REPARSE_POINT = 0x4_00;
const FILE_KINDS = new Map([
  [0o120000, 'a symbolic link'],
  [0o060000, 'a block device'],
  [0o020000, 'a character device'],
  [0o010000, 'a pipe'],
  [0o140000, 'a socket'],
]);

function modeOf({ attributes }: ArchiveEntry): number {
  return attributes >>> 16;
}

function checkKind(entry: ArchiveEntry, name: string): void {
  const kind = modeOf(entry) & 0o170000;
  const isFolder = name.endsWith('/');
  const expected = isFolder ? 0o040000 : 0o100000;
  if (entry.system !== 3 && (entry.attributes & REPARSE_POINT) !== 0) throw unsafe(`${named(name)} is a link`);
  // Archives of other systems have no mode.
  if (kind !== 0 && kind !== expected)
    throw unsafe(
      `${named(name)} is ${FILE_KINDS.get(kind) ?? `of a kind that does not fit its name (${kind.toString(8)})`}`,
    );
  if (isFolder && (entry.bytes !== 0 || (entry.packedBytes !== 0 && entry.method === 0)))
    throw unsafe(`${named(name)} is a folder that has content`);
}

function checkCoding({ flags, method, rawName, local }: ArchiveEntry, name: string): void {
  if (((flags | local.flags) & ENCRYPTED) !== 0) throw unsafe(`${named(name)} is encrypted`);
  if (!local.rawName.equals(rawName)) throw unsafe(`${named(name)} has another name before its data`);
  if (local.method !== method) throw unsafe(`${named(name)} is packed in two ways at once`);
  if (method !== 0 && method !== 8)
    throw invalid(`${named(name)} is packed by method ${method}; bundles are stored or deflated`);
}

function checkSize({ bytes, packedBytes, method, flags, local }: ArchiveEntry, name: string): void {
  const agrees = (before: number, inDirectory: number) =>
    before === inDirectory || before === UNKNOWN_SIZE || ((flags & SIZES_BEHIND) !== 0 && before === 0);
  if (!agrees(local.bytes, bytes) || !agrees(local.packedBytes, packedBytes))
    throw unsafe(`${named(name)} has two sizes`);
  if (method === 0 && bytes !== packedBytes) throw unsafe(`${named(name)} has two sizes`);
  if (bytes > BUNDLE_UNPACKED_BYTES_MAX) throw tooMuch(bytes);
  if (bytes > BUNDLE_RATIO_FROM_BYTES && bytes > packedBytes * BUNDLE_RATIO_MAX)
    throw unsafe(
      `${named(name)} would be ${Math.round(bytes / Math.max(1, packedBytes))} times as large as it is packed`,
    );
}

function checkTotal(entries: readonly ArchiveEntry[]): void {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const packed = entries.reduce((sum, entry) => sum + entry.packedBytes, 0);
  if (bytes > BUNDLE_UNPACKED_BYTES_MAX) throw tooMuch(bytes);
  if (bytes > BUNDLE_RATIO_FROM_BYTES && bytes > packed * BUNDLE_RATIO_MAX)
    throw unsafe(`it would be ${Math.round(bytes / Math.max(1, packed))} times as large as it is packed`);
}

function tooMuch(bytes: number): ReturnType<typeof unsafe> {
  const mebibytes = (count: number) => Math.ceil(count / 1024 / 1024);
  return unsafe(
    `unpacked it has ${mebibytes(bytes)} MiB, and ${mebibytes(BUNDLE_UNPACKED_BYTES_MAX)} MiB are permitted`,
  );
}

/** Entries that share bytes are how a small archive becomes a huge tree. */
function checkPlaces(entries: readonly ArchiveEntry[], directoryStart: number): void {
  let end = 0;
  for (const { start, dataStart, packedBytes, rawName } of [...entries].sort((one, other) => one.start - other.start)) {
    if (start < end) throw unsafe(`${named(rawName.toString('latin1'))} lies over another entry`);
    end = dataStart + packedBytes;
  }
  if (end > directoryStart) throw unsafe('an entry lies over the directory of the archive');
}

/** On some systems two names are one file, and a file that is also a folder is nowhere possible. */
function checkTwins(files: readonly string[], folders: readonly string[]): void {
  const exact = new Map<string, string>();
  const claim = (path: string) => {
    const folded = foldedPath(path);
    const known = exact.get(folded);
    if (known !== undefined && known !== path)
      throw unsafe(`${named(known)} and ${named(path)} are the same file on some systems`);
    exact.set(folded, path);
  };
  const isFile = new Set<string>();
  for (const path of files) {
    if (isFile.has(path)) throw unsafe(`${named(path)} is in it twice`);
    isFile.add(path);
    claim(path);
  }
  for (const path of [...files.flatMap(parentsOf), ...folders, ...folders.flatMap(parentsOf)]) {
    if (isFile.has(path)) throw unsafe(`${named(path)} is a file and a folder`);
    claim(path);
  }
}

function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function manifestIn(files: readonly BundleFile[]): BundleFile {
  const manifest = files.find(({ path }) => path === MANIFEST);
  if (manifest === undefined) {
    const deeper = files.find(({ path }) => path.endsWith(`/${MANIFEST}`));
    throw invalid(
      deeper === undefined
        ? `it has no ${MANIFEST}`
        : `its ${MANIFEST} is not at the top, but at ${named(deeper.path)}`,
      'it is a zip file, but no MCP bundle; ask its publisher for one made by "mcpb pack"',
    );
  }
  if (manifest.entry.bytes > BUNDLE_MANIFEST_BYTES_MAX)
    throw unsafe(`its ${MANIFEST} has more than ${BUNDLE_MANIFEST_BYTES_MAX} bytes`);
  return manifest;
}
