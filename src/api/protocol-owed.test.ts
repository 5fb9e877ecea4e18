import { expect, test } from 'vitest';
import { PROTOCOL_QUEUE_BYTES_MAX } from '../recorder-limits.ts';
import type { LogLine } from './contract/logs.ts';
import { OwedProtocol } from './protocol-owed.ts';

const line = (text: string, at = 1): LogLine => ({ at, source: 'protocol', level: 'info', text });
const BEHIND = PROTOCOL_QUEUE_BYTES_MAX + 1;

test('a reader that keeps up gets each line', () => {
  const owed = new OwedProtocol();
  expect(owed.take(line('a'), 0)).toEqual([line('a')]);
  expect(owed.take(line('b'), PROTOCOL_QUEUE_BYTES_MAX)).toEqual([line('b')]);
  expect(owed.owed(2, 0)).toEqual([]);
});

test('a reader that is behind gets none, and is told how many were left out before the next one or when it has caught up', () => {
  const owed = new OwedProtocol();
  expect([owed.take(line('a'), BEHIND), owed.take(line('b'), BEHIND), owed.owed(5, BEHIND)]).toEqual([[], [], []]);
  expect(owed.take(line('c', 7), 0)).toEqual([
    { at: 7, source: 'protocol', level: 'warn', text: expect.stringContaining('2 messages left out') },
    line('c', 7),
  ]);
  expect(owed.take(line('d'), BEHIND)).toEqual([]);
  expect(owed.owed(9, 0)).toMatchObject([
    { at: 9, level: 'warn', text: expect.stringContaining('1 message left out') },
  ]);
  expect(owed.owed(10, 0)).toEqual([]);
});
