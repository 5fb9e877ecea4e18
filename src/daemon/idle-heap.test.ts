import { expect, test } from 'vitest';
import { IDLE_HEAP_ACTIVE_MS, IDLE_HEAP_ALLOCATED_BYTES, IDLE_HEAP_LOOKS, IDLE_HEAP_WORTH_BYTES } from '../limits.ts';
import { type HeapLook, judgeHeap, UNSEEN } from './idle-heap.ts';

const MIB = 1024 * 1024;

/** The number of the first look, counted from 1, at which memory is to be given back; null when none is. */
function dueAt(looks: readonly HeapLook[], before = UNSEEN): number | null {
  let watch = before;
  for (const [index, look] of looks.entries()) {
    const judged = judgeHeap(watch, look);
    if (judged.due) return index + 1;
    watch = judged.watch;
  }
  return null;
}

const idle = (looks: number): HeapLook[] =>
  Array.from({ length: looks }, () => ({ activeMs: 2, used: 12 * MIB, held: 20 * MIB }));

test('an idle daemon gives memory back after some quiet looks in a row', () => {
  // The first look only tells where it begins.
  expect(dueAt(idle(20))).toBe(1 + IDLE_HEAP_LOOKS);
});

test('one that is at work does not', () => {
  const working = Array.from({ length: 20 }, (_, n) => ({ activeMs: 2, used: (12 + n) * MIB, held: 60 * MIB }));
  expect(dueAt(working)).toBeNull();
  expect(dueAt([...working, { activeMs: 2, used: 31 * MIB, held: 60 * MIB }])).toBeNull();
  expect(dueAt(idle(20).map((look) => ({ ...look, activeMs: IDLE_HEAP_ACTIVE_MS + 1 })))).toBeNull();
});

test('nor does one whose heap stays as large as it is because V8 collects what its calls leave', () => {
  const used = Array.from({ length: 20 }, (_, n) => (n % 3 === 0 ? 11 : 12) * MIB);
  expect(dueAt(used.map((bytes) => ({ activeMs: 5, used: bytes, held: 60 * MIB })))).toBeNull();
});

test('what its own timers allocate is no work; after a collection of V8 it is watched from there', () => {
  const used = [12 * MIB, 12 * MIB + IDLE_HEAP_ALLOCATED_BYTES, ...Array.from({ length: 4 }, () => 9 * MIB)];
  expect(dueAt(used.map((bytes) => ({ activeMs: IDLE_HEAP_ACTIVE_MS, used: bytes, held: 20 * MIB })))).toBe(6);
});

test('what cannot be given back is not asked for again', () => {
  const after = { used: 12 * MIB, quietLooks: 0, heldAtLeast: 19 * MIB };
  expect(dueAt(idle(20), after)).toBeNull();
  const grown = idle(20).map((look) => ({ ...look, held: 19 * MIB + IDLE_HEAP_WORTH_BYTES }));
  expect(dueAt(grown, after)).toBe(IDLE_HEAP_LOOKS);
});
