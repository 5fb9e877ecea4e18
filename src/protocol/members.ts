/**
 * Looking into small JSON that lies in one piece and has passed the strict scanner. On other bytes the answers are empty or null;
 * nothing throws and every walk ends.
 */
import { asBuffer, type Edit } from './bytes.ts';
import type { Span } from './frame.ts';
import { usualText } from './usual-text.ts';

export interface Member {
  /** Decoded. */
  key: string;
  /** Where the key's quotes begin and end. */
  keyStart: number;
  keyEnd: number;
  /** Where the value begins and ends. */
  start: number;
  end: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The members of the object at `span`, in their order, with offsets in `bytes`; empty when there is no object. */
export function members(bytes: Uint8Array, span: Span): Member[] {
  const list: Member[] = [];
  walk(bytes, span, (keyStart, keyEnd, start, end) => {
    const key = jsonString(bytes, { start: keyStart, end: keyEnd });
    if (key !== null) list.push({ key, keyStart, keyEnd, start, end });
    return key !== null;
  });
  return list;
}

/** The first member named `key`. */
export function member(bytes: Uint8Array, span: Span, key: string): Member | null {
  let found: Member | null = null;
  walk(bytes, span, (keyStart, keyEnd, start, end) => {
    if (!isKey(bytes, keyStart, keyEnd, key)) return true;
    found = { key, keyStart, keyEnd, start, end };
    return false;
  });
  return found;
}

/** A key that occurs twice, or null. */
export function duplicateKey(list: readonly Member[]): string | null {
  if (list.length <= FEW_KEYS) return list.find(({ key }, at) => isBefore(list, key, at))?.key ?? null;
  const seen = new Set<string>();
  for (const { key } of list) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return null;
}

/** The elements of the array at `span`, `countMax` of them at most; empty when there is no array. */
export function elements(bytes: Uint8Array, span: Span, countMax = Number.POSITIVE_INFINITY): Span[] {
  const list: Span[] = [];
  let at = skipSpace(bytes, span.start, span.end);
  if (at >= span.end || bytes[at] !== OPEN_ARRAY) return list;
  at = skipSpace(bytes, at + 1, span.end);
  while (at < span.end && bytes[at] !== CLOSE_ARRAY && list.length < countMax) {
    const end = skipValue(bytes, at, span.end);
    if (end === at) return list;
    list.push({ start: at, end });
    at = skipSpace(bytes, end, span.end);
    if (at >= span.end || bytes[at] !== COMMA) return list;
    at = skipSpace(bytes, at + 1, span.end);
  }
  return list;
}

/** The bytes as text. */
export function text(bytes: Uint8Array, span: Span): string {
  return asBuffer(bytes).toString('utf8', span.start, span.end);
}

/** The decoded string at `span`, or null when it is not a string. */
export function jsonString(bytes: Uint8Array, span: Span): string | null {
  const { start, end } = span;
  if (end - start < 2 || bytes[start] !== QUOTE || skipString(bytes, start, end) !== end) return null;
  for (let at = start + 1; at < end - 1; at++) {
    if (bytes[at] === BACKSLASH) return parsedString(text(bytes, span));
  }
  return bytes[end - 1] === QUOTE ? usualText(asBuffer(bytes), start + 1, end - 1) : null;
}

/** The edits that leave these members out, each with the comma that belongs to it. */
export function withoutMembers(list: readonly Member[], keys: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let kept: Member | null = null;
  for (const [at, one] of list.entries()) {
    if (!keys.includes(one.key)) {
      kept = one;
      continue;
    }
    const next = list[at + 1];
    if (next !== undefined) edits.push({ start: one.keyStart, end: next.keyStart, with: '' });
    // The last one takes the comma before it along, and with it those that were left out since the last one that stays.
    else if (kept !== null) {
      while ((edits.at(-1)?.start ?? 0) > kept.end) edits.pop();
      edits.push({ start: kept.end, end: one.end, with: '' });
    } else edits.push({ start: one.keyStart, end: one.end, with: '' });
  }
  return edits;
}

// — internal —

/** Up to here looking at each is quicker than a Set is made. */
const FEW_KEYS = 8;

function isBefore(list: readonly Member[], key: string, at: number): boolean {
  for (let i = 0; i < at; i++) if (list[i]?.key === key) return true;
  return false;
}

/** Visits the members of the object at `span` until `visit` says that it has seen enough, or something is no member. */
function walk(
  bytes: Uint8Array,
  span: Span,
  visit: (keyStart: number, keyEnd: number, start: number, end: number) => boolean,
): void {
  let at = skipSpace(bytes, span.start, span.end);
  if (at >= span.end || bytes[at] !== OPEN_OBJECT) return;
  at = skipSpace(bytes, at + 1, span.end);
  while (at < span.end && bytes[at] === QUOTE) {
    const keyStart = at;
    const keyEnd = skipString(bytes, at, span.end);
    at = skipSpace(bytes, keyEnd, span.end);
    if (at >= span.end || bytes[at] !== COLON) return;
    const start = skipSpace(bytes, at + 1, span.end);
    const end = skipValue(bytes, start, span.end);
    if (end === start || !visit(keyStart, keyEnd, start, end)) return;
    at = skipSpace(bytes, end, span.end);
    if (at >= span.end || bytes[at] !== COMMA) return;
    at = skipSpace(bytes, at + 1, span.end);
  }
}

function isKey(bytes: Uint8Array, from: number, to: number, key: string): boolean {
  let i = 0;
  for (let at = from + 1; at < to - 1; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === BACKSLASH || byte > 0x7f) return jsonString(bytes, { start: from, end: to }) === key;
    if (byte !== key.charCodeAt(i++)) return false;
  }
  return i === key.length;
}

function parsedString(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : null;
  } catch {
    // Not JSON: the answer is "no string here".
    return null;
  }
}

function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    at++;
  }
  return at;
}

/** Past the closing quote of the string that opens at `from`, or `end`. */
function skipString(bytes: Uint8Array, from: number, end: number): number {
  let at = from + 1;
  const near = Math.min(end, at + SHORT_STRING_BYTES);
  while (at < near) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return at >= end ? end : skipLongString(bytes, at, end);
}

/** Up to here a loop is quicker than a call into the engine. */
const SHORT_STRING_BYTES = 64;

/** The same from `from` on, which is inside the string and not behind a backslash: by the engine's own search for quotes. */
function skipLongString(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote >= end) return end;
    let slashes = 0;
    while (quote - slashes > at && bytes[quote - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
  return end;
}

/** Past the value at `from`; `from` itself when there is none. */
function skipValue(bytes: Uint8Array, from: number, end: number): number {
  let depth = 0;
  let at = from;
  while (at < end) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at, end);
      if (depth === 0) return at;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth++;
      at++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 0) return at;
      at++;
      if (--depth === 0) return at;
    } else if (depth > 0) {
      at++;
    } else {
      return skipScalar(bytes, at, end);
    }
  }
  return at;
}

function skipScalar(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at] ?? COMMA;
    if (byte === COMMA || byte === COLON || byte <= 0x20 || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) break;
    at++;
  }
  return at;
}
