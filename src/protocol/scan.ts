/**
 * Reads lines of JSON-RPC as they arrive, cut anywhere, by the table of grammar.ts: each byte once, whole JSON, nothing built. It keeps
 * where the members of the envelope are, and the texts of the id and the method.
 */
import { EnvelopeParts } from './envelope-parts.ts';
import type { Envelope, NoiseReason, RawId } from './frame.ts';
import { BYTE_CLASS, isComplete, TABLE } from './grammar.ts';
import {
  ABOVE_ASCII,
  ARRAY,
  ARRAY_OPEN,
  BACKSLASH,
  CLOSE,
  END,
  FAILED,
  LINE_FEED,
  MESSAGE_AFTER,
  MESSAGE_COLON,
  MESSAGE_OPEN,
  NESTED_MIN,
  NEWLINE,
  OBJECT,
  OBJECT_OPEN,
  QUOTE,
  START,
  STEP_MIN,
  STEP_SHIFT,
  STEP_STATE,
  STRING,
  STRING_CLOSE,
  STRING_GOES_ON,
  STRING_OPEN,
  VALUE_END,
  VALUE_START,
} from './grammar-codes.ts';
import { skipOpenString, skipString } from './string-skip.ts';

const USUAL_START = Buffer.from('{"jsonrpc":"2.0"');
/** Most strings are short and plain: up to here they are passed without a call. */
const SHORT_BYTES = 40;
const IS_PLAIN = new Uint8Array(256).fill(1, 0x20, 0x80);
IS_PLAIN[QUOTE] = 0;
IS_PLAIN[BACKSLASH] = 0;
/** Too deep lines are read on for their id, up to here. */
const TRACKED_DEPTH_MAX = 64 * 1024;

type Root = 'scalar' | 'object' | 'array';

export class EnvelopeScanner {
  readonly #depthMax: number;
  readonly #parts = new EnvelopeParts();
  #state = START;
  /** The state behind the open string. */
  #afterString = START;
  #depth = 0;
  /** The state behind each open container. */
  #afterContainer: Uint16Array;
  #root: Root = 'scalar';
  #isTooDeep = false;
  #isAscii = true;
  /** Bytes of the line that were read. */
  #length = 0;

  /**
   * `depthMax`: containers within each other, the outermost counted.
   * @throws {RangeError} `depthMax` is less than 1 or not an integer.
   */
  constructor(depthMax: number) {
    if (!Number.isInteger(depthMax) || depthMax < 1) throw new RangeError(`depthMax is ${depthMax}`);
    this.#depthMax = depthMax;
    this.#afterContainer = new Uint16Array(depthMax);
  }

