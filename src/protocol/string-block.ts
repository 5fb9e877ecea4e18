/**
 * Long JSON strings are most of a large message, and a byte loop in JavaScript reads them at a third of the speed at which they
 * arrive. So the inside of a string is read by a few WebAssembly instructions that look at 64 bytes at once. They are written here as
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
export const TAIL_BYTES = 64;

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

// Offsets, 32 bits: each function gives the code that leaves its value on the stack.
const get = (local: number): Code => [0x20, local];
const num = (value: number): Code => [0x41, ...signed(BigInt(value))];
const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
const sub = (a: Code, b: Code): Code => [...a, ...b, 0x6b];
const and = (a: Code, b: Code): Code => [...a, ...b, 0x71];
const or = (a: Code, b: Code): Code => [...a, ...b, 0x72];
const shl = (a: Code, bits: number): Code => [...a, ...num(bits), 0x74];
const isZero = (a: Code): Code => [...a, 0x45];
const equal = (a: Code, b: Code): Code => [...a, ...b, 0x46];
const atMost = (a: Code, b: Code): Code => [...a, ...b, 0x4c];
const more = (a: Code, b: Code): Code => [...a, ...b, 0x4a];
const loadByte = (at: Code): Code => [...at, 0x2d, 0, 0];

// A bit for each byte of a block, 64 bits.
const bits = (value: bigint): Code => [0x42, ...signed(BigInt.asIntN(64, value))];
const bitsOf = (a: Code): Code => [...a, 0xad];
const numberOf = (a: Code): Code => [...a, 0xa7];
const bAdd = (a: Code, b: Code): Code => [...a, ...b, 0x7c];
const bAnd = (a: Code, b: Code): Code => [...a, ...b, 0x83];
const bOr = (a: Code, b: Code): Code => [...a, ...b, 0x84];
const bXor = (a: Code, b: Code): Code => [...a, ...b, 0x85];
const bNot = (a: Code): Code => bXor(a, bits(-1n));
const bShl = (a: Code, by: Code): Code => [...a, ...by, 0x86];
const bShr = (a: Code, by: Code): Code => [...a, ...by, 0x88];
const isLess = (a: Code, b: Code): Code => [...a, ...b, 0x54];
const noBits = (a: Code): Code => [...a, 0x50];
const lowestBit = (a: Code): Code => [...a, 0x7a];

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
const vNot = (a: Code): Code => [...a, ...simd(0x4d)];
const vSub = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x71)];
const any = (a: Code): Code => [...a, ...simd(0x53)];
/** The top bit of each byte, gathered in a number. */
const mask = (a: Code): Code => [...a, ...simd(0x64)];

// Steps.
const set = (local: number, value: Code): Code => [...value, 0x21, local];
const block = (...body: Code[]): Code => [0x02, 0x40, ...body.flat(), 0x0b];
const loop = (...body: Code[]): Code => [0x03, 0x40, ...body.flat(), 0x0b];
const when = (condition: Code, ...body: Code[]): Code => [...condition, 0x04, 0x40, ...body.flat(), 0x0b];
/** Leaves `depth` enclosing blocks, or begins a loop anew. */
const go = (depth: number): Code => [0x0c, depth];
const goWhen = (depth: number, condition: Code): Code => [...condition, 0x0d, depth];

// Locals: two parameters, bits, vectors.
const AT = 0;
const LAST = 1;
/** 1 when the first byte of the next block is escaped; at the end: when the byte at AT is. */
const CARRY = 2;
const SLASHES = 3;
const ESCAPED = 4;
const STOPS = 5;
const BITS = 4;
/** The four vectors of a block. */
const BLOCK = [6, 7, 8, 9];
const SEEN = 10;
const VECTORS = BLOCK.length + 1;

const VECTOR_BYTES = 16;
const BLOCK_BYTES = BLOCK.length * VECTOR_BYTES;
const EVEN_BITS = 0x5555_5555_5555_5555n;

const LETTER_R = 0x72;
const LETTER_U = 0x75;
const USUAL_ESCAPES = '\\/bfnt';

const isQuote = (bytes: Code): Code => vEqual(bytes, all(QUOTE));
const isSlash = (bytes: Code): Code => vEqual(bytes, all(BACKSLASH));
const isControl = (bytes: Code): Code => vLess(bytes, all(0x20));

/**
 * The bytes that are no escape after a backslash, `r` and `u` among them, which are looked at apart: an escape is the only one with its
 * lower half byte, so one look finds what it would have to be. Quotes, which have that of `b`, are escapes too.
 */
