import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { ARCHIVE_END_BYTES_MAX, BUNDLE_ENTRIES_MAX, BUNDLE_SIGNATURE_BYTES_MAX } from '../../bundle-limits.ts';
import { McpdError } from '../../errors.ts';
import { type ArchiveEnd, findArchiveEnd } from './archive-end.ts';
import type { ArchiveEntry } from './entries.ts';
import { invalid, unsafe } from './refusal.ts';

/** A zip archive, open for reading. yauzl takes it apart; nothing of what it says is believed before `checkEntries`. */
export class Archive {
  readonly entries: readonly ArchiveEntry[];
  /** Where all data must have ended. */
  readonly directoryStart: number;
  readonly #zip: ZipFile;
  readonly #sources: ReadonlyMap<ArchiveEntry, Entry>;

  private constructor(zip: ZipFile, end: ArchiveEnd, sources: ReadonlyMap<ArchiveEntry, Entry>) {
    this.entries = [...sources.keys()];
    this.directoryStart = end.directoryStart;
    this.#zip = zip;
    this.#sources = sources;
  }

  /** The caller closes `file` when it is done. @throws {McpdError} BUNDLE_INVALID, BUNDLE_UNSAFE */
  static async open(file: FileHandle): Promise<Archive> {
    const { size } = await file.stat();
    const end = findArchiveEnd(await tailOf(file, size), size);
    if (end.entries > BUNDLE_ENTRIES_MAX)
      throw unsafe(`it has ${end.entries} entries, and ${BUNDLE_ENTRIES_MAX} are permitted`);
    return reading(async () => {
      const options = { autoClose: false, decodeStrings: false, lazyEntries: true, validateEntrySizes: true };
      const zip = await fromRandomAccessReaderPromise(new FileReader(file), end.archiveBytes, options);
      const sources = new Map<ArchiveEntry, Entry>();
      for await (const entry of zip.eachEntry()) sources.set(await entryOf(zip, entry), entry);
      if (Number(zip.readEntryCursor) !== end.directoryEnd)
        throw unsafe('the directory of the archive has more entries than it says');
      return new Archive(zip, end, sources);
    });
  }

  /** The bytes of an entry, unpacked; the stream fails when they are not as many as the archive says. */
  async read(entry: ArchiveEntry): Promise<Readable> {
    const source = this.#sources.get(entry);
    if (source === undefined) throw new RangeError('an entry of another archive');
    return reading(() => this.#zip.openReadStreamPromise(source));
  }
}

/** What went wrong while an archive was read, in our words. */
export function archiveFault(thrown: unknown): McpdError {
  if (thrown instanceof McpdError) return thrown;
  return invalid(thrown instanceof Error ? thrown.message : String(thrown));
}

// — internal —

class FileReader extends RandomAccessReader {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(piecesOf(this.#file, start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null) => void,
  ): void {
    this.#file.read(buffer, offset, length, position).then(
      ({ bytesRead }) => done(bytesRead === length ? null : new RangeError('it ends in the middle of an entry')),
      (error: unknown) => done(error instanceof Error ? error : new RangeError(String(error))),
    );
  }
}

const PIECE_BYTES = 64 * 1024;

/** A stream of Node's own would close the file when it is given up. */
async function* piecesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const wanted = Math.min(PIECE_BYTES, end - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) throw new RangeError('it ends in the middle of an entry');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function tailOf(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Math.min(size, ARCHIVE_END_BYTES_MAX + BUNDLE_SIGNATURE_BYTES_MAX);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, size - bytes);
  return buffer.subarray(0, bytesRead);
}

/** Info-ZIP's second name (APPNOTE 4.6.9): a version, a checksum of the first name, the name. */
const OTHER_NAME = 0x70_75;

async function entryOf(zip: ZipFile, entry: Entry): Promise<ArchiveEntry> {
  const local = await zip.readLocalFileHeaderPromise(entry);
  const other = entry.extraFields.find(({ id }) => id === OTHER_NAME);
  return {
    rawName: Buffer.from(entry.fileNameRaw),
    otherName: other === undefined ? null : Buffer.from(other.data.subarray(5)),
    flags: entry.generalPurposeBitFlag,
    method: entry.compressionMethod,
    system: entry.versionMadeBy >>> 8,
    attributes: entry.externalFileAttributes,
    packedBytes: entry.compressedSize,
    bytes: entry.uncompressedSize,
    crc32: entry.crc32,
    start: entry.relativeOffsetOfLocalHeader,
    dataStart: local.fileDataStart,
    local: {
      rawName: Buffer.from(local.fileName),
      flags: local.generalPurposeBitFlag,
      method: local.compressionMethod,
      packedBytes: local.compressedSize,
      bytes: local.uncompressedSize,
    },
  };
}

async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw archiveFault(thrown);
  }
}
