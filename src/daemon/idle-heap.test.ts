import { expect, test } from 'vitest';
import { IDLE_HEAP_ALLOCATED_BYTES, IDLE_HEAP_LOOKS, IDLE_HEAP_WORTH_BYTES } from '../limits.ts';
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

const idle = (looks: number): HeapLook[] => Array.from({ length: looks }, () => ({ used: 12 * MIB, held: 20 * MIB }));

test('an idle daemon gives memory back after some quiet looks in a row', () => {
  // The first look only tells where it begins.
  expect(dueAt(idle(20))).toBe(1 + IDLE_HEAP_LOOKS);
});

test('one that is at work does not', () => {
  const working = Array.from({ length: 20 }, (_, n) => ({ used: (12 + n) * MIB, held: 60 * MIB }));
  expect(dueAt(working)).toBeNull();
  expect(dueAt([...working, { used: 31 * MIB, held: 60 * MIB }])).toBeNull();
});

test('what its own timers allocate is no work, and neither is a collection of V8', () => {
  const used = [12 * MIB, 12 * MIB + IDLE_HEAP_ALLOCATED_BYTES, 9 * MIB, 9 * MIB + IDLE_HEAP_ALLOCATED_BYTES];
  expect(dueAt(used.map((bytes) => ({ used: bytes, held: 20 * MIB })))).toBe(4);
});

test('what cannot be given back is not asked for again', () => {
  const after = { used: 12 * MIB, quietLooks: 0, heldAtLeast: 19 * MIB };
  expect(dueAt(idle(20), after)).toBeNull();
  const grown = idle(20).map((look) => ({ ...look, held: 19 * MIB + IDLE_HEAP_WORTH_BYTES }));
  expect(dueAt(grown, after)).toBe(IDLE_HEAP_LOOKS);
});
