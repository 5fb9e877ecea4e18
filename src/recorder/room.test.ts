import { expect, test } from 'vitest';
import type { RecordedFrame } from '../api/contract/recordings.ts';
import { RECORDING_FRAME_OBJECT_BYTES } from '../recorder-limits.ts';
import { FrameRing } from './ring.ts';
import { makeRoom, memoryOf } from './room.ts';

test('a text takes one byte a letter, and two when any letter is beyond Latin-1', () => {
  const beside = RECORDING_FRAME_OBJECT_BYTES;
  expect(memoryOf(frame(1, 'caf\u00e9'))).toBe(beside + 4);
  expect(memoryOf(frame(1, `${'x'.repeat(99)}\u0436`))).toBe(beside + 200);
  expect(memoryOf({ ...frame(1, 'four'), method: 'ab', target: '\u20ac' })).toBe(beside + 4 + 2 + 2);
});

test('a ring knows what it takes, also when some has gone', () => {
  const ring = new FrameRing({ framesMax: 2, bytesMax: 1000 });
  for (let seq = 1; seq <= 5; seq++) ring.add(frame(seq, 'x'.repeat(seq)));
  expect(ring.memory).toBe(2 * RECORDING_FRAME_OBJECT_BYTES + 4 + 5);
  ring.clear();
  expect([ring.memory, ring.droppedForOthers]).toEqual([0, 0]);
});

test('the oldest go, of whichever server, until all fit', () => {
  const [a, b] = [ringOf(1, 4, 5), ringOf(2, 3, 6)];
  makeRoom([on(a), on(b)], 3 * EACH);
  expect([seqs(a), seqs(b)]).toEqual([[4, 5], [6]]);
  expect([a.droppedForOthers, b.droppedForOthers]).toEqual([1, 2]);
});

test('newer ones of a recording that is off go before older ones of one that is on', () => {
  const [a, b, c] = [ringOf(1, 2), ringOf(3, 6), ringOf(4, 5)];
  makeRoom([on(a), off(b), off(c)], 3 * EACH);
  expect([seqs(a), seqs(b), seqs(c)]).toEqual([[1, 2], [6], []]);
});

test('nothing goes while all fit, and no more than there is', () => {
  const ring = ringOf(1, 2);
  makeRoom([on(ring)], 2 * EACH);
  expect(seqs(ring)).toEqual([1, 2]);
  makeRoom([on(ring)], 0);
  expect([seqs(ring), ring.dropped]).toEqual([[], 2]);
});

const EACH = RECORDING_FRAME_OBJECT_BYTES + 1;

function ringOf(...numbers: number[]): FrameRing {
  const ring = new FrameRing({ framesMax: 100, bytesMax: 1000 });
  for (const seq of numbers) ring.add(frame(seq, 'x'));
  return ring;
}

const on = (ring: FrameRing) => ({ ring, isOn: true });
const off = (ring: FrameRing) => ({ ring, isOn: false });
const seqs = (ring: FrameRing) => ring.after(0, 100).map(({ seq }) => seq);

function frame(seq: number, text: string): RecordedFrame {
  return {
    seq,
    at: 0,
    direction: 'from-server',
    instance: 'a',
    generation: 1,
    session: null,
    kind: 'notification',
    id: null,
    method: null,
    target: null,
    answers: null,
    tookMs: null,
    bytes: 1,
    cut: 0,
    masked: false,
    text,
  };
}
