import type { Bytes, RawId } from './frame.ts';
import { errorText, INTERNAL_ERROR } from './jsonrpc.ts';

/** Up to here an answer is copied: as it came it would keep a whole chunk alive. */
const COPIED_BYTES_MAX = 8 * 1024;
const NEWLINE = 0x0a;
const [OPEN, COMMA, CLOSE]: readonly [Uint8Array, Uint8Array, Uint8Array] = [
  Buffer.from('['),
  Buffer.from(','),
  Buffer.from(']\n'),
];

/**
 * The answers to one batch, kept until all are there. Together they have at most `bytesMax` bytes: one that does not fit becomes a small
 * error, while a single one may have any size.
 */
export class BatchAnswers {
  readonly #bytesMax: number;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #awaited = 0;
  #taken = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** One more request will be answered. All are counted before the first is carried out. */
  expect(): void {
    this.#awaited++;
  }

  /** The answer to the request with this id, with or without its newline. */
  add(id: RawId, answer: Bytes): void {
    this.#awaited--;
    const pieces = withoutNewline(answer);
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (this.#bytes > 0 && this.#bytes + length > this.#bytesMax) this.refuse(tooMuch(id, this.#bytesMax));
    else this.#push(length <= COPIED_BYTES_MAX ? [Buffer.concat(pieces)] : pieces, length);
  }

  /** An error beside the answers that are awaited: `text` is the whole message. */
  refuse(text: string): void {
    const bytes = Buffer.from(text);
    this.#push([bytes], bytes.length);
  }

  /** One request will not be answered, since the host took it back. */
  drop(): void {
    this.#awaited--;
  }

  /** The array as a line, once: when all answers are there, and there are any. Null otherwise. */
  take(): Bytes | null {
    if (this.#awaited > 0 || this.#taken) return null;
    this.#taken = true;
    return this.#pieces.length === 0 ? null : [...this.#pieces, CLOSE];
  }

  #push(pieces: Bytes, length: number): void {
    this.#pieces.push(this.#pieces.length === 0 ? OPEN : COMMA, ...pieces);
    this.#bytes += length;
  }
}

// — internal —

function withoutNewline(line: Bytes): Uint8Array[] {
  const pieces = line.filter((piece) => piece.length > 0);
  const last = pieces.at(-1);
  if (last?.[last.length - 1] === NEWLINE) pieces.splice(-1, 1, last.subarray(0, -1));
  return pieces;
}

function tooMuch(id: RawId, bytesMax: number): string {
  const message = `this request was carried out, but its answer was dropped: the answers of one batch may have ${bytesMax / 1024 / 1024} MiB together. Send it alone`;
  return errorText(id, INTERNAL_ERROR, message, { reason: 'too-long', limitBytes: bytesMax });
}
