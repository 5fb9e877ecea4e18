/** Reading and rewriting messages as bytes: what is not named in an edit leaves as it came. */
import type { Bytes, RawId, Span } from './frame.ts';

/** Replaces the bytes from `start` to `end` of a line. An insertion has `start === end`. */
export interface Edit {
  start: number;
  end: number;
  with: string | Uint8Array;
}

/** The same memory with Buffer's methods. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function byteLength(bytes: Bytes): number {
  let total = 0;
  for (const chunk of bytes) total += chunk.length;
  return total;
}

/** One contiguous piece; copied only when there are several. */
export function join(bytes: Bytes): Uint8Array {
  const [first] = bytes;
  return first !== undefined && bytes.length === 1 ? first : Buffer.concat(bytes);
}

/** The bytes of `span`, in as many pieces as it touches; nothing is copied. */
export function slice(bytes: Bytes, span: Span): Bytes {
  const pieces: Uint8Array[] = [];
  let offset = 0;
  for (const chunk of bytes) {
    const from = Math.max(span.start - offset, 0);
    const to = Math.min(span.end - offset, chunk.length);
    if (from < to) pieces.push(chunk.subarray(from, to));
    offset += chunk.length;
    if (offset >= span.end) break;
  }
  return pieces;
}

/**
 * The line with `edits` made and a newline at its end, ready for a stream. Up to `coalesceBytesMax` bytes it is one buffer;
 * above, untouched stretches are the chunks themselves.
 * @throws {RangeError} edits overlap or lie outside the line.
 */
export function splice(bytes: Bytes, length: number, edits: readonly Edit[], coalesceBytesMax: number): Bytes {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const edit of sorted) {
    if (edit.start < at || edit.end < edit.start || edit.end > length)
      throw new RangeError('edits overlap or lie outside');
    pieces.push(...slice(bytes, { start: at, end: edit.start }));
    pieces.push(typeof edit.with === 'string' ? Buffer.from(edit.with) : edit.with);
    at = edit.end;
  }
  pieces.push(...slice(bytes, { start: at, end: length }), Buffer.from('\n'));
  return byteLength(pieces) <= coalesceBytesMax ? [Buffer.concat(pieces)] : pieces;
}

/** A small message of our own as a line. */
export function line(text: string): Bytes {
  return [Buffer.from(`${text}\n`)];
}

const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** Integers up to this many digits are written out; a longer id stays in exponent form. */
const PLAIN_DIGITS_MAX = 1024;

/** One form for all spellings of an id: `1.0` and `1e0` equal `1`, `"\u0061"` equals `"a"`, and no digit is lost. */
export function idKey(id: RawId): string {
  if (id.startsWith('"')) return id.includes('\\') ? JSON.stringify(JSON.parse(id)) : id;
  if (id.length <= PLAIN_DIGITS_MAX && PLAIN_INTEGER.test(id)) return id;
  const parts = NUMBER.exec(id);
  if (parts === null) return id;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const significant = (whole + fraction).replace(/^0+/, '');
  const digits = significant.replace(/0+$/, '');
  if (digits === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(significant.length - digits.length);
  const writtenOut = power >= 0n && power + BigInt(digits.length) <= BigInt(PLAIN_DIGITS_MAX);
  if (writtenOut) return sign + digits + '0'.repeat(Number(power));
  return `${sign}${digits}e${power}`;
}
