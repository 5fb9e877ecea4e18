import { setTimeout as delay } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { giveBackWhenIdle } from '../../src/daemon/idle-heap.ts';

const held = () => getHeapStatistics().total_physical_size;
const OBJECTS = 400_000;
/** One in so many stays: enough that hardly a page of the heap is empty. */
const KEPT_ONE_IN = 40;
/** Of the whole heap, in which the test runner has its part too. */
const LEFT_AT_MOST = 0.75;
const LOOK_EVERY_MS = 1000;
const LOOKS_MAX = 50;

test('a process with nothing more to do gives back what it needed', async () => {
  // V8's own way would do a part of it, some time.
  setFlagsFromString('--no-memory-reducer');
  let many: object[] | null = Array.from({ length: OBJECTS }, (_, n) => ({ n, in: [n] }));
  const kept = many.filter((_, n) => n % KEPT_ONE_IN === 0);
  const before = held();
  many = null;
  giveBackWhenIdle(() => 0);
  for (let looks = 0; held() >= before * LEFT_AT_MOST && looks < LOOKS_MAX; looks++) await delay(LOOK_EVERY_MS);
  expect(held()).toBeLessThan(before * LEFT_AT_MOST);
  expect(kept).toHaveLength(OBJECTS / KEPT_ONE_IN);
});
