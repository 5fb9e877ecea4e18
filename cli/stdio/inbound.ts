import type { Bytes } from '../../src/protocol/frame.ts';
import { isControlLine } from '../../src/protocol/preamble.ts';

export interface InboundHandlers {
  /** A whole message with its newline: true lets it through to the host. */
  onMessage(line: Bytes): boolean;
  /** Without newline. */
  onControl(line: string): void;
}

const NEWLINE = 0x0a;

/** From the daemon to the host: whole lines only, so that a daemon that dies in the middle of one leaves nothing half said. */
export class Inbound {
  readonly #handlers: InboundHandlers;
  #partial: Uint8Array[] = [];

  constructor(handlers: InboundHandlers) {
    this.#handlers = handlers;
  }

  /** What may go to the host now, in order. Neighbouring lines stay the one piece they came in. */
  push(chunk: Buffer): Bytes {
    const passed: Uint8Array[] = [];
    let from = 0;
    if (this.#partial.length > 0) {
      const newline = chunk.indexOf(NEWLINE);
      if (newline < 0) {
        this.#partial.push(chunk);
        return passed;
      }
      from = newline + 1;
      this.#partial.push(chunk.subarray(0, from));
      const line = this.#partial;
      this.#partial = [];
      if (this.#passes(line)) passed.push(...line);
    }
    let run = from;
    for (let newline = chunk.indexOf(NEWLINE, from); newline >= 0; newline = chunk.indexOf(NEWLINE, from)) {
      const start = from;
      from = newline + 1;
      if (this.#passes([chunk.subarray(start, from)])) continue;
      if (run < start) passed.push(chunk.subarray(run, start));
      run = from;
    }
    if (run < from) passed.push(run === 0 && from === chunk.length ? chunk : chunk.subarray(run, from));
    if (from < chunk.length) this.#partial.push(chunk.subarray(from));
    return passed;
  }

  /** The connection has gone, and the rest of a line with it. */
  drop(): void {
    this.#partial = [];
  }

  #passes(line: Bytes): boolean {
    const [first] = line;
    if (first === undefined || !isControlLine(first)) return this.#handlers.onMessage(line);
    this.#handlers.onControl(Buffer.concat(line).toString('utf8').trimEnd());
    return false;
  }
}
