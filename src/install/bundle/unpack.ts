import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { errnoOf } from '../../errors.ts';
import { type Archive, archiveFault } from './archive.ts';
import type { ArchiveEntry, BundleContent, BundleFile } from './entries.ts';
import { invalid, named, unsafe } from './refusal.ts';

/**
 * Writes what was checked into an empty folder of our own. Files are 0644, or 0755 where the archive or `executables` says so: nothing else
 * of a mode is taken.
 * @throws {McpdError} BUNDLE_INVALID, BUNDLE_UNSAFE; the signal's reason; system errors of the folder
 */
export async function unpack(
  archive: Archive,
  content: BundleContent,
  folder: string,
  executables: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const made = new Set<string>();
  const makeFolder = async (path: string) => {
    if (made.has(path)) return;
    await mkdir(join(folder, path), { recursive: true, mode: 0o755 });
    made.add(path);
  };
  for (const path of content.folders) await makeFolder(path);
  for (const file of content.files) {
    signal.throwIfAborted();
    await makeFolder(dirname(file.path));
    await writeOne(archive, file, join(folder, file.path), file.executable || executables.has(file.path), signal);
  }
}

/** The whole of a small file, such as the manifest. @throws {McpdError} BUNDLE_INVALID, BUNDLE_UNSAFE */
export async function readWhole(archive: Archive, { entry, path }: BundleFile): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of checked(await archive.read(entry), entry, path)) pieces.push(piece);
  return Buffer.concat(pieces);
}

// — internal —

async function writeOne(
  archive: Archive,
  { entry, path }: BundleFile,
  target: string,
  executable: boolean,
  signal: AbortSignal,
): Promise<void> {
  // It must not be there: what was checked has each name once.
  const file = await open(target, 'wx', executable ? 0o755 : 0o644);
  try {
    for await (const piece of checked(await archive.read(entry), entry, path)) {
      signal.throwIfAborted();
      await file.writeFile(piece);
    }
  } finally {
    await file.close();
  }
}

/** The pieces, as long as they are what the archive says: not more, and at the end with its checksum. */
async function* checked(stream: Readable, entry: ArchiveEntry, path: string): AsyncGenerator<Buffer> {
  let bytes = 0;
  let sum = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > entry.bytes) throw unsafe(`${named(path)} has more bytes than the archive says`);
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (thrown) {
    // The stream's own errors are those of the archive, or of the disk.
    throw SYSTEM_ERROR.test(errnoOf(thrown) ?? '') ? thrown : archiveFault(thrown);
  } finally {
    stream.destroy();
  }
  if (bytes !== entry.bytes) throw invalid(`${named(path)} is shorter than the archive says`);
  if (sum !== entry.crc32) throw invalid(`${named(path)} is damaged: its checksum is another`);
}

const SYSTEM_ERROR = /^E[A-Z0-9]+$/;
