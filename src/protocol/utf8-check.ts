/** Checks text for valid UTF-8 piece by piece, where a character may be cut by the border of two pieces. */
export class Utf8Check {
  readonly #isUtf8: (bytes: Uint8Array) => boolean;
  #isValid = true;
  /** The beginning of a cut character. */
  readonly #cut = new Uint8Array(4);
  #cutLength = 0;
  #cutWanted = 0;

  constructor(isUtf8: (bytes: Uint8Array) => boolean) {
    this.#isUtf8 = isUtf8;
  }

  reset(): void {
    this.#isValid = true;
    this.#cutLength = 0;
  }

  push(piece: Uint8Array): void {
    if (!this.#isValid) return;
    let from = 0;
    if (this.#cutLength > 0) {
      while (this.#cutLength < this.#cutWanted && from < piece.length)
        this.#cut[this.#cutLength++] = piece[from++] ?? 0;
      if (this.#cutLength < this.#cutWanted) return;
      this.#isValid = this.#isUtf8(this.#cut.subarray(0, this.#cutWanted));
      this.#cutLength = 0;
    }
    const to = this.#cutAt(piece, from);
    if (to > from && !this.#isUtf8(piece.subarray(from, to))) this.#isValid = false;
    for (let at = to; at < piece.length; at++) this.#cut[this.#cutLength++] = piece[at] ?? 0;
  }

  /** Whether all of it was valid and no character is left open. */
  finish(): boolean {
    return this.#isValid && this.#cutLength === 0;
  }

  // — internal —

  /** Where a last character begins that needs more bytes than there are; else the end. */
  #cutAt(piece: Uint8Array, from: number): number {
    for (let at = piece.length - 1; at >= from && at >= piece.length - 3; at--) {
      const byte = piece[at] ?? 0;
      if (byte >= 0x80 && byte < 0xc0) continue;
      this.#cutWanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      return at + this.#cutWanted > piece.length ? at : piece.length;
    }
    return piece.length;
  }
}
