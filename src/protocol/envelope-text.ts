/** The few texts of an envelope, out of bytes that the grammar has accepted: its keys, the version, the id and the method. */
import type { RawId } from './frame.ts';
import { QUOTE } from './grammar-codes.ts';
import { jsonString, text } from './members.ts';

/** The members of an envelope; their places in this list stand for them. */
export const NAMES: readonly string[] = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];
/** No two begin alike. */
const PLACE_BY_LETTER = new Uint8Array(256);
for (const [place, name] of NAMES.entries()) PLACE_BY_LETTER[name.charCodeAt(0)] = place;
/** Any other key. */
export const OTHER = -1;
/** Added to a place: another reader may take the key for that one, for example `ID`. */
export const LOOKALIKE = 16;

const ZERO = 0x30;
const NINE = 0x39;

/** The longest spelling of a name: each letter of `jsonrpc` as `\u006a`, in quotes. */
const KEY_BYTES_MAX = 7 * 6 + 2;
/** Integers of so many digits are small integers of the engine, whose texts it keeps. */
const SMALL_DIGITS_MAX = 9;

/** The place of the key (with its quotes) in `NAMES`, that plus `LOOKALIKE`, or `OTHER`. */
export function keyPlace(bytes: Uint8Array, from: number, to: number): number {
  const likely = PLACE_BY_LETTER[bytes[from + 1] ?? 0] ?? 0;
  const name = NAMES[likely] ?? '';
  if (name.length === to - from - 2 && isAscii(bytes, from + 1, name)) return likely;
  if (to - from > KEY_BYTES_MAX) return OTHER;
  const key = stringValue(bytes, from, to);
  const exact = NAMES.indexOf(key);
  if (exact >= 0) return exact;
  // Both ways, because "ſ" becomes "s" by way of "S" only.
  const folded = key.toUpperCase().toLowerCase();
  const place = NAMES.indexOf(folded);
  return place >= 0 ? place + LOOKALIKE : OTHER;
}

/** Whether the JSON string is `2.0`. */
export function isVersion2(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from === 5) return isAscii(bytes, from, '"2.0"');
  return to - from <= KEY_BYTES_MAX && bytes[from] === QUOTE && stringValue(bytes, from, to) === '2.0';
}

/** The id as it is written, a string with its quotes or a number. */
export function idText(bytes: Uint8Array, from: number, to: number): RawId {
  if (to - from > SMALL_DIGITS_MAX) return text(bytes, { start: from, end: to });
  let value = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return text(bytes, { start: from, end: to });
    value = value * 10 + byte - ZERO;
  }
  return String(value);
}

/** Servers and hosts use a few methods over and over: their names are made once. */
const METHODS_KEPT = 64;
const METHOD_BYTES_KEPT_MAX = 48;
const methods: string[] = new Array<string>(METHODS_KEPT).fill('');

/** The decoded name of a method, from its JSON string. */
export function methodName(bytes: Uint8Array, from: number, to: number): string {
  const length = to - from - 2;
  const place = (length * 31 + (bytes[to - 2] ?? 0) * 7 + (bytes[to - 4] ?? 0)) % METHODS_KEPT;
  const kept = methods[place] ?? '';
  if (kept.length === length && length > 0 && isAscii(bytes, from + 1, kept)) return kept;
  const name = stringValue(bytes, from, to);
  if (length <= METHOD_BYTES_KEPT_MAX && name.length === length) methods[place] = name;
  return name;
}

// — internal —

function isAscii(bytes: Uint8Array, from: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false;
  return true;
}

function stringValue(bytes: Uint8Array, from: number, to: number): string {
  return jsonString(bytes, { start: from, end: to }) ?? '';
}
