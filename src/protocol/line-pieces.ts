/** Gathers the bytes of a line that comes in several chunks, without copying large ones and without keeping many small ones. */

/** A piece below this is copied to its small neighbours, once the line has some pieces. */
const SMALL_BYTES = 4 * 1024;
/** So many pieces may be of any size: most lines have fewer. */
const PIECES_FREE = 8;
const GATHER_BYTES_FIRST = 1024;
const GATHER_BYTES_MAX = 64 * 1024;

export class LinePieces {
  #list: Uint8Array[] = [];
  /** The last piece, when it is a buffer of ours with room. */
  #gathered: Buffer | null = null;
  #gatheredLength = 0;
  #gatherBytes = GATHER_BYTES_FIRST;

  get isEmpty(): boolean {
    return this.#list.length === 0 && this.#gathered === null;
  }

  add(piece: Uint8Array): void {
    if (piece.length >= SMALL_BYTES || (this.#list.length < PIECES_FREE && this.#gathered === null)) {
      this.#closeGathered();
      if (piece.length > 0) this.#list.push(piece);
      return;
    }
    let from = 0;
    while (from < piece.length) {
      if (this.#gathered === null) {
        this.#gathered = Buffer.allocUnsafe(this.#gatherBytes);
        this.#gatherBytes = Math.min(this.#gatherBytes * 2, GATHER_BYTES_MAX);
      }
      const length = Math.min(piece.length - from, this.#gathered.length - this.#gatheredLength);
      this.#gathered.set(piece.subarray(from, from + length), this.#gatheredLength);
      this.#gatheredLength += length;
      from += length;
      if (this.#gatheredLength === this.#gathered.length) this.#closeGathered();
    }
  }

  /** All pieces, which are forgotten here. */
  take(): Uint8Array[] {
    this.#closeGathered();
    const list = this.#list;
    this.#list = [];
    this.#gatherBytes = GATHER_BYTES_FIRST;
    return list;
  }

  // — internal —

  #closeGathered(): void {
    if (this.#gathered === null) return;
    this.#list.push(this.#gathered.subarray(0, this.#gatheredLength));
    this.#gathered = null;
    this.#gatheredLength = 0;
  }
}
