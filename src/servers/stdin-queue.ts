import type { Writable } from 'node:stream';
import { COALESCE_BYTES_MAX, SERVER_QUEUE_BYTES_MAX } from '../limits.ts';
import type { Bytes } from '../protocol/frame.ts';

/**
 * The way into a server's stdin: bounded, and in as few system calls as there are turns of the loop. Small messages of one turn become
 * one buffer, large ones are handed to the kernel as they are.
 */
export class StdinQueue {
  readonly #stream: Writable;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** `onBroken` is called when the other end is closed; nothing is ever thrown for it. */
  constructor(stream: Writable, onBroken: () => void) {
    this.#stream = stream;
    stream.on('error', onBroken); // EPIPE, ECONNRESET: the process closed its stdin or is gone
  }

  /** Takes a message that ends in its newline. `full`: it was not taken, as the server does not read what waits for it. */
  write(message: Bytes): 'ok' | 'full' {
    let size = 0;
    for (const piece of message) size += piece.length;
    if (this.#bytes + this.#stream.writableLength + size > SERVER_QUEUE_BYTES_MAX) return 'full';
    if (this.#bytes === 0) process.nextTick(this.#flush);
    for (const piece of message) this.#pieces.push(piece);
    this.#bytes += size;
    return 'ok';
  }

  /** Now instead of at the end of this turn. */
  flush(): void {
    this.#flush();
  }

  /** Closes stdin behind what is waiting. */
  end(): void {
    this.#flush();
    if (!this.#stream.destroyed) this.#stream.end();
  }

  readonly #flush = (): void => {
    const pieces = this.#pieces;
    const bytes = this.#bytes;
    if (bytes === 0) return;
    this.#pieces = [];
    this.#bytes = 0;
    if (!this.#stream.writable) return; // closed meanwhile: the exit that follows answers for these messages
    const [first] = pieces;
    if (first !== undefined && pieces.length === 1) this.#stream.write(first);
    else if (bytes <= COALESCE_BYTES_MAX) this.#stream.write(Buffer.concat(pieces, bytes));
    else {
      this.#stream.cork();
      for (const piece of pieces) this.#stream.write(piece);
      this.#stream.uncork();
    }
  };
}
