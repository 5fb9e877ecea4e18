import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  IDLE_HEAP_ACTIVE_MS,
  IDLE_HEAP_ALLOCATED_BYTES,
  IDLE_HEAP_LOOK_MS,
  IDLE_HEAP_LOOKS,
  IDLE_HEAP_WORTH_BYTES,
} from '../limits.ts';
import { applyHeapOptions } from './heap-options.ts';

/** What a look at the process shows; the heap in bytes. */
export interface HeapLook {
  /** How long its thread has done something since the last look, in milliseconds. */
  activeMs: number;
  /** Objects, live or not. */
  used: number;
  /** What V8 holds for them. */
  held: number;
}

/** What the next look is judged by. */
export interface HeapWatch {
  used: number;
  /** Looks in a row in which next to nothing was done or allocated. */
  quietLooks: number;
  /** What V8 held after it was last made to give back; 0 before. */
  heldAtLeast: number;
}

export const UNSEEN: HeapWatch = { used: 0, quietLooks: 0, heldAtLeast: 0 };

/** `due` when the daemon has had nothing to do for a while, and enough may be given back to be worth the pause. */
export function judgeHeap(watch: HeapWatch, { activeMs, used, held }: HeapLook): { watch: HeapWatch; due: boolean } {
  const grown = used - watch.used;
  const quiet = activeMs <= IDLE_HEAP_ACTIVE_MS && grown >= 0 && grown <= IDLE_HEAP_ALLOCATED_BYTES;
  const quietLooks = quiet ? watch.quietLooks + 1 : 0;
  const due = quietLooks >= IDLE_HEAP_LOOKS && held >= watch.heldAtLeast + IDLE_HEAP_WORTH_BYTES;
  return { watch: { ...watch, used, quietLooks }, due };
}

/**
 * Gives memory back that was needed for starts or for many calls. V8 itself collects an idle heap only once, some time after its last
 * collection, and hardly ever moves what is left together, so pages stay that are nearly empty: 4 MiB after 50 starts, 17 MiB after 100 000
 * calls. It costs a pause of some 50 ms, which is why it waits until nobody asks for anything.
 */
export function giveBackWhenIdle(): void {
  let watch = UNSEEN;
  let last = performance.eventLoopUtilization();
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const judged = judgeHeap(watch, { activeMs: now.active - last.active, ...heapNow() });
    last = now;
    watch = judged.watch;
    if (!judged.due) return;
    compactHeap();
    const { used, held } = heapNow();
    watch = { used, quietLooks: 0, heldAtLeast: held };
  };
  setInterval(look, IDLE_HEAP_LOOK_MS).unref();
}

// — internal —

function heapNow(): Omit<HeapLook, 'activeMs'> {
  const { used_heap_size: used, total_physical_size: held } = getHeapStatistics();
  return { used, held };
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
