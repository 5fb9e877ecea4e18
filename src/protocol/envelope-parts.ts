/** What the scanner meets in the outermost object of a line, and the message that it makes. */
import { idText, isVersion2, keyPlace, LOOKALIKE, methodName, NAMES, OTHER } from './envelope-text.ts';
import type { Envelope, NoiseReason, RawId, Span } from './frame.ts';
import { MESSAGE_AFTER, MESSAGE_COLON, QUOTE } from './grammar-codes.ts';
import { OpenText } from './open-text.ts';

const JSONRPC = NAMES.indexOf('jsonrpc');
const ID = NAMES.indexOf('id');
const METHOD = NAMES.indexOf('method');
const PARAMS = NAMES.indexOf('params');
const RESULT = NAMES.indexOf('result');
const ERROR = NAMES.indexOf('error');

const MINUS = 0x2d;
const NINE = 0x39;
const ARRAY = 0x5b;
const NULL = 0x6e;
const OBJECT = 0x7b;

export class EnvelopeParts {
  /** A line's offset is a chunk's offset plus this. */
  #base = 0;
  readonly #starts = new Int32Array(NAMES.length);
  readonly #ends = new Int32Array(NAMES.length);
  /** The first byte of each member's value. */
  readonly #firsts = new Uint8Array(NAMES.length);
  /** A bit for each name that was met. */
  #seen = 0;
  #current = OTHER;
  #isAmbiguous = false;
  #isIdAmbiguous = false;
  #isVersion2 = false;
  #id: RawId | null = null;
  #method: string | null = null;
  /** Of a key, or of a value that is read. */
  readonly #text = new OpenText();

  reset(): void {
    this.#seen = 0;
    this.#current = OTHER;
    this.#isAmbiguous = false;
    this.#isIdAmbiguous = false;
    this.#isVersion2 = false;
    this.#id = null;
    this.#method = null;
    this.#text.reset();
  }

  /** The id as written, when the line is of JSON-RPC 2.0 and names one without doubt. */
  get id(): RawId | null {
    return this.#isVersion2 && !this.#isIdAmbiguous ? this.#id : null;
  }

  get hasMethod(): boolean {
    return this.#has(METHOD);
  }

  /** A chunk is read from `at` on, which is `offset` in the line. */
  enter(at: number, offset: number): void {
    this.#base = offset - at;
    this.#text.enter(at);
  }

  /** The chunk has been read. */
  leave(chunk: Uint8Array): void {
    this.#text.leave(chunk);
  }

  /** A key's opening quote is at `at`. */
  keyStart(at: number): void {
    this.#text.open(at);
  }

  /** The scanner is in `state`, with a key or a value right before `at`. */
  reached(state: number, chunk: Uint8Array, at: number): void {
    if (state === MESSAGE_AFTER) this.#valueEnd(chunk, at);
    else if (state === MESSAGE_COLON) this.#keyEnd(chunk, at);
  }

  /** The version was the first member, and the right one. */
  sawVersion2(): void {
    this.#seen = 1 << JSONRPC;
    this.#isVersion2 = true;
  }

  /** A member's value begins at `at`. */
  valueStart(chunk: Uint8Array, at: number): void {
    const place = this.#current;
    if (place === OTHER) return;
    const first = chunk[at] ?? 0;
    this.#starts[place] = this.#base + at;
    this.#firsts[place] = first;
    if (place <= METHOD && (first === QUOTE || isNumber(first))) this.#text.open(at);
  }

  /** The message that the object is, or why it is none. */
  message(): Envelope | NoiseReason {
    if (this.#isAmbiguous) return 'ambiguous-envelope';
    if (!this.#isVersion2) return 'not-jsonrpc';
    if (this.#has(METHOD)) return this.#asking();
    return this.#answering();
  }

  // — internal —

  #keyEnd(chunk: Uint8Array, at: number): void {
    const text = this.#text;
    const place = text.close(chunk, at) ? keyPlace(text.bytes, text.from, text.to) : OTHER;
    this.#current = place >= LOOKALIKE ? OTHER : place;
    if (place === OTHER) return;
    const bit = 1 << (place % LOOKALIKE);
    if (place >= LOOKALIKE || (this.#seen & bit) !== 0) {
      this.#isAmbiguous = true;
      if (place % LOOKALIKE === ID) this.#isIdAmbiguous = true;
    }
    if (place < LOOKALIKE) this.#seen |= bit;
  }

  #valueEnd(chunk: Uint8Array, at: number): void {
    const place = this.#current;
    if (place === OTHER) return;
    this.#ends[place] = this.#base + at;
    const text = this.#text;
    if (place > METHOD || !text.close(chunk, at)) return;
    if (place === ID) this.#id = idText(text.bytes, text.from, text.to);
    else if (place === JSONRPC) this.#isVersion2 = isVersion2(text.bytes, text.from, text.to);
    else if (this.#firsts[METHOD] === QUOTE) this.#method = methodName(text.bytes, text.from, text.to);
  }

  #has(place: number): boolean {
    return (this.#seen & (1 << place)) !== 0;
  }

  #span(place: number): Span {
    return { start: this.#starts[place] ?? 0, end: this.#ends[place] ?? 0 };
  }

  #asking(): Envelope | NoiseReason {
    const method = this.#method;
    if (method === null || this.#has(RESULT) || this.#has(ERROR)) return 'not-jsonrpc';
    const methodSpan = this.#span(METHOD);
    let params: Span | null = null;
    if (this.#has(PARAMS)) {
      const first = this.#firsts[PARAMS];
      if (first !== OBJECT && first !== ARRAY) return 'not-jsonrpc';
      params = this.#span(PARAMS);
    }
    if (!this.#has(ID)) return { kind: 'notification', method, methodSpan, params };
    const id = this.#id;
    if (id === null) return 'not-jsonrpc';
    return { kind: 'request', id, idSpan: this.#span(ID), method, methodSpan, params };
  }

  #answering(): Envelope | NoiseReason {
    if (this.#has(RESULT) === this.#has(ERROR)) return 'not-jsonrpc';
    const id = this.#id;
    if (this.#has(RESULT)) {
      return id === null ? 'not-jsonrpc' : { kind: 'result', id, idSpan: this.#span(ID), result: this.#span(RESULT) };
    }
    if (this.#firsts[ERROR] !== OBJECT) return 'not-jsonrpc';
    if (id === null && this.#has(ID) && this.#firsts[ID] !== NULL) return 'not-jsonrpc';
    return { kind: 'error', id, idSpan: this.#has(ID) ? this.#span(ID) : null, error: this.#span(ERROR) };
  }
}

function isNumber(first: number): boolean {
  return first === MINUS || (first > MINUS && first <= NINE);
}
