import { expect, test } from 'vitest';
import { IDLE_HEAP_EVENTS_MAX, IDLE_HEAP_LOOKS, IDLE_HEAP_WORTH_BYTES } from '../limits.ts';
import { judgeHeap, UNSEEN } from './idle-heap.ts';

const HELD = 20 * 1024 * 1024;

/** The number of the first look, counted from 1, at which memory is to be given back; null when none is. */
function dueAt(events: readonly number[], before = UNSEEN, held = HELD): number | null {
  let watch = before;
  for (const [index, seen] of events.entries()) {
    const judged = judgeHeap(watch, { events: seen, held });
    if (judged.due) return index + 1;
    watch = judged.watch;
  }
  return null;
}

/** What twenty looks see when so much happens between them. */
const each = (events: number): number[] => Array.from({ length: 20 }, (_, n) => 1000 + n * events);

test('an idle daemon gives memory back after some quiet looks in a row', () => {
  // The first look only tells where it begins.
  expect(dueAt(each(0))).toBe(1 + IDLE_HEAP_LOOKS);
});

test('what it does by itself is no work', () => {
  expect(dueAt(each(IDLE_HEAP_EVENTS_MAX))).toBe(1 + IDLE_HEAP_LOOKS);
});

test('one that is at work does not, and after the last call the looks count anew', () => {
  expect(dueAt(each(IDLE_HEAP_EVENTS_MAX + 1))).toBeNull();
  const [before, call] = [IDLE_HEAP_LOOKS - 1, IDLE_HEAP_EVENTS_MAX + 1];
  const events = [1000, ...Array<number>(before).fill(1000), ...Array<number>(20).fill(1000 + call)];
  expect(dueAt(events)).toBe(1 + before + 1 + IDLE_HEAP_LOOKS);
});

test('what cannot be given back is not asked for again', () => {
  const after = { events: 1000, quietLooks: 0, heldAtLeast: HELD - IDLE_HEAP_WORTH_BYTES + 1 };
  expect(dueAt(each(0), after)).toBeNull();
  expect(dueAt(each(0), after, HELD + 1)).toBe(IDLE_HEAP_LOOKS);
});
