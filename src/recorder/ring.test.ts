import { expect, test } from 'vitest';
import type { RecordedFrame } from '../api/contract/recordings.ts';
import { FrameRing } from './ring.ts';

test('the oldest frames make room when there are too many', () => {
  const ring = new FrameRing({ framesMax: 3, bytesMax: 1000 });
  for (let seq = 1; seq <= 10; seq++) ring.add(frame({ seq }));
  expect(ring.after(0, 100).map(({ seq }) => seq)).toEqual([8, 9, 10]);
  expect([ring.firstSeq, ring.lastSeq, ring.size, ring.dropped]).toEqual([8, 10, 3, 7]);
});

test('the oldest frames make room when they are too long together', () => {
  const ring = new FrameRing({ framesMax: 100, bytesMax: 14 });
  for (let seq = 1; seq <= 5; seq++) ring.add(frame({ seq, text: 'four', target: 'xx' }));
  expect(ring.after(0, 100).map(({ seq }) => seq)).toEqual([4, 5]);
  expect(ring.bytes).toBe(14);
});

test('one frame that is too long alone is kept, and makes room for the next', () => {
  const ring = new FrameRing({ framesMax: 100, bytesMax: 10 });
  ring.add(frame({ seq: 1, text: 'x'.repeat(50) }));
  expect(ring.size).toBe(1);
  ring.add(frame({ seq: 2, text: 'y' }));
  expect(ring.after(0, 100).map(({ seq }) => seq)).toEqual([2]);
  expect(ring.bytes).toBe(2);
});

test('frames are read on from a number, also over gaps and over what has gone', () => {
  const ring = new FrameRing({ framesMax: 4, bytesMax: 1000 });
  for (const seq of [2, 5, 6, 9, 12, 20]) ring.add(frame({ seq }));
  expect(ring.after(0, 2).map(({ seq }) => seq)).toEqual([6, 9]);
  expect(ring.after(7, 100).map(({ seq }) => seq)).toEqual([9, 12, 20]);
  expect(ring.after(20, 100)).toEqual([]);
});

test('an answer finds its request once, by process, direction and id', () => {
  const ring = new FrameRing({ framesMax: 10, bytesMax: 1000 });
  ring.add(frame({ seq: 1, id: '7', direction: 'to-server', instance: 'a' }));
  ring.add(frame({ seq: 2, id: '7', direction: 'from-server', instance: 'a' }));
  ring.add(frame({ seq: 3, id: '7', direction: 'to-server', instance: 'b' }));
  const answer = { id: '7', direction: 'from-server', instance: 'a', generation: 1 } as const;
  expect(ring.answeredBy(answer)?.seq).toBe(1);
  expect(ring.answeredBy(answer)).toBeNull();
  expect(ring.answeredBy({ ...answer, direction: 'to-server' })?.seq).toBe(2);
  expect(ring.answeredBy({ ...answer, instance: 'b' })?.seq).toBe(3);
});

test('a request that made room is no longer waited for', () => {
  const ring = new FrameRing({ framesMax: 1, bytesMax: 1000 });
  ring.add(frame({ seq: 1, id: '1' }));
  ring.add(frame({ seq: 2, id: '2' }));
  expect(ring.answeredBy({ id: '1', direction: 'from-server', instance: 'a', generation: 1 })).toBeNull();
});

test('a cleared ring is empty and goes on', () => {
  const ring = new FrameRing({ framesMax: 2, bytesMax: 1000 });
  for (let seq = 1; seq <= 5; seq++) ring.add(frame({ seq }));
  ring.clear();
  expect([ring.size, ring.bytes, ring.dropped, ring.firstSeq, ring.lastSeq]).toEqual([0, 0, 0, 0, 0]);
  ring.add(frame({ seq: 6 }));
  expect(ring.after(0, 9).map(({ seq }) => seq)).toEqual([6]);
});

function frame(given: Partial<RecordedFrame>): RecordedFrame {
  return {
    seq: 1,
    at: 0,
    direction: 'to-server',
    instance: 'a',
    generation: 1,
    session: null,
    kind: 'request',
    id: '1',
    method: null,
    target: null,
    answers: null,
    tookMs: null,
    bytes: 1,
    cut: 0,
    masked: false,
    text: 'x',
    ...given,
  };
}
