import type { ServerResponse } from 'node:http';
import { HTTP_EVENTS_BYTES_MAX, HTTP_EVENTS_KEPT, HTTP_KEEP_ALIVE_MS } from '../../http-limits.ts';
import { byteLength } from '../../protocol/bytes.ts';
import type { Bytes, RawId } from '../../protocol/frame.ts';
import type { MessageClass } from '../outbox.ts';
import { EventStream } from './event-stream.ts';
import type { EventTrack, KeptEvent } from './kept-events.ts';
import type { Headers } from './respond.ts';

interface Standing {
  outgoing: ServerResponse;
  stream: EventStream;
  track: EventTrack;
}

/**
 * The GET streams of a session, for what belongs to no request. Each message goes out on one of them, the newest: an older one may be a
 * connection whose end nobody has noticed. Notices that come while none is open wait for the next.
 */
export class StandingStreams {
  readonly #newTrack: () => EventTrack;
  readonly #tracks = new Map<number, EventTrack>();
  #open: Standing[] = [];
  #waiting: Bytes[] = [];
  #waitingBytes = 0;

  constructor(newTrack: () => EventTrack) {
    this.#newTrack = newTrack;
  }

  get count(): number {
    return this.#open.length;
  }

  /** `retryMs`: how soon a broken stream is to be resumed, told in an event without data; null for clients that do not know such. */
  open(outgoing: ServerResponse, headers: Headers, retryMs: number | null, now: number): void {
    const track = this.#newTrack();
    const stream = new EventStream(outgoing, headers, now);
    if (retryMs !== null) stream.prime(track.start, retryMs, now);
    this.#add(outgoing, stream, track, now);
  }

  /** A stream that a client lost, with what it missed. One of a request that has its answer by now ends behind it; one of ours goes on. */
  resume(
    outgoing: ServerResponse,
    headers: Headers,
    { stream: number, missed }: { stream: number; missed: readonly KeptEvent[] },
    now: number,
  ): void {
    const stream = new EventStream(outgoing, headers, now);
    stream.replay(missed, now);
    const track = this.#tracks.get(number);
    if (track === undefined) return stream.end();
    for (const old of this.#open.filter((standing) => standing.track === track)) this.#close(old);
    this.#add(outgoing, stream, track, now);
  }

  /** False: no stream is open, and a question cannot wait for one. */
  tell(bytes: Bytes, kind: MessageClass, id: RawId | null, now: number): boolean {
    const newest = this.#open.at(-1);
    if (newest !== undefined) return newest.stream.message(bytes, kind, id, newest.track.next(bytes), now) === 'taken';
    if (kind === 'notice') this.#wait(bytes);
    return kind === 'notice';
  }

  look(now: number): void {
    for (const { stream } of this.#open) if (now - stream.writtenAt >= HTTP_KEEP_ALIVE_MS) stream.keepAlive(now);
  }

  end(): void {
    for (const standing of [...this.#open]) this.#close(standing);
  }

  // — internal —

  #add(outgoing: ServerResponse, stream: EventStream, track: EventTrack, now: number): void {
    const standing: Standing = { outgoing, stream, track };
    this.#tracks.set(track.stream, track);
    this.#forgetOldTracks();
    this.#open.push(standing);
    outgoing.once('close', () => {
      this.#open = this.#open.filter((one) => one !== standing);
    });
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const bytes of waiting) stream.message(bytes, 'notice', null, track.next(bytes), now);
  }

  #close(standing: Standing): void {
    this.#open = this.#open.filter((one) => one !== standing);
    standing.stream.end();
  }

  #wait(bytes: Bytes): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += byteLength(bytes);
    while (this.#waiting.length > HTTP_EVENTS_KEPT || this.#waitingBytes > HTTP_EVENTS_BYTES_MAX)
      this.#waitingBytes -= byteLength(this.#waiting.shift() ?? []);
  }

  /** A client resumes one of its last streams, or none. */
  #forgetOldTracks(): void {
    for (const number of this.#tracks.keys()) {
      if (this.#tracks.size <= TRACKS_KEPT) return;
      this.#tracks.delete(number);
    }
  }
}

// — internal —

const TRACKS_KEPT = 16;
