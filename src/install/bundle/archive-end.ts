import { ARCHIVE_END_BYTES_MAX } from '../../bundle-limits.ts';
import { invalid, unsafe } from './refusal.ts';

/** Where the archive in a bundle ends. Pure: it is given the last bytes of the file. */
export interface ArchiveEnd {
  /** The length of the file as an archive: what stands behind is the block of a signature. */
  archiveBytes: number;
  /** Of its directory: where it begins and ends, and how many entries it is said to have. */
  directoryStart: number;
  directoryEnd: number;
  entries: number;
}

/**
 * Finds the record that ends a zip archive (APPNOTE 4.3.16). A signed bundle has a block behind it, from `MCPB_SIG_V1` to `MCPB_SIG_END`,
 * which newer signers count as the archive's comment and older ones do not.
 * @param tail the last bytes of the file, `tailBytes(fileBytes)` of them
 * @throws {McpdError} BUNDLE_INVALID, BUNDLE_UNSAFE
 */
export function findArchiveEnd(tail: Buffer, fileBytes: number): ArchiveEnd {
  const tailStart = fileBytes - tail.length;
  const signature = signatureStart(tail);
  const behind = signature ?? tail.length;
  const lowest = Math.max(0, behind - ARCHIVE_END_BYTES_MAX);
  for (let at = behind - RECORD_BYTES; at >= lowest; at--) {
    if (tail.readUInt32LE(at) !== RECORD) continue;
    const commentEnd = at + RECORD_BYTES + tail.readUInt16LE(at + 20);
    // A record within a comment would be a second end: which one counts would depend on the reader.
    if (commentEnd !== behind && commentEnd !== tail.length)
      throw unsafe('the archive has more than one end, or bytes behind it');
    if (at >= LOCATOR_BYTES && tail.readUInt32LE(at - LOCATOR_BYTES) === LOCATOR)
      throw invalid(
        'it is a ZIP64 archive, which no bundle of a permitted size needs',
        'ask its publisher for one made by "mcpb pack"',
      );
    const [disk, directoryDisk, here, entries] = [4, 6, 8, 10].map((offset) => tail.readUInt16LE(at + offset));
    if (disk !== 0 || directoryDisk !== 0 || here !== entries) throw invalid('it is one part of an archive of several');
    const directoryStart = tail.readUInt32LE(at + 16);
    const directoryEnd = directoryStart + tail.readUInt32LE(at + 12);
    if (directoryEnd !== tailStart + at) throw unsafe('the directory of the archive does not reach to its end');
    return { archiveBytes: tailStart + commentEnd, directoryStart, directoryEnd, entries: entries ?? 0 };
  }
  throw invalid('it is no zip archive, or was cut off');
}

// — internal —

const RECORD = 0x06_05_4b_50;
const RECORD_BYTES = 22;
/** That of ZIP64 stands right before the record. */
const LOCATOR = 0x07_06_4b_50;
const LOCATOR_BYTES = 20;

const SIGNATURE_BEGINS = 'MCPB_SIG_V1';
const SIGNATURE_ENDS = 'MCPB_SIG_END';

/** Null where the file is not signed. */
function signatureStart(tail: Buffer): number | null {
  if (tail.subarray(-SIGNATURE_ENDS.length).toString('latin1') !== SIGNATURE_ENDS) return null;
  const at = tail.lastIndexOf(SIGNATURE_BEGINS, undefined, 'latin1');
  return at === -1 ? null : at;
}
