/** Passing over the inside of JSON strings, where nearly all bytes of a large message are. */
import { BACKSLASH, QUOTE } from './grammar-codes.ts';
import { newStringBlock, type StringBlock, TAIL_BYTES, WINDOW_BYTES } from './string-block.ts';

/** Bytes after which a string counts as long: below, copying into the window costs more than it saves. */
const LONG_BYTES = 128;
/** The first piece of a long string that is copied. Later ones grow, so that what is copied in vain stays in proportion. */
const FIRST_PIECE_BYTES = 2048;
const PIECE_GROWTH = 8;
/** Not worth a copy. */
const PIECE_BYTES_MIN = 128;
/** `\u` and four digits. */
const ESCAPE_BYTES_MAX = 6;

const LETTER_U = 0x75;

/** 1 where plain text ends. */
const ENDS_TEXT = new Uint8Array(256).fill(1, 0, 0x20);
ENDS_TEXT[QUOTE] = 1;
ENDS_TEXT[BACKSLASH] = 1;
/** 1 for what makes a whole escape with a backslash before it. */
const ENDS_ESCAPE = bytesOf('"\\/bfnrt');
const IS_HEX = bytesOf('0123456789abcdefABCDEF');

/**
 * From `from`, which is inside a string and not behind a backslash, past plain bytes and valid escapes. The answer is the offset of
 * the first byte that is neither, of one that needs bytes beyond the chunk, or of one a little earlier: the grammar goes on there.
 * It is `~offset` (negative) when a byte above 0x7f may have been passed.
 */
export function skipString(chunk: Uint8Array, from: number): number {
  const near = from + LONG_BYTES;
  if (near + PIECE_BYTES_MIN > chunk.length) return skipBytes(chunk, from, chunk.length);
  const answer = skipBytes(chunk, from, near);
  const at = answer < 0 ? ~answer : answer;
  if (at <= near - ESCAPE_BYTES_MAX || chunk[at] === QUOTE) return answer;
  const further = skipLong(chunk, at, FIRST_PIECE_BYTES);
  return answer < 0 && further >= 0 ? ~further : further;
}

/** The same at the beginning of a chunk, in a string of the last one: such a string is mostly long. */
export function skipOpenString(chunk: Uint8Array, from: number): number {
  return skipLong(chunk, from, WINDOW_BYTES);
}

// — internal —

function bytesOf(marks: string): Uint8Array {
  const table = new Uint8Array(256);
  for (let i = 0; i < marks.length; i++) table[marks.charCodeAt(i)] = 1;
  return table;
}

/** Four bytes at once, because most of the time none of them is special. */
function skipBytes(chunk: Uint8Array, from: number, end: number): number {
  let at = from;
  let seen = 0;
  while (at + 4 <= end) {
    const a = chunk[at] ?? 0;
    const b = chunk[at + 1] ?? 0;
    const c = chunk[at + 2] ?? 0;
    const d = chunk[at + 3] ?? 0;
    seen |= a | b | c | d;
    if (((ENDS_TEXT[a] ?? 0) | (ENDS_TEXT[b] ?? 0) | (ENDS_TEXT[c] ?? 0) | (ENDS_TEXT[d] ?? 0)) === 0) {
      at += 4;
      continue;
    }
    if (ENDS_TEXT[a] === 0) at += ENDS_TEXT[b] === 1 ? 1 : ENDS_TEXT[c] === 1 ? 2 : 3;
    if (chunk[at] !== BACKSLASH || at + ESCAPE_BYTES_MAX > end) break;
    const escaped = chunk[at + 1] ?? 0;
    if (ENDS_ESCAPE[escaped] === 1) at += 2;
    else if (escaped === LETTER_U && isHex4(chunk, at + 2)) at += ESCAPE_BYTES_MAX;
    else break;
  }
  return seen > 0x7f ? ~at : at;
}

function isHex4(chunk: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 4; i++) if (IS_HEX[chunk[i] ?? 0] !== 1) return false;
  return true;
}

/** Made at the first long string and kept; null where it cannot be had. All scanners share it: no use outlives a call. */
let shared: StringBlock | null | undefined;

function skipLong(chunk: Uint8Array, from: number, firstPiece: number): number {
  if (shared === undefined) shared = newStringBlock();
  if (shared === null) return skipBytes(chunk, from, chunk.length);
  let at = from;
  let aboveAscii = false;
  let size = firstPiece;
  while (chunk.length - at >= PIECE_BYTES_MIN) {
    const length = Math.min(size, chunk.length - at);
    shared.window.set(chunk.subarray(at, at + length));
    const answer = shared.skip(0, length);
    const passed = answer & 0x7fff_ffff;
    if (answer < 0) aboveAscii = true;
    at += passed;
    if (passed < length - TAIL_BYTES || chunk[at] === QUOTE) break;
    size = Math.min(size * PIECE_GROWTH, WINDOW_BYTES);
  }
  // The window leaves a little at its end.
  const answer = skipBytes(chunk, at, chunk.length);
  if (answer < 0) return answer;
  return aboveAscii ? ~answer : answer;
}
