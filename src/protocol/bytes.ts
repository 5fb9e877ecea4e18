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
 * above, what is not edited are the chunks themselves.
 * @throws {RangeError} edits overlap or lie outside the line.
 */
export function splice(bytes: Bytes, length: number, edits: readonly Edit[], coalesceBytesMax: number): Bytes {
  const sorted = inOrder(edits);
  let total = length + 1;
  let last = 0;
  for (const edit of sorted) {
    if (edit.start < last || edit.end < edit.start || edit.end > length)
      throw new RangeError('edits overlap or lie outside');
    total += sizeOf(edit.with) - (edit.end - edit.start);
    last = edit.end;
  }
  return total <= coalesceBytesMax ? [copied(bytes, length, sorted, total)] : pieced(bytes, length, sorted);
}

/** A small message of our own as a line. */
export function line(text: string): Bytes {
  return [Buffer.from(`${text}\n`)];
}

/** True when the line has this (ASCII) text somewhere, also where chunks meet. */
export function mentions(bytes: Bytes, wanted: string): boolean {
  const reach = wanted.length - 1;
  let seam = '';
  for (const chunk of bytes) {
    if (asBuffer(chunk).includes(wanted, 0, 'latin1')) return true;
    seam += asBuffer(chunk).toString('latin1', 0, reach);
    if (seam.includes(wanted)) return true;
    seam = chunk.length < reach ? seam.slice(-reach) : asBuffer(chunk).toString('latin1', chunk.length - reach);
  }
  return false;
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

// — internal —

const NEWLINE = 0x0a;
const NEWLINE_BYTES: Uint8Array = Buffer.of(NEWLINE);
/** Up to here a loop is faster than a call into the engine. */
const SHORT_BYTES = 48;

function inOrder(edits: readonly Edit[]): readonly Edit[] {
  let before: Edit | undefined;
  for (const edit of edits) {
    if (before !== undefined && (edit.start < before.start || (edit.start === before.start && edit.end < before.end))) {
      return [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
    }
    before = edit;
  }
  return edits;
}

function sizeOf(content: string | Uint8Array): number {
  return typeof content !== 'string' || isShortAscii(content) ? content.length : Buffer.byteLength(content);
}

function isShortAscii(text: string): boolean {
  if (text.length > SHORT_BYTES) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function copied(bytes: Bytes, length: number, edits: readonly Edit[], total: number): Buffer {
  const out = Buffer.allocUnsafe(total);
  let at = 0;
  let from = 0;
  for (const edit of edits) {
    at = copyRange(out, at, bytes, from, edit.start);
    at =
      typeof edit.with === 'string'
        ? writeText(out, at, edit.with)
        : copyRange(out, at, [edit.with], 0, edit.with.length);
    from = edit.end;
  }
  out[copyRange(out, at, bytes, from, length)] = NEWLINE;
  return out;
}

function copyRange(out: Buffer, to: number, bytes: Bytes, start: number, end: number): number {
  let at = to;
  let offset = 0;
  for (const chunk of bytes) {
    if (offset >= end) break;
    const from = Math.max(start - offset, 0);
    const until = Math.min(end - offset, chunk.length);
    if (until - from > SHORT_BYTES) {
      out.set(from === 0 && until === chunk.length ? chunk : chunk.subarray(from, until), at);
      at += until - from;
    } else {
      for (let i = from; i < until; i++) out[at++] = chunk[i] ?? 0;
    }
    offset += chunk.length;
  }
  return at;
}

function writeText(out: Buffer, to: number, text: string): number {
  if (!isShortAscii(text)) return to + out.write(text, to);
  for (let i = 0; i < text.length; i++) out[to + i] = text.charCodeAt(i);
  return to + text.length;
}

function pieced(bytes: Bytes, length: number, edits: readonly Edit[]): Bytes {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const edit of edits) {
    for (const piece of slice(bytes, { start: from, end: edit.start })) pieces.push(piece);
    if (edit.with.length > 0) pieces.push(typeof edit.with === 'string' ? Buffer.from(edit.with) : edit.with);
    from = edit.end;
  }
  for (const piece of slice(bytes, { start: from, end: length })) pieces.push(piece);
  pieces.push(NEWLINE_BYTES);
  return pieces;
}
