import { crc32, deflateRawSync } from 'node:zlib';

/** Writes zip archives byte by byte, honest ones and others: what is not given is as it should be. */

export interface ZipEntry {
  name: string | Buffer;
  content?: string | Buffer;
  /** Unix's whole mode, as 0o100644. */
  mode?: number;
  deflated?: boolean;
  /** Of the directory; 0x800 is UTF-8. */
  flags?: number;
  system?: number;
  /** All 32 bits, in the place of `mode`. */
  attributes?: number;
  method?: number;
  /** What is said in the place of the truth. */
  bytes?: number;
  packedBytes?: number;
  crc?: number;
  /** Where its data is said to begin: at the entry of this index. */
  sharesDataOf?: number;
  extra?: Buffer;
  /** What stands before the data and differs from the directory. */
  local?: { name?: string; method?: number; bytes?: number; flags?: number };
}

export interface ZipOptions {
  /** As the archive's comment. */
  comment?: Buffer;
  /** Behind the archive. */
  trailing?: Buffer;
  entryCount?: number;
}

export function zipOf(entries: readonly ZipEntry[], options: ZipOptions = {}): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  const starts: number[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content ?? '');
    const packed = entry.deflated === false || content.length === 0 ? content : deflateRawSync(content, { level: 9 });
    const facts = {
      flags: entry.flags ?? 0x800,
      method: entry.method ?? (packed === content ? 0 : 8),
      crc: entry.crc ?? crc32(content),
      packedBytes: entry.packedBytes ?? packed.length,
      bytes: entry.bytes ?? content.length,
    };
    const { local = {} } = entry;
    const localName = Buffer.from(local.name ?? name);
    const start = entry.sharesDataOf === undefined ? at : (starts[entry.sharesDataOf] ?? 0);
    starts.push(start);
    directory.push(directoryRecord(entry, name, facts, start));
    if (entry.sharesDataOf !== undefined) continue;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04_03_4b_50, 0);
    head.writeUInt16LE(20, 4);
    head.writeUInt16LE(local.flags ?? facts.flags, 6);
    head.writeUInt16LE(local.method ?? facts.method, 8);
    head.writeUInt32LE(facts.crc, 14);
    head.writeUInt32LE(facts.packedBytes, 18);
    head.writeUInt32LE(local.bytes ?? facts.bytes, 22);
    head.writeUInt16LE(localName.length, 26);
    pieces.push(head, localName, packed);
    at += head.length + localName.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const comment = options.comment ?? Buffer.alloc(0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(options.entryCount ?? entries.length, 8);
  end.writeUInt16LE(options.entryCount ?? entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...pieces, listed, end, comment, options.trailing ?? Buffer.alloc(0)]);
}

/** The block that signers of bundles put behind the archive. */
export function signatureBlock(signature = Buffer.alloc(600, 7)): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(signature.length, 0);
  return Buffer.concat([Buffer.from('MCPB_SIG_V1'), length, signature, Buffer.from('MCPB_SIG_END')]);
}

// — internal —

function directoryRecord(
  entry: ZipEntry,
  name: Buffer,
  facts: { flags: number; method: number; crc: number; packedBytes: number; bytes: number },
  start: number,
): Buffer {
  const isFolder = name.toString().endsWith('/');
  const mode = entry.mode ?? (isFolder ? 0o040755 : 0o100644);
  const extra = entry.extra ?? Buffer.alloc(0);
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02_01_4b_50, 0);
  record.writeUInt16LE(((entry.system ?? 3) << 8) | 20, 4);
  record.writeUInt16LE(20, 6);
  record.writeUInt16LE(facts.flags, 8);
  record.writeUInt16LE(facts.method, 10);
  record.writeUInt32LE(facts.crc, 16);
  record.writeUInt32LE(facts.packedBytes, 20);
  record.writeUInt32LE(facts.bytes, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(entry.attributes ?? (mode << 16) >>> 0, 38);
  record.writeUInt32LE(start, 42);
  return Buffer.concat([record, name, extra]);
}