function isUnusual(bytes: Code): Code {
  const codes = [...USUAL_ESCAPES].map((mark) => mark.charCodeAt(0));
  const wanted = vector((half) => codes.find((code) => code % 16 === half) ?? 0xff);
  return vNot(vOr(vEqual(lookup(wanted, vAnd(bytes, all(15))), bytes), isQuote(bytes)));
}

function isHex(bytes: Code): Code {
  const isDigit = vLess(vSub(bytes, all(0x30)), all(10));
  const isLetter = vLess(vSub(vOr(bytes, all(0x20)), all(0x61)), all(6));
  return vOr(isDigit, isLetter);
}

/** What holds of each byte of the block, as bits. */
function bitsWhere(holds: (bytes: Code) => Code): Code {
  return BLOCK.map((bytes, i) => bShl(bitsOf(mask(holds(get(bytes)))), bits(BigInt(i * VECTOR_BYTES)))).reduce(bOr);
}

/** SLASHES, CARRY → ESCAPED: a bit for each byte behind an escaping backslash; and CARRY of the next block. */
function findEscaped(): Code[] {
  return [
    set(SLASHES, bAnd(get(SLASHES), bNot(get(CARRY)))),
    set(ESCAPED, bOr(bShl(get(SLASHES), bits(1n)), get(CARRY))),
    // Runs that begin at an odd place are carried away by the addition; of the others every even place stays.
    set(STOPS, bAnd(bAnd(get(SLASHES), bits(~EVEN_BITS)), bNot(get(ESCAPED)))),
    set(SLASHES, bAdd(get(STOPS), get(SLASHES))),
    set(CARRY, bitsOf(isLess(get(SLASHES), get(STOPS)))),
    set(ESCAPED, bAnd(get(ESCAPED), bXor(bits(EVEN_BITS), bShl(get(SLASHES), bits(1n))))),
  ];
}

function skipCode(): Code {
  const block0 = BLOCK[0] ?? 0;
  const advance: Code[] = [set(AT, add(get(AT), num(BLOCK_BYTES))), go(1)];
  const isSpecial = (bytes: Code): Code => vOr(vOr(isSlash(bytes), isQuote(bytes)), isControl(bytes));
  const isPlain = isZero(or(any(BLOCK.map(get).map(isSpecial).reduce(vOr)), numberOf(get(CARRY))));
  const isEscaped = (letter: number): Code => and(numberOf(get(CARRY)), equal(loadByte(get(AT)), num(letter)));
  const steps: Code[] = [
    set(LAST, sub(get(LAST), num(BLOCK_BYTES))),
    block(
      loop(
        goWhen(1, more(get(AT), get(LAST))),
        ...BLOCK.map((bytes, i) => set(bytes, load(get(AT), i * VECTOR_BYTES))),
        set(SEEN, BLOCK.map(get).reduce(vOr, get(SEEN))),
        when(isPlain, ...advance),
        set(SLASHES, bitsWhere(isSlash)),
        ...findEscaped(),
        set(
          STOPS,
          bAnd(
            bitsWhere((bytes) => vOr(isQuote(bytes), isControl(bytes))),
            bNot(get(ESCAPED)),
          ),
        ),
        when(isZero(noBits(get(ESCAPED))), set(STOPS, bOr(get(STOPS), bAnd(bitsWhere(isUnusual), get(ESCAPED))))),
        when(noBits(get(STOPS)), ...advance),
        set(STOPS, lowestBit(get(STOPS))),
        set(AT, add(get(AT), numberOf(get(STOPS)))),
        set(CARRY, bAnd(bShr(get(ESCAPED), get(STOPS)), bits(1n))),
        when(isEscaped(LETTER_R), set(AT, add(get(AT), num(1))), set(CARRY, bits(0n)), go(1)),
        // A `u` with four hexadecimal digits is passed.
        when(
          and(isEscaped(LETTER_U), atMost(get(AT), add(get(LAST), num(BLOCK_BYTES - 5)))),
          set(block0, load(get(AT), 1)),
          when(
            equal(and(mask(isHex(get(block0))), num(15)), num(15)),
            set(AT, add(get(AT), num(5))),
            set(CARRY, bits(0n)),
            go(2),
          ),
        ),
      ),
    ),
    or(sub(get(AT), numberOf(get(CARRY))), shl(isZero(isZero(mask(get(SEEN)))), 31)),
  ];
  return steps.flat();
}

/** The module: one function of two numbers to a number, and two pages of memory (the window, and room to load beyond its end). */
function moduleBytes(): Uint8Array {
  const i32 = 0x7f;
  const i64 = 0x7e;
  const v128 = 0x7b;
  const body = [2, BITS, i64, VECTORS, v128, ...skipCode(), 0x0b];
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
function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const last = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
  return last ? [low] : [low | 0x80, ...signed(rest)];
}
