/**
 * Long JSON strings are most of a large message, and a byte loop in JavaScript reads them at a third of the speed at which they
 * arrive. So the inside of a string is read by a few WebAssembly instructions that look at 16 bytes at once. They are written here as
 * what they are, because a compiler for them would be a dependency. Where they cannot run (a processor without SIMD, an interpreter
 * without compiler), the scanner's own loop does the same work slower.
 *
 * Opcodes: WebAssembly core specification 2.0, section 5.4. Which bytes a run of backslashes escapes is found without a branch, by an
 * addition whose carry runs along the run (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", 2019).
 */
import { BACKSLASH, QUOTE } from './grammar-codes.ts';

export interface StringBlock {
  /** Text to read is copied here. */
  window: Uint8Array;
  /**
   * Goes from `from` in the window, which is inside a string and not behind a backslash, over plain bytes and valid escapes.
   * The low 31 bits of the answer are the offset of the first byte that is neither (the closing quote, a control byte, the backslash
   * of a wrong or cut escape), or of any byte in the last `TAIL_BYTES` before `to`. Negative: a byte above 0x7f may have been passed.
   */
  skip(from: number, to: number): number;
}

/** Bytes that fit into the window at once: a read of a pipe or socket. */
export const WINDOW_BYTES = 64 * 1024;
/** Bytes are read in blocks; what does not fill one is left to the caller. */
export const TAIL_BYTES = 16;

/** Null when this runtime cannot run it. */
export function newStringBlock(): StringBlock | null {
  try {
    const { memory, skip } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes())).exports;
    return { window: new Uint8Array(memory.buffer, 0, WINDOW_BYTES), skip };
  } catch {
    // No SIMD, no executable memory, or no address space: the caller has the slower way.
    return null;
  }
}

// — internal —

/** The part that is used here: the types of Node 20 do not have this global. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (
    module: object,
  ) => { exports: { memory: { buffer: ArrayBuffer }; skip(from: number, to: number): number } };
};

type Code = readonly number[];

// Numbers: each function gives the code that leaves its value on the stack.
const get = (local: number): Code => [0x20, local];
const num = (value: number): Code => [0x41, ...signed(value)];
const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
const sub = (a: Code, b: Code): Code => [...a, ...b, 0x6b];
const and = (a: Code, b: Code): Code => [...a, ...b, 0x71];
const or = (a: Code, b: Code): Code => [...a, ...b, 0x72];
const xor = (a: Code, b: Code): Code => [...a, ...b, 0x73];
const not = (a: Code): Code => xor(a, num(-1));
const shl = (a: Code, bits: number): Code => [...a, ...num(bits), 0x74];
const shr = (a: Code, bits: Code): Code => [...a, ...bits, 0x76];
const lowestBit = (a: Code): Code => [...a, 0x68];
const isZero = (a: Code): Code => [...a, 0x45];
const equal = (a: Code, b: Code): Code => [...a, ...b, 0x46];
const atMost = (a: Code, b: Code): Code => [...a, ...b, 0x4c];
const more = (a: Code, b: Code): Code => [...a, ...b, 0x4a];
const loadByte = (at: Code): Code => [...at, 0x2d, 0, 0];

// Vectors of 16 bytes.
const simd = (...op: number[]): Code => [0xfd, ...op];
const load = (at: Code, offset: number): Code => [...at, ...simd(0x00), 0, offset];
const vector = (lane: (index: number) => number): Code => [
  ...simd(0x0c),
  ...Array.from({ length: 16 }, (_, i) => lane(i)),
];
const all = (byte: number): Code => vector(() => byte);
const lookup = (table: Code, index: Code): Code => [...table, ...index, ...simd(0x0e)];
const vEqual = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x23)];
const vLess = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x26)];
const vAnd = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x4e)];
const vOr = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x50)];
const vSub = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x71)];
const any = (a: Code): Code => [...a, ...simd(0x53)];
/** The top bit of each byte, gathered in a number. */
const mask = (a: Code): Code => [...a, ...simd(0x64)];
/** Shifts pairs of bytes, so the upper half of each byte is dirty. */
const shrPairs = (a: Code, bits: number): Code => [...a, ...num(bits), ...simd(0x8d, 0x01)];

// Steps.
const set = (local: number, value: Code): Code => [...value, 0x21, local];
const block = (...body: Code[]): Code => [0x02, 0x40, ...body.flat(), 0x0b];
const loop = (...body: Code[]): Code => [0x03, 0x40, ...body.flat(), 0x0b];
const when = (condition: Code, ...body: Code[]): Code => [...condition, 0x04, 0x40, ...body.flat(), 0x0b];
/** Leaves `depth` enclosing blocks, or begins a loop anew. */
const go = (depth: number): Code => [0x0c, depth];
const goWhen = (depth: number, condition: Code): Code => [...condition, 0x0d, depth];

// Locals: two parameters, four numbers, two vectors.
const AT = 0;
const LAST = 1;
/** The first byte of the next block is escaped; at the end: the byte at AT is. */
const CARRY = 2;
const SLASHES = 3;
const ESCAPED = 4;
const STOPS = 5;
const BYTES = 6;
const SEEN = 7;

