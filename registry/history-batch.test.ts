import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallRecord } from '../src/core/model.ts';
import { HISTORY_TEXT_CHARS_MAX } from '../src/operation-limits.ts';
import { packCalls, unpackCalls } from './history-batch.ts';

const record: fc.Arbitrary<CallRecord> = fc.record({
  at: fc.integer({ min: 0, max: 2 ** 45 }),
  session: fc.string(),
  host: fc.string(),
  server: fc.string(),
  method: fc.string(),
  target: fc.string({ unit: 'binary' }),
  queuedMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  totalMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  outcome: fc.constantFrom('ok', 'error', 'lost'),
  errorCode: fc.oneof(fc.constant(null), fc.integer()),
  requestBytes: fc.nat(),
  responseBytes: fc.nat(),
  traceparent: fc.constant(null),
});

test('every record comes out as it went in, in the same order', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const rows = [...unpackCalls(packCalls(records, 7))];
      expect(rows).toEqual(
        records.map((one, index) => [
          7 + index,
          one.at,
          one.session,
          one.host,
          one.server,
          one.method,
          one.target,
          one.queuedMs,
          one.totalMs,
          one.outcome,
          one.errorCode,
          one.requestBytes,
          one.responseBytes,
        ]),
      );
    }),
  );
});

test('a text crosses once, and a long one is cut with a mark', () => {
  const [one] = fc.sample(record, { seed: 1, numRuns: 1 });
  if (one === undefined) throw new RangeError('no sample');
  const long = { ...one, session: 's', host: 's', server: 's', method: 's', target: 'x'.repeat(1_000_000) };
  const packed = packCalls([long, long, long], 1);
  expect(packed.texts).toHaveLength(3);
  const target = [...unpackCalls(packed)][2]?.[6];
  expect(target).toHaveLength(HISTORY_TEXT_CHARS_MAX);
  expect(target?.endsWith('x…')).toBe(true);
});
