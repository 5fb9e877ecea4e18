import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallRecord } from '../src/core/call-record.ts';
import { HISTORY_TEXT_CHARS_MAX } from '../src/operation-limits.ts';
import { aCall, asItIs } from '../test/harness/call-record.ts';
import { marksOf, packCalls, unpackCalls } from './history-batch.ts';

const record: fc.Arbitrary<CallRecord> = fc.record({
  at: fc.integer({ min: 0, max: 2 ** 45 }),
  session: fc.string(),
  instance: fc.string(),
  error: fc.oneof(fc.constant(null), fc.constant('it is down')),
  marks: fc
    .array(fc.tuple(fc.nat(6), fc.integer({ min: 0, max: 9_000_000 })))
    .map((marks) => marks.flatMap(([what, us]) => [what, us / 1000])),
  host: fc.string(),
  server: fc.string(),
  method: fc.string(),
  target: fc.string({ unit: 'binary' }),
  queuedMs: fc.nat(1e9).map((us) => us / 1000),
  totalMs: fc.nat(1e9).map((us) => us / 1000),
  outcome: fc.constantFrom('ok', 'error', 'lost'),
  errorCode: fc.oneof(fc.constant(null), fc.integer()),
  requestBytes: fc.nat(),
  responseBytes: fc.nat(),
  traceparent: fc.constant(null),
});

test('every record comes out as it went in, in the same order', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const rows = [...unpackCalls(packCalls(records, 7, asItIs))].map((row) => [
        ...row.slice(0, -1),
        marksOf(String(row.at(-1))),
      ]);
      expect(rows).toEqual(
        records.map((one, index) => [
          7 + index,
          one.at,
          one.session,
          one.host,
          one.server,
          one.instance,
          one.method,
          one.target,
          one.queuedMs,
          one.totalMs,
          one.outcome,
          one.errorCode,
          one.error,
          one.requestBytes,
          one.responseBytes,
          one.marks,
        ]),
      );
    }),
  );
});

test('a text crosses once, and a long one is cut with a mark', () => {
  const [one] = fc.sample(record, { seed: 1, numRuns: 1 });
  if (one === undefined) throw new RangeError('no sample');
  const long = {
    ...one,
    session: 's',
    host: 's',
    server: 's',
    instance: 's',
    error: null,
    method: 's',
    target: 'x'.repeat(1_000_000),
  };
  const packed = packCalls([long, long, long], 1, asItIs);
  expect(packed.texts).toHaveLength(3);
  const target = [...unpackCalls(packed)][2]?.[7];
  expect(target).toHaveLength(HISTORY_TEXT_CHARS_MAX);
  expect(target?.endsWith('x…')).toBe(true);
});

test('of an error, neither secrets nor what looks like one are kept, nor more than a few lines', () => {
  const error = 'login of bob with hunter2 failed: token eyJhbGciOiJIUzI1NiJ9 is no good';
  const mask = (server: string, text: string) => (server === 'weather' ? text.replace('hunter2', '***') : text);
  const errorOf = (text: string) => [...unpackCalls(packCalls([aCall(1, { error: text })], 1, mask))][0]?.[12];
  expect(errorOf(error)).toBe('login of bob with *** failed: token *** is no good');
  expect(errorOf('no '.repeat(10_000))).toHaveLength(HISTORY_TEXT_CHARS_MAX);
});

test('a secret that has a quote in it is masked before quotes are left out, and no piece of it stays', () => {
  const mask = (_: string, text: string) => text.replaceAll('hun"ter2', '***');
  const error = 'cannot use hun"ter2 for "the key"';
  expect([...unpackCalls(packCalls([aCall(1, { error })], 1, mask))][0]?.[12]).toBe('cannot use *** for "…"');
});
