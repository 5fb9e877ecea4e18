import { now, status } from './live/store.ts';
import { timeText } from './text.ts';

/** `since 10:41:03, when mcpd started`: of what is counted by one daemon and begins anew with the next. */
export function countedSince(): string {
  const startedAt = status.value?.startedAt;
  return startedAt === undefined ? 'since mcpd started' : `since ${timeText(startedAt, now.peek())}, when mcpd started`;
}
