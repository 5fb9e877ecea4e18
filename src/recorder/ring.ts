import type { RecordedFrame } from '../api/contract/recordings.ts';
import { memoryOf } from './room.ts';

/** The newest frames of one server, within two bounds. Pure: it is told the time with each frame. */
export class FrameRing {
  readonly #bounds: { framesMax: number; bytesMax: number };
  /** Those before `#start` have made room; the array is cut when they are the greater part of it. */
  #frames: (RecordedFrame | null)[] = [];
  #start = 0;
  #bytes = 0;
  #memory = 0;
  #dropped = 0;
  #droppedForOthers = 0;
  /** Requests without an answer, as long as they are kept. */
  readonly #open = new Map<string, RecordedFrame>();

  constructor(bounds: { framesMax: number; bytesMax: number }) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#frames.length - this.#start;
  }

  /** Of the texts, and of what is told of them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What they take in the heap. */
  get memory(): number {
    return this.#memory;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Of the dropped ones. */
  get droppedForOthers(): number {
    return this.#droppedForOthers;
  }

  get firstSeq(): number {
    return this.#frames[this.#start]?.seq ?? 0;
  }

  get lastSeq(): number {
    return this.#frames.at(-1)?.seq ?? 0;
  }

  add(frame: RecordedFrame): void {
    this.#frames.push(frame);
    this.#bytes += sizeOf(frame);
    this.#memory += memoryOf(frame);
    if (frame.kind === 'request') this.#open.set(openKey(frame, frame.direction), frame);
    while (this.size > 1 && (this.size > this.#bounds.framesMax || this.#bytes > this.#bounds.bytesMax)) this.#drop();
  }

  /** The oldest frame makes room for those of other servers. */
  dropForOthers(): void {
    if (this.size === 0) return;
    this.#drop();
    this.#droppedForOthers++;
  }

  /** The request that a frame answers, which is no longer open then; null when it is not kept. */
  answeredBy(answer: Pick<RecordedFrame, 'instance' | 'generation' | 'direction' | 'id'>): RecordedFrame | null {
    const key = openKey(answer, answer.direction === 'to-server' ? 'from-server' : 'to-server');
    const request = this.#open.get(key) ?? null;
    this.#open.delete(key);
    return request;
  }

  /** The oldest `limit` of those with a greater number. */
  after(seq: number, limit: number): RecordedFrame[] {
    const found: RecordedFrame[] = [];
    for (let at = this.#indexAfter(seq); at < this.#frames.length && found.length < limit; at++) {
      const frame = this.#frames[at];
      if (frame) found.push(frame);
    }
    return found;
  }

  clear(): void {
    this.#frames = [];
    this.#start = 0;
    this.#bytes = 0;
    this.#memory = 0;
    this.#dropped = 0;
    this.#droppedForOthers = 0;
    this.#open.clear();
  }

  // — internal —

  #drop(): void {
    const frame = this.#frames[this.#start];
    this.#frames[this.#start] = null;
    this.#start++;
    this.#dropped++;
    if (frame) {
      this.#bytes -= sizeOf(frame);
      this.#memory -= memoryOf(frame);
      const key = openKey(frame, frame.direction);
      if (this.#open.get(key) === frame) this.#open.delete(key);
    }
    if (this.#start * 2 < this.#frames.length) return;
    this.#frames = this.#frames.slice(this.#start);
    this.#start = 0;
  }

  /** Numbers grow, with gaps where others were recorded in between. */
  #indexAfter(seq: number): number {
    let [low, high] = [this.#start, this.#frames.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#frames[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What a peer can make as long as it likes. */
function sizeOf({ text, id, method, target }: RecordedFrame): number {
  return text.length + (id?.length ?? 0) + (method?.length ?? 0) + (target?.length ?? 0);
}

/** `asker`: the way that the request went. */
function openKey(
  { instance, generation, id }: Pick<RecordedFrame, 'instance' | 'generation' | 'id'>,
  asker: RecordedFrame['direction'],
): string {
  return `${asker} ${instance} ${generation} ${id}`;
}
