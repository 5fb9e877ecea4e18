/** Lines out of chunks, and messages out of lines. */
import { join } from './bytes.ts';
import type { Frame, NoiseReason, RawId } from './frame.ts';
import { scan } from './scan.ts';

/** A line that is not a message. */
export interface Noise {
  reason: NoiseReason;
  /** The id as written, when the line is JSON-RPC enough to name one without doubt. */
  id: RawId | null;
  /** The line has a `method`: then `id` is a request of the sender, else an answer to one of ours. */
  asks: boolean;
  /** Bytes in the line. */
  bytes: number;
  /** Its first bytes, at most `sampleBytesMax`. */
  sample: Uint8Array;
}

export interface FrameReaderOptions {
  lineBytesMax: number;
  depthMax: number;
  sampleBytesMax: number;
  /** Node's `buffer.isUtf8`. */
  isUtf8(bytes: Uint8Array): boolean;
  onFrame(frame: Frame): void;
  onNoise(noise: Noise): void;
}

export class FrameReader {
  readonly #options: FrameReaderOptions;
  #pieces: Uint8Array[] = [];

  constructor(options: FrameReaderOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(0x0a, from);
      if (newline < 0) break;
      this.#pieces.push(chunk.subarray(from, newline));
      this.#line();
      from = newline + 1;
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
  }

  /** No more bytes: a whole message without its newline is delivered, a cut one is noise. */
  end(): void {
    this.#line();
  }

  #line(): void {
    let bytes = join(this.#pieces);
    this.#pieces = [];
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3);
    if (bytes.at(-1) === 0x0d) bytes = bytes.subarray(0, -1);
    if (bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) return;
    const { found, id } = scan(bytes, this.#options.depthMax);
    const noise = { id, asks: false, bytes: bytes.length, sample: bytes.subarray(0, this.#options.sampleBytesMax) };
    if (bytes.length > this.#options.lineBytesMax) this.#options.onNoise({ reason: 'too-long', ...noise });
    else if (typeof found === 'string') this.#options.onNoise({ reason: found, ...noise });
    else if (!this.#options.isUtf8(bytes)) this.#options.onNoise({ reason: 'invalid-utf8', ...noise });
    else this.#options.onFrame({ bytes: [bytes], length: bytes.length, envelope: found });
  }
}
