import { expect, test } from 'vitest';
import { aCall } from '../../test/harness/call-record.ts';
import { MARK } from '../core/marks.ts';
import { traceOf } from './spans.ts';

const AT = 1_800_000_000_000;

test('a call that waited for a start and asked its host is drawn with all of it', () => {
  const passed = [
    MARK.starting,
    0,
    MARK.started,
    40,
    MARK.sent,
    42,
    MARK.asked,
    50,
    MARK.resumed,
    80,
    MARK.answered,
    100,
  ];
  const { root, children } = traceOf(aCall(AT, { queuedMs: 42, totalMs: 100, marks: passed }));
  expect([root.name, root.kind, root.from, root.to]).toEqual(['tools/call forecast', 'server', AT, AT + 100]);
  expect(children.map(({ name, kind, from, to }) => [name, kind, from - AT, to - AT])).toEqual([
    ['start', 'internal', 0, 40],
    ['queue', 'internal', 40, 42],
    ['server', 'client', 42, 50],
    ['input', 'internal', 50, 80],
    ['server', 'client', 80, 100],
  ]);
});

test.each([
  [{ outcome: 'ok' }, null, false],
  [{ outcome: 'cancelled' }, null, false],
  [{ outcome: 'tool-error' }, 'tool_error', true],
  [{ outcome: 'error', errorCode: -32602 }, '-32602', true],
  [{ outcome: 'timeout', errorCode: -32000 }, 'timeout', true],
  [{ outcome: 'lost' }, 'lost', true],
] as const)('a call that ended as %j has the error type %s', (ended, type, failed) => {
  const { root } = traceOf(aCall(AT, ended));
  expect(root.failed).toBe(failed);
  expect(root.attributes['error.type'] ?? null).toBe(type);
});

test('a URI is an argument, and is not told', () => {
  const trace = traceOf(aCall(AT, { method: 'resources/read', target: 'file:///home/ann/diary' }));
  expect(trace.root.name).toBe('resources/read');
  expect(JSON.stringify(trace)).not.toContain('diary');
});
