/**
 * Lines out of chunks, and messages out of lines. Each chunk is scanned when it arrives, so that a long message is read while the rest
 * of it is still on its way; its bytes stay where they are.
 */
import { asBuffer, join, slice } from './bytes.ts';
import { NAMES } from './envelope-text.ts';
import type { BatchLine, Bytes, Frame, NoiseReason, RawId } from './frame.ts';
import { LinePieces } from './line-pieces.ts';
import { EnvelopeScanner } from './scan.ts';
import { Utf8Check } from './utf8-check.ts';

/** A line that is not a message. */
export interface Noise {
  reason: NoiseReason;
  /** The id as written, when the line is of JSON-RPC 2.0 and names one without doubt. */
  id: RawId | null;
  /** The line has a method: then `id` is of a request of the sender, else of one that it answers. */
  asks: boolean;
  /** Bytes in the line. */
  bytes: number;
  /** A copy of its first bytes, at most `sampleBytesMax`. */
  sample: Uint8Array;
}

export interface FrameReaderOptions {
  lineBytesMax: number;
  depthMax: number;
  sampleBytesMax: number;
  /** Node's `buffer.isUtf8`. */
  isUtf8: (bytes: Uint8Array) => boolean;
  onFrame(frame: Frame): void;
  onNoise(noise: Noise): void;
  /** A line that is an array. Left out: it is noise. */
  onBatch?: (line: BatchLine) => void;
}

const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);
const REPLACEMENT_CHARACTER = '\ufffd';

/** In lines up to here a message behind other text is looked for: banners and prefixes are short. */
const GLUED_LINE_BYTES_MAX = 64 * 1024;
/** So many beginnings of a message are tried in one line. */
const GLUED_TRIES_MAX = 8;
const MESSAGE_START = new RegExp(`\\{"(?:${NAMES.join('|')})"`, 'g');

export class FrameReader {
  readonly #options: FrameReaderOptions;
  readonly #scanner: EnvelopeScanner;
  readonly #utf8: Utf8Check;
  /** Of a line that does not lie in one chunk. */
  readonly #pieces = new LinePieces();
  /** Bytes of the line in former chunks. */
  #length = 0;
  #lastByte = 0;
  /** The beginning of a line whose bytes are not kept. */
  #sample: Uint8Array | null = null;
  /** Bytes of a byte order mark passed at the beginning of the line. */
  #markLength = 0;

