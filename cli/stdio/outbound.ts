import { COPIED_BYTES_MAX, WRITE_BATCH_BYTES } from '../../src/limits.ts';
import { gather } from '../../src/protocol/gather.ts';
import { type HostLine, isAnswer } from './host-line.ts';

/** What is needed of the socket. */
export interface OutboundStream {
  readonly writableLength: number;
  write(chunk: Uint8Array, done?: (error?: Error | null) => void): boolean;
  cork(): void;
  uncork(): void;
}

/** `answers` are all lines but requests. */
type Allowed = 'repeatable' | 'all' | 'answers';

const LINE_END: Uint8Array = Buffer.from('\n');

/**
 * From the host to the daemon: lines wait here while there is no daemon or it does not read. A line counts as handed over when its last
 * byte is with the socket; of a long line the newline follows only when all before it has left, so a daemon that died in the middle
 * cannot have understood it, and the line is safe to send again. So is one whose write failed: its last byte was not taken.
 */
export class Outbound {
  readonly #onHanded: (line: HostLine) => void;
  #stream: OutboundStream | null = null;
  #queue: HostLine[] = [];
  #bytes = 0;
  /** Handed over, and given back because its write failed. */
  #returned: HostLine[] = [];
  /** Written without its newline. */
  #unended: HostLine | null = null;
  #blocked = false;
  #allowed: Allowed = 'all';

  constructor(onHanded: (line: HostLine) => void) {
    this.#onHanded = onHanded;
  }

  /** Bytes that wait here. */
  get bytes(): number {
    return this.#bytes;
  }

  push(line: HostLine): void {
    this.#queue.push(line);
    this.#bytes += line.length;
  }

  /** Somebody listens, and may be a daemon: only what can be sent twice goes to him. */
  connect(stream: OutboundStream): void {
    this.#stream = stream;
    this.#blocked = false;
    this.#allowed = 'repeatable';
    this.flush();
  }

  /** He is a daemon. */
  trust(): void {
    this.#allowed = 'all';
    this.flush();
  }

  /** The daemon has gone; `again` will go before what waits. Answers to its questions are dropped. */
  disconnect(again: readonly HostLine[]): void {
    this.#stream = null;
    const unended = this.#unended === null ? [] : [this.#unended];
    this.#unended = null;
    const returned = this.#returned;
    this.#returned = [];
    const waiting = [...unended, ...this.#queue].filter((line) => !isAnswer(line));
    this.#queue = [...again, ...returned, ...waiting];
    this.#bytes = this.#queue.reduce((sum, line) => sum + line.length, 0);
  }

  /** The daemon will stop: requests wait for the next one, answers and notifications still go to this one. */
  holdRequests(): void {
    this.#allowed = 'answers';
  }

  /** Forgets lines that were withdrawn. */
  sweep(): void {
    this.#queue = this.#queue.filter((line) => line.stage !== 'withdrawn');
    this.#bytes = this.#queue.reduce((sum, line) => sum + line.length, this.#unended?.length ?? 0);
  }

  /** The socket is ready for more. */
  drained(): void {
    this.#blocked = false;
    this.flush();
  }

  flush(): void {
    const stream = this.#stream;
    if (stream === null) return;
    while (!this.#blocked) {
      const unended = this.#unended;
      if (unended !== null) {
        this.#write(stream, [LINE_END], this.#returner(stream, unended));
        this.#unended = null;
        this.#bytes -= unended.length;
        this.#onHanded(unended);
        continue;
      }
      const batch = this.#take();
      const [first] = batch;
      if (first === undefined) return;
      if (first.length > WRITE_BATCH_BYTES) {
        this.#write(stream, first.bytes);
        this.#unended = first;
        continue;
      }
      this.#write(
        stream,
        gather(
          batch.map(({ bytes }) => bytes),
          COPIED_BYTES_MAX,
        ),
        this.#returner(stream, batch.at(-1)),
      );
      for (const line of batch) {
        this.#bytes -= line.length;
        this.#onHanded(line);
      }
    }
  }

  /** The next lines that fit into one write; a long one comes alone. They still count in `bytes`. */
  #take(): HostLine[] {
    if (this.#allowed === 'answers') return this.#takeAnswer();
    const batch: HostLine[] = [];
    let length = 0;
    let count = 0;
    for (const line of this.#queue) {
      if (line.stage !== 'withdrawn') {
        if (batch.length > 0 && length + line.length > WRITE_BATCH_BYTES) break;
        if (this.#allowed === 'repeatable' && !line.repeatable) break;
        batch.push(line);
        length += line.length;
      } else {
        this.#bytes -= line.length;
      }
      count++;
    }
    this.#queue = count === this.#queue.length ? [] : this.#queue.slice(count);
    return batch;
  }

  /** One line that is no request. */
  #takeAnswer(): HostLine[] {
    const at = this.#queue.findIndex((line) => !line.request);
    return at < 0 ? [] : this.#queue.splice(at, 1);
  }

  /**
   * Takes the last line of a failed write back. Of several lines in one write the earlier ones may have been read: those stay handed over.
   */
  #returner(stream: OutboundStream, line: HostLine | undefined): ((error?: Error | null) => void) | undefined {
    if (line === undefined || !line.request || line.repeatable) return undefined;
    const { bytes } = line;
    return (error) => {
      if (error === null || error === undefined || this.#stream !== stream || line.stage !== 'handed') return;
      line.bytes = bytes;
      line.stage = 'held';
      this.#returned.push(line);
    };
  }

  #write(stream: OutboundStream, pieces: readonly Uint8Array[], done?: (error?: Error | null) => void): void {
    let more = true;
    if (pieces.length > 1) stream.cork();
    for (const [at, piece] of pieces.entries()) more = stream.write(piece, at === pieces.length - 1 ? done : undefined);
    if (pieces.length > 1) stream.uncork();
    // A socket that took everything at once asks for `drain` all the same; there is no need to wait for it.
    this.#blocked = !more && stream.writableLength > 0;
  }
}
