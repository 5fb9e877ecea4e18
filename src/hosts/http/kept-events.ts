import { HTTP_EVENTS_BYTES_MAX, HTTP_EVENTS_KEPT } from '../../http-limits.ts';
import { byteLength } from '../../protocol/bytes.ts';
import type { Bytes } from '../../protocol/frame.ts';

/** An event that a client may ask for again. */
export interface KeptEvent {
  id: string;
  bytes: Bytes;
}

interface Kept extends KeptEvent {
  stream: number;
  /** 1 is the first on its stream; 0 is what a client has that has seen none. */
  place: number;
  length: number;
}

/** The last events of a session, for a client that lost a stream and asks for what it missed. Old ones give way. */
export class KeptEvents {
  #events: Kept[] = [];
  #bytes = 0;

  add(stream: number, place: number, bytes: Bytes): string {
    const length = byteLength(bytes);
    const id = eventId(stream, place);
    if (length > HTTP_EVENTS_BYTES_MAX) return id;
    this.#events.push({ id, stream, place, bytes, length });
    this.#bytes += length;
    let gone = 0;
    while (this.#bytes > HTTP_EVENTS_BYTES_MAX || this.#events.length - gone > HTTP_EVENTS_KEPT) {
      this.#bytes -= this.#events[gone]?.length ?? 0;
      gone++;
    }
    if (gone > 0) this.#events = this.#events.slice(gone);
    return id;
  }

  /** What came on this stream behind that place, in order. */
  after(stream: number, place: number): KeptEvent[] {
    return this.#events.filter((event) => event.stream === stream && event.place > place);
  }
}

/** One stream of a session: it numbers its events, so that each has an id which says where it stands. */
export class EventTrack {
  readonly stream: number;
  readonly #kept: KeptEvents;
  #places = 0;

  constructor(kept: KeptEvents, stream: number) {
    this.#kept = kept;
    this.stream = stream;
  }

  /** The id of a client that has seen nothing yet. */
  get start(): string {
    return eventId(this.stream, 0);
  }

  /** Keeps an event, and gives its id. */
  next(bytes: Bytes): string {
    return this.#kept.add(this.stream, ++this.#places, bytes);
  }

  missedAfter(place: number): KeptEvent[] {
    return this.#kept.after(this.stream, place);
  }
}

export function readEventId(text: string): { stream: number; place: number } | null {
  const parts = /^(\d{1,9})-(\d{1,9})$/.exec(text);
  return parts === null ? null : { stream: Number(parts[1]), place: Number(parts[2]) };
}

// — internal —

function eventId(stream: number, place: number): string {
  return `${stream}-${place}`;
}