/** Bit 16 is the first byte of the next block. */
const EVEN_BITS = 0x15555;

const ESCAPES = '"\\/bfnrt';
const UPPER_HALVES = [2, 5, 6, 7];
const upperBit = (half: number): number => (UPPER_HALVES.includes(half) ? 1 << UPPER_HALVES.indexOf(half) : 0);

/**
 * The bytes that may not follow a backslash (`u` is among them, it is looked at apart). A bit for each upper half byte that occurs in
 * an escape is looked up by both halves of the byte; where no bit is in both, it is no escape.
 */
function isNoEscape(): Code {
  const codes = [...ESCAPES].map((mark) => mark.charCodeAt(0));
  const byLower = vector((half) =>
    codes.reduce((bits, code) => (code % 16 === half ? bits | upperBit(code >> 4) : bits), 0),
  );
  const lower = vAnd(get(BYTES), all(15));
  const upper = vAnd(shrPairs(get(BYTES), 4), all(15));
  return vEqual(vAnd(lookup(byLower, lower), lookup(vector(upperBit), upper)), all(0));
}

/** SLASHES, CARRY → ESCAPED: a bit for each byte behind an escaping backslash. */
function findEscaped(): Code[] {
  return [
    set(SLASHES, and(get(SLASHES), not(get(CARRY)))),
    set(ESCAPED, or(shl(get(SLASHES), 1), get(CARRY))),
    // Runs that begin at an odd place are carried away by the addition; of the others every even place stays.
    set(STOPS, and(and(get(SLASHES), num(~EVEN_BITS)), not(get(ESCAPED)))),
    set(ESCAPED, and(get(ESCAPED), xor(num(EVEN_BITS), shl(add(get(STOPS), get(SLASHES)), 1)))),
  ];
}

function skipCode(): Code {
  const isQuote = vEqual(get(BYTES), all(QUOTE));
  const isSlash = vEqual(get(BYTES), all(BACKSLASH));
  const isControl = vLess(get(BYTES), all(0x20));
  const isDigit = vLess(vSub(get(BYTES), all(0x30)), all(10));
  const isHexLetter = vLess(vSub(vOr(get(BYTES), all(0x20)), all(0x61)), all(6));
  const advance: Code[] = [set(AT, add(get(AT), num(TAIL_BYTES))), go(1)];
  const isLetterU = and(get(CARRY), equal(loadByte(get(AT)), num(0x75)));
  const steps: Code[] = [
    set(LAST, sub(get(LAST), num(TAIL_BYTES))),
    block(
      loop(
        goWhen(1, more(get(AT), get(LAST))),
        set(BYTES, load(get(AT), 0)),
        set(SEEN, vOr(get(SEEN), get(BYTES))),
        when(isZero(or(any(vOr(vOr(isSlash, isQuote), isControl)), get(CARRY))), ...advance),
        set(SLASHES, mask(isSlash)),
        ...findEscaped(),
        set(STOPS, or(and(mask(vOr(isQuote, isControl)), not(get(ESCAPED))), and(mask(isNoEscape()), get(ESCAPED)))),
        when(isZero(get(STOPS)), set(CARRY, shr(get(ESCAPED), num(TAIL_BYTES))), ...advance),
        set(STOPS, lowestBit(get(STOPS))),
        set(AT, add(get(AT), get(STOPS))),
        set(CARRY, and(shr(get(ESCAPED), get(STOPS)), num(1))),
        // A `u` with four hexadecimal digits is passed.
        when(
          and(isLetterU, atMost(get(AT), add(get(LAST), num(TAIL_BYTES - 5)))),
          set(BYTES, load(get(AT), 1)),
          when(
            equal(and(mask(vOr(isDigit, isHexLetter)), num(15)), num(15)),
            set(AT, add(get(AT), num(5))),
            set(CARRY, num(0)),
            go(2),
          ),
        ),
      ),
    ),
    or(sub(get(AT), get(CARRY)), shl(isZero(isZero(mask(get(SEEN)))), 31)),
  ];
  return steps.flat();
}

/** The module: one function of two numbers to a number, and two pages of memory (the window, and room to load beyond its end). */
function moduleBytes(): Uint8Array {
  const i32 = 0x7f;
  const v128 = 0x7b;
  const body = [2, 4, i32, 2, v128, ...skipCode(), 0x0b];
  const section = (id: number, ...content: number[]): number[] => [id, ...unsigned(content.length), ...content];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 2, i32, i32, 1, i32),
    ...section(3, 1, 0),
    ...section(5, 1, 1, 2, 2),
    ...section(7, 2, ...name('memory'), 2, 0, ...name('skip'), 0, 0),
    ...section(10, 1, ...unsigned(body.length), ...body),
  ]);
}

/** LEB128, as the format writes lengths. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128 with sign, as the format writes constants. */
function signed(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const last = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
  return last ? [low] : [low | 0x80, ...signed(rest)];
}
