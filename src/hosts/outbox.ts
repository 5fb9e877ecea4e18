import { COPIED_BYTES_MAX, HOST_QUEUE_BYTES_MAX, HOST_REFUSALS_BYTES_MAX, WRITE_BATCH_BYTES } from '../limits.ts';
import { byteLength, line } from '../protocol/bytes.ts';
import type { Bytes, RawId } from '../protocol/frame.ts';
import { gather } from '../protocol/gather.ts';
import { errorText, INTERNAL_ERROR, notificationText } from '../protocol/jsonrpc.ts';

/** What an outbox needs of a socket. */
export interface OutboxStream {
  readonly writableLength: number;
  /** False: wait for `drain`. */
  write(chunk: Uint8Array): boolean;
  cork(): void;
  uncork(): void;
}

export type MessageClass = 'answer' | 'question' | 'notice';

interface Queued {
  line: Bytes;
  length: number;
}

/**
 * What waits for one host. Lines that are added during one turn leave in one write. When the host does not read, about one batch or
 * one long line is in its socket, HOST_QUEUE_BYTES_MAX wait here (or one line that is longer), and then notices are dropped and answers
 * become small errors: nothing behind this outbox ever waits for a slow host.
 */
export class Outbox {
  readonly #stream: OutboxStream;
  #queue: Queued[] = [];
  #queuedBytes = 0;
  #refusedBytes = 0;
  #droppedNotices = 0;
  #blocked = false;

  constructor(stream: OutboxStream) {
    this.#stream = stream;
  }

  /** Nothing waits here; the socket itself may still hold bytes. */
  get empty(): boolean {
    return this.#queue.length === 0;
  }

  /**
   * Takes a line, with or without its newline. `id` is the raw id of the request that an answer answers, or of the question. `dropped`:
   * the host does not read. `overrun`: even the small errors have become too many, close this host.
   */
  add(bytes: Bytes, kind: MessageClass, id: RawId | null): 'taken' | 'dropped' | 'overrun' {
    const length = byteLength(bytes);
    // What was added during this turn counts only if the socket does not take it.
    if (!this.#fits(length)) this.flush();
    if (this.#fits(length)) {
      this.#push(bytes, length);
      return 'taken';
    }
    if (kind === 'question') return 'dropped';
    if (kind === 'notice' || id === null) {
      this.#droppedNotices++;
      return 'dropped';
    }
    const refusal = refusalOf(id);
    const refusalLength = byteLength(refusal);
    this.#refusedBytes += refusalLength;
    this.#push(refusal, refusalLength);
    return this.#refusedBytes <= HOST_REFUSALS_BYTES_MAX ? 'dropped' : 'overrun';
  }

  /** A line that must not be dropped: what mcpd says to the shim. */
  addControl(text: string): void {
    this.#push([Buffer.from(text)], Buffer.byteLength(text));
  }

  /** Writes what the socket takes. */
  flush(): void {
    while (!this.#blocked && this.#queue.length > 0) this.#writeBatch();
  }

  /** The socket is ready for more. */
  drained(): void {
    this.#blocked = false;
    this.flush();
  }

  /** The host has gone. */
  clear(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }

  /** A line that is longer than the whole queue may wait alone. */
  #fits(length: number): boolean {
    return this.#queuedBytes === 0 || this.#queuedBytes + length <= HOST_QUEUE_BYTES_MAX;
  }

  #push(line: Bytes, length: number): void {
    this.#queue.push({ line, length });
    this.#queuedBytes += length;
  }

  #writeBatch(): void {
    let count = 0;
    let bytes = 0;
    for (const { length } of this.#queue) {
      if (count > 0 && bytes + length > WRITE_BATCH_BYTES) break;
      count++;
      bytes += length;
    }
    const batch = count === this.#queue.length ? this.#queue : this.#queue.slice(0, count);
    this.#queue = batch === this.#queue ? [] : this.#queue.slice(count);
    this.#queuedBytes -= bytes;
    const buffers = gather(
      batch.map(({ line }) => line),
      COPIED_BYTES_MAX,
    );
    const more = writeTogether(this.#stream, buffers);
    // A socket that took everything at once asks for `drain` all the same; there is no need to wait for it.
    this.#blocked = !more && this.#stream.writableLength > 0;
    if (this.#queue.length === 0) this.#afterEmpty();
  }

  #afterEmpty(): void {
    this.#refusedBytes = 0;
    if (this.#droppedNotices === 0) return;
    const data = `${this.#droppedNotices} notices were dropped because this host did not read them`;
    this.#droppedNotices = 0;
    const notice = line(
      notificationText('notifications/message', JSON.stringify({ level: 'warning', logger: 'mcpd', data })),
    );
    this.#push(notice, byteLength(notice));
  }
}

// — internal —

function writeTogether(stream: OutboxStream, buffers: readonly Uint8Array[]): boolean {
  const [only] = buffers;
  if (only !== undefined && buffers.length === 1) return stream.write(only);
  let more = true;
  stream.cork();
  for (const buffer of buffers) more = stream.write(buffer);
  stream.uncork();
  return more;
}

function refusalOf(id: RawId): Bytes {
  const message = `the answer was dropped: this host does not read, and ${HOST_QUEUE_BYTES_MAX / 1024 / 1024} MiB wait for it`;
  return line(errorText(id, INTERNAL_ERROR, message, { reason: 'host does not read' }));
}
