/** A short text that is wanted and may be cut by the borders of chunks. */

/** Longer ones are given up, cut or not. An id or a method name of this size is nobody's. */
const HELD_BYTES_MAX = 64 * 1024;

const NOTHING = Buffer.alloc(0);

export class OpenText {
  /** After `close`: the text lies in `bytes` from `from` to `to`, as long as the chunk and this object are not used further. */
  bytes: Uint8Array = NOTHING;
  from = 0;
  to = 0;

  #isOpen = false;
  #held = NOTHING;
  #heldLength = 0;
  #isTooLong = false;

  reset(): void {
    // An idle reader keeps no chunk alive.
    this.bytes = NOTHING;
    this.#isOpen = false;
    this.#heldLength = 0;
    this.#isTooLong = false;
  }

  open(at: number): void {
    this.#isOpen = true;
    this.from = at;
  }

  /** The next chunk begins at `at`. */
  enter(at: number): void {
    this.from = at;
  }

  /** The chunk has been read to its end. */
  leave(chunk: Uint8Array): void {
    if (this.#isOpen) this.#hold(chunk, chunk.length);
  }

  /** The text ends before `at`. False when it was too long, or none was open. */
  close(chunk: Uint8Array, at: number): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    if (this.#heldLength === 0 && !this.#isTooLong) {
      this.bytes = chunk;
      this.to = at;
      return at - this.from <= HELD_BYTES_MAX;
    }
    this.#hold(chunk, at);
    this.bytes = this.#held;
    this.from = 0;
    this.to = this.#heldLength;
    this.#heldLength = 0;
    const whole = !this.#isTooLong;
    this.#isTooLong = false;
    return whole;
  }

  // — internal —

  #hold(chunk: Uint8Array, to: number): void {
    const length = this.#heldLength + to - this.from;
    if (length > HELD_BYTES_MAX) this.#isTooLong = true;
    if (this.#isTooLong) return;
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(length * 2, HELD_BYTES_MAX));
      larger.set(this.#held.subarray(0, this.#heldLength));
      this.#held = larger;
    }
    this.#held.set(chunk.subarray(this.from, to), this.#heldLength);
    this.#heldLength = length;
  }
}
