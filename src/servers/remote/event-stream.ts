import { createParser } from 'eventsource-parser';
import { asBuffer } from '../../protocol/bytes.ts';
import { REMOTE_EVENT_ID_BYTES_MAX } from '../../remote-limits.ts';

interface StreamEvent {
  /** `message` where none was named. */
  type: string;
  /** Its bytes as they came. */
  data: Buffer;
}

export interface EventStreamOptions {
  /** Of one event with its fields. */
  eventBytesMax: number;
  onEvent(event: StreamEvent): void;
  /** An event is longer than that. Nothing more comes. */
  onTooLong(): void;
}

/**
 * Server-sent events out of chunks. The parser works on text; each byte is handed to it as one character and comes back as that byte, so
 * that nothing is decoded and no character can be cut.
 */
export class EventStream {
  /** Id of the last event that had one; empty when none had. It stays over several connections. */
  lastId = '';
  /** Milliseconds after which the server wants to be asked again; null when it said nothing. */
  retryMs: number | null = null;
  /** Events with an id so far. */
  marked = 0;
  readonly #parser;
  #isTooLong = false;

  constructor({ eventBytesMax, onEvent, onTooLong }: EventStreamOptions) {
    this.#parser = createParser({
      maxBufferSize: eventBytesMax,
      onEvent: ({ id, event, data }) => {
        if (id !== undefined && ID.test(id)) {
          this.lastId = id;
          this.marked++;
        }
        // An event without data only says where the stream is.
        if (data !== '') onEvent({ type: event ?? 'message', data: Buffer.from(data, 'latin1') });
      },
      onRetry: (ms) => {
        this.retryMs = ms;
      },
      onError: ({ type }) => {
        // Other errors are of fields that nobody knows, which the standard leaves out.
        if (type !== 'max-buffer-size-exceeded') return;
        this.#isTooLong = true;
        onTooLong();
      },
    });
  }

  push(chunk: Uint8Array): void {
    if (!this.#isTooLong) this.#parser.feed(asBuffer(chunk).toString('latin1'));
  }

  /** The connection ended; the next one begins with whole events. */
  restart(): void {
    this.#parser.reset();
    this.#isTooLong = false;
  }
}

// — internal —

/** What a header can carry; nothing could be asked for behind another id. */
const ID = new RegExp(`^[\\t\\x20-\\x7e\\x80-\\xff]{0,${REMOTE_EVENT_ID_BYTES_MAX}}$`);
