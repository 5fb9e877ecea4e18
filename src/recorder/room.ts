import type { RecordedFrame } from '../api/contract/recordings.ts';
import { RECORDING_FRAME_OBJECT_BYTES } from '../recorder-limits.ts';

/** What is kept of one server, as far as it matters for who makes room. */
interface Keeper {
  readonly memory: number;
  readonly size: number;
  readonly firstSeq: number;
  dropForOthers(): void;
}

/** The oldest messages go until all together fit: those of recordings that are off before those of recordings that are on. */
export function makeRoom(recordings: Iterable<{ ring: Keeper; isOn: boolean }>, bytesMax: number): void {
  const all = [...recordings];
  let memory = all.reduce((sum, { ring }) => sum + ring.memory, 0);
  while (memory > bytesMax) {
    const kept = all.filter(({ ring }) => ring.size > 0);
    const off = kept.filter(({ isOn }) => !isOn);
    const [first, ...others] = off.length > 0 ? off : kept;
    if (first === undefined) return;
    const { ring } = others.reduce((oldest, one) => (one.ring.firstSeq < oldest.ring.firstSeq ? one : oldest), first);
    const before = ring.memory;
    ring.dropForOthers();
    memory -= before - ring.memory;
  }
}

/** What a frame takes in the heap. */
export function memoryOf({ text, id, method, target }: RecordedFrame): number {
  const texts = [text, id, method, target];
  return texts.reduce((sum, one) => sum + (one === null ? 0 : textMemory(one)), RECORDING_FRAME_OBJECT_BYTES);
}

// — internal —

/** V8 keeps a text with one byte a letter, or with two when any of them is beyond Latin-1. */
function textMemory(text: string): number {
  return BEYOND_LATIN_1.test(text) ? 2 * text.length : text.length;
}

const BEYOND_LATIN_1 = /[\u0100-\uffff]/;
