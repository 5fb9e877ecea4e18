/**
 * Reads lines of JSON-RPC as they arrive, cut anywhere, by the table of grammar.ts: each byte once, whole JSON, nothing built. It keeps
 * where the members of the envelope are, and the texts of the id and the method.
 */
import { EnvelopeParts } from './envelope-parts.ts';
import type { Envelope, NoiseReason, RawId } from './frame.ts';
import {
  ARRAY_OPEN,
  BYTE_CLASS,
  FAILED,
  isComplete,
  MESSAGE_AFTER,
  MESSAGE_COLON,
  MESSAGE_OPEN,
  OBJECT_OPEN,
  START,
  STEP,
  STEP_MIN,
  STEP_SHIFT,
  STEP_STATE,
  STRING,
  TABLE,
} from './grammar.ts';
import { skipString } from './string-skip.ts';

const NEWLINE = 0x0a;
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

  /** `depthMax`: containers within each other, the outermost counted. */
  constructor(depthMax: number) {
    this.#depthMax = depthMax;
    this.#afterContainer = new Uint16Array(Math.min(depthMax, TRACKED_DEPTH_MAX));
  }

  /** Before each line. */
  reset(): void {
    this.#state = START;
    this.#depth = 0;
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
    const at = this.#read(chunk, from);
    this.#length += at - from;
    if (at === chunk.length) this.#parts.leave(chunk);
    return this.#state === FAILED ? lineEnd(chunk, at) : at;
  }

  /** What the line is, once it has ended. Null: nothing but blanks. */
  finish(): Envelope | NoiseReason | null {
    if (this.#state === START) return null;
    if (this.#isTooDeep) return 'too-deep';
    if (!isComplete(this.#state)) return 'not-json';
    if (this.#root === 'object') return this.#parts.message();
    return this.#root === 'array' ? 'batch' : 'not-jsonrpc';
  }

  // — internal —

  #read(chunk: Uint8Array, from: number): number {
    const end = chunk.length;
    let state = this.#state;
    let at = from;
    if (state === STRING) at = this.#inside(chunk, at);
    for (;;) {
      let cell = 0;
      while (at < end) {
        cell = TABLE[state + (BYTE_CLASS[chunk[at] ?? 0] ?? 0)] ?? 0;
        if (cell >= STEP_MIN) break;
        state = cell;
        at++;
      }
      if (at >= end) break;
      const next = cell & STEP_STATE;
      switch (cell >> STEP_SHIFT) {
        case STEP.string:
          if (next === MESSAGE_COLON) this.#parts.keyStart(at);
          this.#afterString = next;
          state = STRING;
          at = this.#inside(chunk, at + 1);
          break;
        case STEP.stringEnd:
          state = this.#afterString;
          at++;
          if (state === MESSAGE_COLON) this.#parts.keyEnd(chunk, at);
          else if (state === MESSAGE_AFTER) this.#parts.valueEnd(chunk, at);
          break;
        case STEP.inside:
          state = STRING;
          at = this.#inside(chunk, at + 1);
          break;
        case STEP.aboveAscii:
          this.#isAscii = false;
          state = STRING;
          at++;
          break;
        case STEP.object:
          state = this.#open(next, this.#depth === 0 ? MESSAGE_OPEN : OBJECT_OPEN);
          at++;
          break;
        case STEP.array:
          state = this.#open(next, ARRAY_OPEN);
          at++;
          break;
        case STEP.close:
          state = this.#afterContainer[--this.#depth] ?? FAILED;
          at++;
          if (state === MESSAGE_AFTER) this.#parts.valueEnd(chunk, at);
          break;
        case STEP.valueStart:
          this.#parts.valueStart(chunk, at);
          state = next;
          break;
        case STEP.valueEnd:
          this.#parts.valueEnd(chunk, at);
          state = next;
          break;
        case STEP.newline:
          this.#state = state;
          return at;
        default:
          this.#state = FAILED;
          return at;
      }
      if (state === FAILED) break;
    }
    this.#state = state;
    return at;
  }

  #inside(chunk: Uint8Array, from: number): number {
    const at = skipString(chunk, from);
    if (at >= 0) return at;
    this.#isAscii = false;
    return ~at;
  }

  #open(after: number, inside: number): number {
    if (this.#depth === 0) this.#root = inside === ARRAY_OPEN ? 'array' : 'object';
    if (this.#depth === this.#depthMax) this.#isTooDeep = true;
    if (this.#depth === this.#afterContainer.length) {
      if (this.#depth >= TRACKED_DEPTH_MAX) return FAILED;
      const larger = new Uint16Array(TRACKED_DEPTH_MAX);
      larger.set(this.#afterContainer);
      this.#afterContainer = larger;
    }
    this.#afterContainer[this.#depth++] = after;
    return inside;
  }
}

function lineEnd(chunk: Uint8Array, from: number): number {
  const at = chunk.indexOf(NEWLINE, from);
  return at < 0 ? chunk.length : at;
}
