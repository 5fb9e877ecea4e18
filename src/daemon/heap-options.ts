import { setFlagsFromString } from 'node:v8';
import { DAEMON_HEAP_OPTIONS } from '../limits.ts';

/** Idempotent. To be called again after each start of a thread: V8 sets what it finds odd back to its defaults when it makes a heap. */
export function applyHeapOptions(): void {
  for (const option of DAEMON_HEAP_OPTIONS) setFlagsFromString(option);
}
