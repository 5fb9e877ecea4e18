import { setFlagsFromString } from 'node:v8';
import type { CallRecord } from '../core/call-record.ts';
import { DAEMON_HEAP_OPTIONS, LARGE_MESSAGES_BYTES, LARGE_MESSAGES_HEAP_OPTION } from '../limits.ts';

/**
 * What holds while nothing out of the ordinary passes. To be called again after each start of a thread: V8 sets what it finds odd back to
 * its defaults when it makes a heap.
 */
export function applyHeapOptions(): void {
  for (const option of DAEMON_HEAP_OPTIONS) setFlagsFromString(option);
}

/** Lets the heap grow once large messages pass, until the daemon is idle again. */
export const heapForCalls = {
  recordCall({ requestBytes, responseBytes }: CallRecord): void {
    if (requestBytes + responseBytes >= LARGE_MESSAGES_BYTES) setFlagsFromString(LARGE_MESSAGES_HEAP_OPTION);
  },
  recordTransition(): void {
    // Starts and stops bring no large messages.
  },
};
