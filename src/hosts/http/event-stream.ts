import type { ServerResponse } from 'node:http';
import { COALESCE_BYTES_MAX, HOST_QUEUE_BYTES_MAX, HOST_REFUSALS_BYTES_MAX } from '../../limits.ts';
import { byteLength } from '../../protocol/bytes.ts';
import type { Bytes, RawId } from '../../protocol/frame.ts';
import { errorText, INTERNAL_ERROR, notificationText } from '../../protocol/jsonrpc.ts';
import type { MessageClass } from '../outbox.ts';
import type { KeptEvent } from './kept-events.ts';
import { type Headers, streamHead } from './respond.ts';

/**
 * One response as server-sent events. What a slow client has not taken waits in the response, up to HOST_QUEUE_BYTES_MAX or one longer
 * message; then notices are dropped and counted, and answers become small errors.
 */
export class EventStream {
  readonly #outgoing: ServerResponse;
  #droppedNotices = 0;
  #refusedBytes = 0;
  /** Monotonic milliseconds of the last thing written. */
  writtenAt: number;

  constructor(outgoing: ServerResponse, headers: Headers, now: number) {
    this.#outgoing = outgoing;
    this.writtenAt = now;
    streamHead(outgoing, headers);
  }

  /** A message, with its event id where the stream can be resumed. `dropped`: the client does not read. */
  message(
    bytes: Bytes,
    kind: MessageClass,
    id: RawId | null,
    eventId: string | null,
    now: number,
  ): 'taken' | 'dropped' {
    const waiting = this.#outgoing.writableLength;
    const fits = waiting === 0 || waiting + byteLength(bytes) <= HOST_QUEUE_BYTES_MAX;
    if (!fits && kind !== 'answer') {
      if (kind === 'notice') this.#droppedNotices++;
      return 'dropped';
    }
    if (fits && this.#droppedNotices > 0) this.#write([this.#droppedText()], null, now);
    if (fits) this.#write(bytes, eventId, now);
    else this.#refuse(id, eventId, now);
    return fits ? 'taken' : 'dropped';
  }

  /** An event that only gives the client an id to resume from, and says how soon. */
  prime(eventId: string, retryMs: number, now: number): void {
    this.#put(`id: ${eventId}\nretry: ${retryMs}\ndata: \n\n`, now);
  }

  /** What the client has missed on this stream. */
  replay(missed: readonly KeptEvent[], now: number): void {
    for (const { id, bytes } of missed) this.message(bytes, 'answer', null, id, now);
  }

  /** An event of another type than `message`. */
  event(type: string, data: string, now: number): void {
    this.#put(`event: ${type}\ndata: ${data}\n\n`, now);
  }

  /** Says nothing, and shows that somebody is there. */
  keepAlive(now: number): void {
    this.#put(': \n\n', now);
  }

  end(): void {
    this.#outgoing.end();
  }

  #refuse(id: RawId | null, eventId: string | null, now: number): void {
    const message = `the answer was dropped: this host does not read, and ${HOST_QUEUE_BYTES_MAX / 1024 / 1024} MiB wait for it`;
    const bytes = Buffer.from(errorText(id, INTERNAL_ERROR, message, { reason: 'host does not read' }));
    this.#refusedBytes += bytes.length;
    if (this.#refusedBytes > HOST_REFUSALS_BYTES_MAX) this.#outgoing.destroy();
    else this.#write([bytes], eventId, now);
  }

  #droppedText(): Buffer {
    const data = `${this.#droppedNotices} notices were dropped because this host did not read them`;
    this.#droppedNotices = 0;
    const params = JSON.stringify({ level: 'warning', logger: 'mcpd', data });
    return Buffer.from(notificationText('notifications/message', params));
  }

  #write(bytes: Bytes, eventId: string | null, now: number): void {
    this.writtenAt = now;
    const start = Buffer.from(eventId === null ? 'data: ' : `id: ${eventId}\ndata: `);
    const pieces = [start, ...bytes.map(onOneLine), END];
    if (byteLength(bytes) <= COALESCE_BYTES_MAX) {
      this.#outgoing.write(Buffer.concat(pieces));
      return;
    }
    this.#outgoing.cork();
    for (const piece of pieces) this.#outgoing.write(piece);
    this.#outgoing.uncork();
  }

  #put(text: string, now: number): void {
    this.writtenAt = now;
    this.#outgoing.write(text);
  }
}

// — internal —

const END = Buffer.from('\n\n');
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;

/** An event's data has no line break in it; in JSON every one stands between values, where a tab does as well. */
function onOneLine(chunk: Uint8Array): Uint8Array {
  const isLast = chunk.length > 0 && chunk.indexOf(LINE_FEED) === chunk.length - 1;
  const line = isLast ? chunk.subarray(0, -1) : chunk;
  if (!line.includes(LINE_FEED) && !line.includes(CARRIAGE_RETURN)) return line;
  return line.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? TAB : byte));
}
