import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byteLength, type Edit, idKey, join, line, slice, splice } from './bytes.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', 'é', '日', '😀'), maxLength: 200 });

/** `whole` in the pieces that `borders` cut it into. */
function cut(whole: Buffer, borders: readonly number[]): Buffer[] {
  const sorted = [...borders.map((border) => border % (whole.length + 1)), whole.length].sort((a, b) => a - b);
  return sorted.map((to, index) => whole.subarray(sorted[index - 1] ?? 0, to));
}

describe('join and slice', () => {
  test('a single piece is given as it is', () => {
    const only = Buffer.from('{}');
    expect(join([only])).toBe(only);
    expect(join([])).toHaveLength(0);
  });

  test('a span of the pieces is the span of the whole, and no copy', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(900), { maxLength: 6 }), fc.nat(900), fc.nat(900), (content, borders, a, b) => {
        const whole = Buffer.from(content);
        const pieces = cut(whole, borders);
        const [start, end] = [Math.min(a, b) % (whole.length + 1), Math.max(a, b) % (whole.length + 1)].sort(
          (x, y) => x - y,
        );
        const span = { start: start ?? 0, end: end ?? 0 };
        const sliced = slice(pieces, span);
        expect(Buffer.concat(sliced).equals(whole.subarray(span.start, span.end))).toBe(true);
        expect(byteLength(sliced)).toBe(span.end - span.start);
        for (const piece of sliced) expect(piece.buffer).toBe(whole.buffer);
        expect(Buffer.from(join(pieces)).equals(whole)).toBe(true);
      }),
    );
  });
});

describe('splice', () => {
  const edit = fc.record({
    a: fc.nat(900),
    b: fc.nat(900),
    with: fc.oneof(
      text,
      text.map((content) => Buffer.from(content)),
    ),
  });

  test('edits in any order give the line with them made and a newline, in one buffer up to the limit and else without copying', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.nat(900), { maxLength: 5 }),
        fc.array(edit, { maxLength: 4 }),
        fc.nat(600),
        (content, borders, wanted, max) => {
          const whole = Buffer.from(content);
          const points = wanted
            .flatMap(({ a, b }) => [a % (whole.length + 1), b % (whole.length + 1)])
            .sort((a, b) => a - b);
          const edits: Edit[] = wanted.map((one, index) => ({
            start: points[2 * index] ?? 0,
            end: points[2 * index + 1] ?? 0,
            with: one.with,
          }));
          const expected: Uint8Array[] = [];
          let at = 0;
          for (const one of edits) {
            expected.push(whole.subarray(at, one.start), Buffer.from(one.with));
            at = one.end;
          }
          expected.push(whole.subarray(at), Buffer.from('\n'));
          const shuffled = edits.every(({ start, end }) => start < end) ? [...edits].reverse() : edits;
          const out = splice(cut(whole, borders), whole.length, shuffled, max);
          expect(Buffer.concat(out).toString()).toBe(Buffer.concat(expected).toString());
          if (byteLength(out) <= max) expect(out).toHaveLength(1);
          else
            expect(out.filter(({ buffer }) => buffer === whole.buffer).length).toBeGreaterThanOrEqual(
              at < whole.length ? 1 : 0,
            );
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('an insertion comes before a replacement at the same place, and insertions stay in their order', () => {
    const edits = [
      { start: 1, end: 2, with: 'X' },
      { start: 1, end: 1, with: '1' },
      { start: 1, end: 1, with: '2' },
    ];
    expect(Buffer.concat(splice([Buffer.from('abc')], 3, edits, 100)).toString()).toBe('a12Xc\n');
  });

  test('edits that overlap or lie outside are a mistake', () => {
    const bytes = [Buffer.from('0123456789')];
    for (const edits of [
      [
        { start: 0, end: 5, with: '' },
        { start: 4, end: 6, with: '' },
      ],
      [{ start: 5, end: 11, with: '' }],
      [{ start: 5, end: 4, with: '' }],
      [{ start: -1, end: 4, with: '' }],
    ]) {
      expect(() => splice(bytes, 10, edits, 100)).toThrow(RangeError);
    }
  });

  test('the body of a large message is not copied', () => {
    const body = Buffer.alloc(100_000, 'x');
    const out = splice([Buffer.from('{"id":1,'), body], 100_008, [{ start: 6, end: 7, with: '"abc"' }], 64 * 1024);
    expect(out.map((piece) => piece.length)).toEqual([6, 5, 1, 100_000, 1]);
    expect(out).toContainEqual(body);
    expect(out.find((piece) => piece.length === body.length)?.buffer).toBe(body.buffer);
  });
});

test('a line of our own ends with a newline', () => {
  expect(Buffer.concat(line('{"é":1}')).toString()).toBe('{"é":1}\n');
});

describe('idKey', () => {
  test.each([
    [['1', '1.0', '1e0', '10e-1', '0.1E1', '1.000', '100e-2']],
    [['0', '-0', '0.0', '0e5', '-0.0e-9']],
    [['-1500', '-1.5e3', '-15E+2']],
    [['9007199254740993', '9007199254740993.0', '9.007199254740993e15']],
    [['"a"', '"\\u0061"']],
    [['"é"', '"\\u00e9"', '"\\u00E9"']],
    [['"/"', '"\\/"']],
    [['"\\n"', '"\\u000a"']],
    [[`1${'0'.repeat(2000)}`, '1e2000', '10e1999']],
  ])('one id in different spellings has one key: %j', (ids) => {
    expect(new Set(ids.map(idKey)).size).toBe(1);
  });

  test('different ids have different keys', () => {
    const ids = [
      '1',
      '"1"',
      '-1',
      '1.5',
      '15',
      '0.15',
      '"1.0"',
      '9007199254740992',
      '9007199254740993',
      '"a"',
      '"A"',
      '""',
      '1e2000',
      '1e-2000',
      '1e99999999999999999999',
    ];
    expect(new Set(ids.map(idKey)).size).toBe(ids.length);
  });

  test('plain ids are their own keys', () => {
    for (const id of ['0', '42', '-7', '18446744073709551615', '"x"', '"日本"']) expect(idKey(id)).toBe(id);
  });

  test('numbers have one key exactly when they are equal', () => {
    const number = fc.tuple(fc.bigInt({ min: -10_000n, max: 10_000n }), fc.integer({ min: -4, max: 4 }));
    fc.assert(
      fc.property(number, number, ([a, aPower], [b, bPower]) => {
        const isEqual = a * 10n ** BigInt(aPower + 4) === b * 10n ** BigInt(bPower + 4);
        expect(idKey(`${a}e${aPower}`) === idKey(`${b}e${bPower}`)).toBe(isEqual);
        expect(idKey(`${a}e${aPower}`)).toBe(idKey(`${a}0e${aPower - 1}`));
      }),
    );
  });
});
