import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { IDLE_HEAP_EVENTS_MAX, IDLE_HEAP_LOOK_MS, IDLE_HEAP_LOOKS, IDLE_HEAP_WORTH_BYTES } from '../limits.ts';
import { applyHeapOptions } from './heap-options.ts';

export interface HeapLook {
  /** Events that the core has taken since the daemon began. */
  events: number;
  /** What V8 holds, in bytes. */
  held: number;
}

/** What the next look is judged by. */
export interface HeapWatch {
  events: number;
  /** Looks in a row in which next to nothing happened. */
  quietLooks: number;
  /** What V8 held after it was last made to give back; 0 before. */
  heldAtLeast: number;
}

export const UNSEEN: HeapWatch = { events: 0, quietLooks: 0, heldAtLeast: 0 };

/** `due` when the daemon has had nothing to do for a while, and enough may be given back to be worth the pause. */
export function judgeHeap(watch: HeapWatch, { events, held }: HeapLook): { watch: HeapWatch; due: boolean } {
  const quiet = events - watch.events <= IDLE_HEAP_EVENTS_MAX;
  const quietLooks = quiet ? watch.quietLooks + 1 : 0;
  const due = quietLooks >= IDLE_HEAP_LOOKS && held >= watch.heldAtLeast + IDLE_HEAP_WORTH_BYTES;
  return { watch: { ...watch, events, quietLooks }, due };
}

/**
 * Gives memory back that was needed for starts or for many calls. V8 itself collects an idle heap only once, some time after its last
 * collection, and hardly ever moves what is left together, so pages stay that are nearly empty: 4 MiB after 50 starts, 17 MiB after 100 000
 * calls. It costs a pause of some 50 ms, which is why it waits until nobody asks for anything. `events` tells how many the core has taken.
 */
export function giveBackWhenIdle(events: () => number): void {
  let watch = UNSEEN;
  const look = (): void => {
    const judged = judgeHeap(watch, { events: events(), held: heldBytes() });
    watch = judged.watch;
    if (!judged.due) return;
    compactHeap();
    watch = { ...watch, quietLooks: 0, heldAtLeast: heldBytes() };
  };
  setInterval(look, IDLE_HEAP_LOOK_MS).unref();
}

// — internal —

function heldBytes(): number {
  return getHeapStatistics().total_physical_size;
}

function compactHeap(): void {
  // What was set for large messages is over, also for the size at which this collection lets the heap be marked next.
  applyHeapOptions();
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--compact-on-every-full-gc');
  // Only a context that is made with the option has it. It is not kept, since it takes half a MiB itself.
  runInNewContext('gc')();
  setFlagsFromString('--no-compact-on-every-full-gc');
  setFlagsFromString('--no-expose-gc');
}