  /** Before each line. */
  reset(): void {
    this.#state = START;
    this.#depth = 0;
    if (this.#isTooDeep) this.#afterContainer = new Uint16Array(this.#depthMax);
    this.#root = 'scalar';
    this.#isTooDeep = false;
    this.#isAscii = true;
    this.#length = 0;
    this.#parts.reset();
  }

  /** The id as written, when the line so far is of JSON-RPC 2.0 and names one without doubt. */
  get id(): RawId | null {
    return this.#parts.id;
  }

  /** The line so far has a method. */
  get hasMethod(): boolean {
    return this.#parts.hasMethod;
  }

  /** Certainly no byte above 0x7f so far, if the line is JSON so far. */
  get isAscii(): boolean {
    return this.#isAscii;
  }

  /** No more bytes can make this line a message. */
  get isLost(): boolean {
    return this.#state === FAILED;
  }

  /** Reads from `from` to the end of the line; returns the offset of the newline, or the chunk's length. */
  push(chunk: Uint8Array, from: number): number {
    if (this.#state === FAILED) return lineEnd(chunk, from);
    this.#parts.enter(from, this.#length);
    const at = this.#read(chunk, this.#length === 0 ? this.#passUsualStart(chunk, from) : from);
    this.#length += at - from;
    if (at === chunk.length) this.#parts.leave(chunk);
    return this.#state === FAILED ? lineEnd(chunk, at) : at;
  }

  /** What the line is, once it has ended. Null: nothing but blanks. */
  finish(): Envelope | NoiseReason | null {
    if (this.#state === START) return null;
    if (this.#isTooDeep) return 'too-deep';
    if (this.#state !== END && !isComplete(this.#state)) return 'not-json';
    if (this.#root === 'object') return this.#parts.message();
    return this.#root === 'array' ? 'batch' : 'not-jsonrpc';
  }

  // — internal —

  /** One function, because a call in the loop would cost more than most of the steps. */
  #read(chunk: Uint8Array, from: number): number {
    const table = TABLE;
    const classes = BYTE_CLASS;
    const plain = IS_PLAIN;
    const parts = this.#parts;
    const end = chunk.length;
    let stack = this.#afterContainer;
    // `| 0` tells the compiler that these are integers, which it would otherwise check at each byte.
    let depth = this.#depth | 0;
    let state = this.#state | 0;
    let at = (state === STRING ? this.#noted(skipOpenString(chunk, from)) : from) | 0;
    while (at < end) {
      // Begun anew each time: else the compiler takes both loops for one, and repeats for each byte what is done once.
      let cell = 0;
      while (at < end) {
        cell = table[state + (classes[chunk[at] ?? 0] ?? 0)] ?? 0;
        if (cell >= STEP_MIN) break;
        state = cell;
        at++;
      }
      if (at >= end) break;
      const next = cell & STEP_STATE;
      const step = cell >> STEP_SHIFT;
      if (step === STRING_OPEN) {
        if (next === MESSAGE_COLON) parts.keyStart(at);
        at++;
        const near = Math.min(at + SHORT_BYTES, end);
        while (at < near && plain[chunk[at] ?? 0] === 1) at++;
        if (at < end && chunk[at] === QUOTE) {
          at++;
          state = next;
          if (state < NESTED_MIN) parts.reached(state, chunk, at);
        } else {
          this.#afterString = next;
          state = STRING;
          at = this.#noted(skipString(chunk, at)) | 0;
        }
      } else if (step === CLOSE) {
        at++;
        state = stack[--depth] ?? FAILED;
        if (state < NESTED_MIN) parts.reached(state, chunk, at);
      } else if (step === OBJECT || step === ARRAY) {
        if (depth === stack.length) stack = this.#deeper();
        if (depth === 0) this.#root = step === ARRAY ? 'array' : 'object';
        state = depth === stack.length ? FAILED : opened(step, depth);
        stack[depth++] = next;
        at++;
      } else if (step === VALUE_START) {
        parts.valueStart(chunk, at);
        state = next;
      } else if (step === VALUE_END) {
        state = next;
        parts.reached(state, chunk, at);
      } else if (step === STRING_CLOSE) {
        at++;
        state = this.#afterString | 0;
        if (state < NESTED_MIN) parts.reached(state, chunk, at);
      } else if (step === STRING_GOES_ON || step === ABOVE_ASCII) {
        if (step === ABOVE_ASCII) this.#isAscii = false;
        state = STRING;
        at = this.#noted(skipString(chunk, at + 1)) | 0;
      } else {
        if (step !== NEWLINE) state = FAILED;
        break;
      }
    }
    this.#state = state;
    this.#depth = depth;
    return at;
  }

  /** Most messages begin with the version; then it need not be taken apart. */
  #passUsualStart(chunk: Uint8Array, from: number): number {
    if (chunk.length - from < USUAL_START.length) return from;
    for (let i = 0; i < USUAL_START.length; i++) if (chunk[from + i] !== USUAL_START[i]) return from;
    this.#root = 'object';
    this.#afterContainer[0] = END;
    this.#depth = 1;
    this.#state = MESSAGE_AFTER;
    this.#parts.sawVersion2();
    return from + USUAL_START.length;
  }

  /** The offset in an answer of string-skip.ts. */
  #noted(answer: number): number {
    if (answer >= 0) return answer;
    this.#isAscii = false;
    return ~answer;
  }

  /** A line deeper than allowed is read on, up to a bound, because its id may come last. */
  #deeper(): Uint16Array {
    this.#isTooDeep = true;
    const levels = this.#afterContainer;
    if (levels.length < TRACKED_DEPTH_MAX) {
      this.#afterContainer = new Uint16Array(TRACKED_DEPTH_MAX);
      this.#afterContainer.set(levels);
    }
    return this.#afterContainer;
  }
}

function opened(step: number, depth: number): number {
  if (step === ARRAY) return ARRAY_OPEN;
  return depth === 0 ? MESSAGE_OPEN : OBJECT_OPEN;
}

function lineEnd(chunk: Uint8Array, from: number): number {
  const at = chunk.indexOf(LINE_FEED, from);
  return at < 0 ? chunk.length : at;
}