  constructor(options: FrameReaderOptions) {
    this.#options = options;
    this.#scanner = new EnvelopeScanner(options.depthMax);
    this.#utf8 = new Utf8Check(options.isUtf8);
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    while (from < chunk.length) {
      from = this.#passMark(chunk, from);
      const to = this.#scanner.push(chunk, from);
      if (to === chunk.length) {
        this.#keep(chunk.subarray(from));
        return;
      }
      if (this.#length === 0) this.#endInChunk(chunk, from, to);
      else this.#endInPieces(chunk.subarray(from, to));
      from = to + 1;
    }
  }

  /** No more bytes will come. A whole message without its newline is delivered; a cut one is noise. */
  end(): void {
    if (this.#length === 0) this.#unpassMark();
    if (this.#length > 0) this.#endInPieces(new Uint8Array(0));
    else this.#reset();
  }

  // — internal —

  #reset(): void {
    this.#scanner.reset();
    this.#utf8.reset();
    this.#length = 0;
    this.#sample = null;
    this.#markLength = 0;
  }

  /** Past a byte order mark at the beginning of a line, which may be cut too. */
  #passMark(chunk: Uint8Array, from: number): number {
    if (this.#length > 0 || (this.#markLength === 0 && chunk[from] !== BYTE_ORDER_MARK[0])) return from;
    let at = from;
    while (this.#markLength < BYTE_ORDER_MARK.length && chunk[at] === BYTE_ORDER_MARK[this.#markLength]) {
      this.#markLength++;
      at++;
    }
    if (at < chunk.length) this.#unpassMark();
    return at;
  }

  /** What began like a mark and was none belongs to the line. */
  #unpassMark(): void {
    if (this.#markLength === 0 || this.#markLength === BYTE_ORDER_MARK.length) return;
    const bytes = BYTE_ORDER_MARK.subarray(0, this.#markLength);
    this.#markLength = 0;
    this.#scanner.push(bytes, 0);
    this.#keep(bytes);
  }

  #keep(piece: Uint8Array): void {
    this.#length += piece.length;
    this.#lastByte = piece.at(-1) ?? this.#lastByte;
    if (this.#sample !== null) return;
    this.#pieces.add(piece);
    const { lineBytesMax } = this.#options;
    // One byte more may be a carriage return.
    const isTooLong = this.#length > lineBytesMax + 1;
    if (isTooLong || (this.#scanner.isLost && this.#length > GLUED_LINE_BYTES_MAX)) {
      this.#sample = this.#sampleOf(this.#pieces.take());
    } else if (!this.#scanner.isAscii) {
      this.#utf8.push(piece);
    }
  }

  #endInChunk(chunk: Uint8Array, from: number, to: number): void {
    const end = to > from && chunk[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
    const bytes = chunk.subarray(from, end);
    if (!this.#scanner.isAscii) this.#utf8.push(bytes);
    this.#deliver([bytes], bytes.length);
  }

  #endInPieces(lastPiece: Uint8Array): void {
    this.#keep(lastPiece);
    const pieces = this.#pieces.take();
    if (this.#lastByte !== CARRIAGE_RETURN) return this.#deliver(pieces, this.#length);
    const last = pieces.pop();
    if (last !== undefined && last.length > 1) pieces.push(last.subarray(0, -1));
    this.#deliver(pieces, this.#length - 1);
  }

  /** The line is complete. The reader is ready for the next one before a callback runs. */
  #deliver(bytes: Bytes, length: number): void {
    const found = this.#scanner.finish();
    if (found === null) return this.#reset();
    if (length > this.#options.lineBytesMax) return this.#noise('too-long', bytes, length);
    const { onBatch } = this.#options;
    const isMessage = typeof found !== 'string';
    if (!isMessage && (found !== 'batch' || onBatch === undefined)) return this.#noise(found, bytes, length);
    if (!this.#utf8.finish()) return this.#noise('invalid-utf8', bytes, length);
    this.#reset();
    if (isMessage) this.#options.onFrame({ bytes, length, envelope: found, view: null });
    else onBatch?.({ bytes, length });
  }

  #noise(reason: NoiseReason, bytes: Bytes, length: number): void {
    const { id, hasMethod } = this.#scanner;
    const isIdSure = id !== null && !id.includes(REPLACEMENT_CHARACTER);
    const noise = { reason, id: isIdSure ? id : null, asks: hasMethod };
    if (reason === 'not-json' && this.#sample === null && length <= GLUED_LINE_BYTES_MAX) {
      const line = join(bytes);
      const glued = this.#gluedMessage(line);
      if (glued !== null) {
        const before = line.subarray(0, length - glued.length);
        const first = this.#messageIn(before, 0);
        this.#reset();
        if (first !== null) this.#options.onFrame(first);
        else this.#options.onNoise({ ...noise, bytes: before.length, sample: this.#sampleOf([before]) });
        this.#options.onFrame(glued);
        return;
      }
    }
    const sample = this.#sample ?? this.#sampleOf(bytes);
    this.#reset();
    this.#options.onNoise({ ...noise, bytes: length, sample });
  }

  /** A message that follows other text, or another message, and ends with the line. */
  #gluedMessage(line: Uint8Array): Frame | null {
    let tries = 0;
    for (const { index } of asBuffer(line).toString('latin1').matchAll(MESSAGE_START)) {
      if (index === 0) continue;
      if (++tries > GLUED_TRIES_MAX) break;
      const message = this.#messageIn(line, index);
      if (message !== null) return message;
    }
    return null;
  }

  #messageIn(line: Uint8Array, from: number): Frame | null {
    this.#scanner.reset();
    this.#scanner.push(line, from);
    const envelope = this.#scanner.finish();
    if (envelope === null || typeof envelope === 'string') return null;
    const message = line.subarray(from);
    return this.#options.isUtf8(message) ? { bytes: [message], length: message.length, envelope, view: null } : null;
  }

  #sampleOf(bytes: Bytes): Uint8Array {
    return Buffer.from(join(slice(bytes, { start: 0, end: this.#options.sampleBytesMax })));
  }
}
