import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import {
  RECORDING_FRAME_BYTES_MAX,
  RECORDING_HEAD_BYTES,
  RECORDING_NAME_CHARS_MAX,
  RECORDING_TAIL_BYTES,
} from '../recorder-limits.ts';
import { maskOf } from '../servers/masking.ts';
import { keptName, keptOf } from './keeping.ts';

const SECRET = 'tr0ub4dor-and-a-long-enough-3xample';
const mask = maskOf([SECRET]);

test('a message is kept whole, without its newline', () => {
  expect(keptOf([Buffer.from('{"a":'), Buffer.from('1}\n')], mask)).toEqual({ text: '{"a":1}', cut: 0, masked: false });
});

test('nothing of a message lives on behind the part of it that is kept', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const padded = () => [Buffer.from(`{"jsonrpc":"2.0"}${' '.repeat(RECORDING_FRAME_BYTES_MAX - 100)}\n`)];
  collect();
  const before = process.memoryUsage().heapUsed;
  const texts = Array.from({ length: 300 }, () => keptOf(padded(), mask).text);
  const names = Array.from({ length: 300 }, (_, nth) => keptName(`${nth}`.padEnd(RECORDING_FRAME_BYTES_MAX), mask));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5 * 1024 * 1024);
  expect([texts[0], names[0]?.length]).toEqual(['{"jsonrpc":"2.0"}', RECORDING_NAME_CHARS_MAX]);
});

test('a known secret is hidden, plain and in base64 at any offset', () => {
  for (const before of ['', 'x', 'xy', 'user:']) {
    const coded = Buffer.from(`${before}${SECRET}!`).toString('base64');
    const { text, masked } = keptOf([Buffer.from(`{"a":"${SECRET}","b":"${coded}"}`)], mask);
    expect(masked).toBe(true);
    expect(text).not.toContain(SECRET);
    expect(Buffer.from(coded, 'base64').toString()).toContain(SECRET);
    expect(text).not.toContain(coded.slice(4, -4));
  }
});

test('of a long message the beginning and the end are kept, and how much is missing', () => {
  const long = `{"begin":"${'x'.repeat(3 * RECORDING_FRAME_BYTES_MAX)}","end":1}`;
  const { text, cut } = keptOf([Buffer.from(long)], mask);
  expect(text.startsWith('{"begin":"xxx')).toBe(true);
  expect(text.endsWith('xxx","end":1}')).toBe(true);
  expect(text).toContain(`[${cut} bytes left out]`);
  expect(cut).toBe(long.length - RECORDING_HEAD_BYTES - RECORDING_TAIL_BYTES);
});

test('a secret across any place where a message is cut is hidden', () => {
  const size = 2 * RECORDING_FRAME_BYTES_MAX;
  for (const cutAt of [RECORDING_HEAD_BYTES, size - RECORDING_TAIL_BYTES]) {
    for (let shift = 0; shift <= SECRET.length; shift++) {
      const at = cutAt - shift;
      const long = `${'x'.repeat(at)}${SECRET}${'x'.repeat(size - at - SECRET.length)}`;
      const { text } = keptOf([Buffer.from(long)], mask);
      // Fewer than six characters give nothing away.
      for (let from = 0; from + 6 <= SECRET.length; from++) expect(text).not.toContain(SECRET.slice(from, from + 6));
    }
  }
});

test('a character that is cut in two leaves nothing behind', () => {
  for (const pad of ['', 'x', 'xx']) {
    const { text } = keptOf([Buffer.from(pad + 'ü€😀'.repeat(RECORDING_FRAME_BYTES_MAX / 4))], mask);
    expect(text).not.toContain('\ufffd');
  }
});
