import { describe, expect, test } from 'vitest';
import { HOST_QUEUE_BYTES_MAX, HOST_REFUSALS_BYTES_MAX } from '../limits.ts';
import { Outbox } from './outbox.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** A socket that takes everything at once, or nothing until it is told to. */
function socket() {
  const written: Buffer[] = [];
  let writes = 0;
  let corks = 0;
  const state = { reads: true, writableLength: 0 };
  const outbox = new Outbox({
    get writableLength() {
      return state.writableLength;
    },
    write: (chunk) => {
      if (corks === 0) writes++;
      written.push(Buffer.from(chunk));
      if (!state.reads) state.writableLength += chunk.length;
      return state.reads;
    },
    cork: () => {
      corks++;
    },
    uncork: () => {
      corks--;
      writes++;
    },
  });
  return {
    outbox,
    add: (text: string, kind: 'answer' | 'notice' = 'answer', id: string | null = '1') =>
      outbox.add([Buffer.from(text)], kind, id),
    stops: () => {
      state.reads = false;
    },
    reads: () => {
      state.reads = true;
      state.writableLength = 0;
      outbox.drained();
    },
    lines: () => Buffer.concat(written).toString().split('\n').slice(0, -1),
    writes: () => writes,
  };
}

describe('lines for a host', () => {
  test('of one turn leave in one write, in order, each with one newline', () => {
    const { add, outbox, lines, writes } = socket();
    add('{"a":1}\n');
    add('{"b":2}');
    add('{"c":3}\n', 'notice', null);
    expect(lines()).toEqual([]);
    outbox.flush();
    expect(lines()).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
    expect(writes()).toBe(1);
  });

  test('that are long do not make the short ones wait for a copy', () => {
    const { add, outbox, lines } = socket();
    add('short');
    add('x'.repeat(3 * MIB));
    add('short too');
    outbox.flush();
    expect(lines().map((line) => line.length)).toEqual([5, 3 * MIB, 9]);
    expect(outbox.empty).toBe(true);
  });

  test('wait while the host does not read, and leave when it does', () => {
    const { add, outbox, lines, stops, reads } = socket();
    stops();
    add('first');
    outbox.flush();
    add('second');
    outbox.flush();
    expect(lines()).toEqual(['first']);
    expect(outbox.empty).toBe(false);
    reads();
    expect(lines()).toEqual(['first', 'second']);
  });
});

test('a host that reads gets a line of any length, also behind others of the same turn', () => {
  const { add, outbox, lines } = socket();
  add('note', 'notice', null);
  add('z'.repeat(50 * MIB));
  add('after it');
  outbox.flush();
  expect(lines().map((line) => line.length)).toEqual([4, 50 * MIB, 8]);
});

describe('a host that does not read', () => {
  const full = () => {
    const all = socket();
    all.stops();
    all.add('in flight');
    all.outbox.flush();
    for (let bytes = 0; bytes < HOST_QUEUE_BYTES_MAX; bytes += MIB) all.add('x'.repeat(MIB));
    return all;
  };

  test('gets small errors instead of answers once its queue is full', () => {
    const { add, lines, reads } = full();
    add('y'.repeat(MIB), 'answer', '"late"');
    reads();
    expect(lines()).toHaveLength(18);
    expect(JSON.parse(lines().at(-1) ?? '')).toMatchObject({
      id: 'late',
      error: { code: -32603, data: { reason: 'host does not read' } },
    });
  });

  test('is told once how many notices it missed', () => {
    const { add, outbox, lines, reads } = full();
    for (let i = 0; i < 7; i++) add('note', 'notice', null);
    add('a request of a server', 'answer', null);
    reads();
    expect(lines().filter((line) => line.includes('8 notices were dropped'))).toHaveLength(1);
    add('note', 'notice', null);
    outbox.flush();
    expect(lines().at(-1)).toBe('note');
  });

  test('may have one long line in its socket and one that waits', () => {
    const { add, outbox, lines, stops, reads } = socket();
    stops();
    add('y'.repeat(17 * MIB));
    outbox.flush();
    add('z'.repeat(17 * MIB));
    add('one too many', 'answer', '3');
    reads();
    expect(lines().map((line) => line.length)).toEqual([17 * MIB, 17 * MIB, expect.any(Number)]);
    expect(lines()[2]).toContain('"id":3,"error"');
  });

  test('and goes on asking for ever is given up', () => {
    const { add } = full();
    let refused = 0;
    while (add('answer', 'answer', String(refused)) !== 'overrun') refused++;
    expect(refused).toBeGreaterThan(1000);
    expect(refused).toBeLessThan(HOST_REFUSALS_BYTES_MAX / 100);
  });
});
