import { expect, test } from 'vitest';
import type { RecordedFrame } from '../../../../src/api/contract/recordings.ts';
import { indented, matching } from './frames.ts';

const frame = (seq: number, more: Partial<RecordedFrame>): RecordedFrame => ({
  seq,
  at: 0,
  direction: 'to-server',
  instance: 'weather',
  generation: 1,
  session: null,
  kind: 'request',
  id: String(seq),
  method: 'tools/call',
  target: null,
  answers: null,
  tookMs: null,
  bytes: 2,
  cut: 0,
  masked: false,
  text: '{}',
  ...more,
});

test('messages are found by all the words, wherever they are', () => {
  const frames = [
    frame(1, { target: 'forecast' }),
    frame(2, { text: '{"city":"Oslo"}' }),
    frame(3, { method: 'ping' }),
  ];
  const found = (words: string) => matching(frames, words).map(({ seq }) => seq);
  expect(found('')).toEqual([1, 2, 3]);
  expect(found('CALL')).toEqual([1, 2]);
  expect(found('call oslo')).toEqual([2]);
  expect(found('oslo ping')).toEqual([]);
});

test('JSON is laid out, and what was cut is left as it is', () => {
  expect(indented('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(indented('{"a": … 12 characters … }')).toBe('{"a": … 12 characters … }');
});
