import fc from 'fast-check';
import { expect, test } from 'vitest';
import { skipString } from './string-skip.ts';

/** The same by looking at each byte: the first byte that is neither plain nor part of a valid escape that the chunk holds whole. */
function firstSpecial(chunk: Uint8Array, from: number): number {
  let at = from;
  while (at < chunk.length) {
    const rest = Buffer.from(chunk.subarray(at, at + 6)).toString('latin1');
    const passed = /^(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))/s.exec(rest);
    if (passed === null || rest < ' ') break;
    at += passed[0].length;
  }
  return at;
}

const PARTS = [
  '\\"',
  '\\\\',
  '\\n',
  '\\u00e9',
  '\\uD83D\\uDE00',
  'plain text ',
  'x',
  'é',
  '日本',
  '😀',
  '\\/',
  "it's ",
];
const BAD = ['"', '\\x', '\\u12g4', '\n', '\t', '\0', '\\\n', '\\', '\\u', '\\é'];

/** Content of a string, with something special near its end. */
const content = fc
  .tuple(
    fc.array(fc.constantFrom(...PARTS), { maxLength: 60 }),
    fc.integer({ min: 1, max: 60 }),
    fc.constantFrom(...BAD, ''),
    fc.array(fc.constantFrom(...PARTS, ...BAD), { maxLength: 30 }),
  )
  .map(([parts, times, bad, after]) => Buffer.from(parts.join('').repeat(times) + bad + after.join('')));

test('the inside of a string is passed up to its end or its first fault, and never beyond, in short and long strings', () => {
  fc.assert(
    fc.property(content, fc.nat(40), (chunk, padding) => {
      const from = padding;
      const padded = Buffer.concat([Buffer.alloc(padding, '"'), chunk]);
      const answer = skipString(padded, from);
      const at = answer < 0 ? ~answer : answer;
      const special = firstSpecial(padded, from);
      expect(at).toBeGreaterThanOrEqual(from);
      expect(at).toBeLessThanOrEqual(special);
      expect(firstSpecial(padded, at)).toBe(special);
      if (answer >= 0) expect(padded.subarray(from, at).every((byte) => byte < 0x80)).toBe(true);
    }),
    { numRuns: 1500 },
  );
});

test('a long string is passed to within a few bytes of its end, whatever runs of backslashes it has', () => {
  for (let run = 0; run < 40; run++) {
    for (let offset = 0; offset < 20; offset++) {
      const text = Buffer.from(`${'a'.repeat(700 + offset)}${'\\\\'.repeat(run)}${'b'.repeat(100)}"${'c'.repeat(100)}`);
      expect(skipString(text, 0)).toBe(text.indexOf('"'));
    }
  }
});

test('a string larger than the window is passed in one call', () => {
  const text = Buffer.from(`${'line \\"quoted\\" \\u00e9\\n'.repeat(20_000)}"`);
  expect(text.length - skipString(text, 0)).toBeLessThan(22);
});
