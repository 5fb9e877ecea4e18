import type { CallRecord } from '../../src/core/call-record.ts';
import { MARK } from '../../src/core/marks.ts';

/** A call that a running server answered, as the core records it. */
export function aCall(at: number, other: Partial<CallRecord> = {}): CallRecord {
  return {
    at,
    session: 's1',
    host: 'editor',
    server: 'weather',
    instance: 'weather',
    method: 'tools/call',
    target: 'forecast',
    queuedMs: 0.5,
    totalMs: 12.25,
    outcome: 'ok',
    errorCode: null,
    error: null,
    requestBytes: 100,
    responseBytes: 2000,
    traceparent: null,
    marks: [MARK.sent, 0.5, MARK.answered, 12.25],
    ...other,
  };
}

/** The daemon that keeps a history: the first one, unless it is said which. */
export const begunAt = (at: number) => ({ at, pid: 1, version: '0.1.0' });

/** Nothing saw the daemon before die. */
export const unseen = () => null;

/** For a history whose servers have no secrets. */
export const asItIs = (_server: string, text: string): string => text;
