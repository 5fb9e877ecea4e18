import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gather, headOf, tailOf } from './gather.ts';

const bytes = (...pieces: string[]) => pieces.map((piece) => Buffer.from(piece));
const lines = fc.array(
  fc.array(fc.string({ unit: fc.constantFrom('a', '\n', 'ü'), maxLength: 40 }), { minLength: 1, maxLength: 4 }),
  { maxLength: 8 },
);

describe('gather', () => {
  test('every line leaves whole, in order, with one newline', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 0, max: 100 }), (texts, max) => {
        const written = Buffer.concat(
          gather(
            texts.map((pieces) => bytes(...pieces)),
            max,
          ),
        ).toString();
        const expected = texts
          .map((pieces) => pieces.join(''))
          .map((line) => (line.endsWith('\n') ? line : `${line}\n`));
        expect(written).toBe(expected.join(''));
      }),
    );
  });

  test('short lines become one buffer', () => {
    const [one, two] = [bytes('{"id":1}\n'), bytes('{"id":', '2', '}')];
    expect(gather([one, two], 64).map(String)).toEqual(['{"id":1}\n{"id":2}\n']);
  });

  test('a long piece is not copied', () => {
    const long = Buffer.alloc(100, 'x');
    const gathered = gather([bytes('a\n'), [Buffer.from('{'), long, Buffer.from('}\n')]], 64);
    expect(gathered).toContain(long);
    expect(Buffer.concat(gathered).toString()).toBe(`a\n{${'x'.repeat(100)}}\n`);
  });

  test('a single buffer that is ready is passed as it is', () => {
    const ready = Buffer.from('{}\n');
    expect(gather([[ready]], 64)[0]).toBe(ready);
  });
});

describe('the ends of a line', () => {
  test('are the same wherever the chunks are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary-ascii', maxLength: 9 }), { maxLength: 9 }),
        fc.integer({ min: 1, max: 40 }),
        (pieces, max) => {
          const whole = pieces.join('');
          expect(headOf(bytes(...pieces), max).toString()).toBe(whole.slice(0, max));
          expect(tailOf(bytes(...pieces), max).toString()).toBe(whole.slice(-max));
        },
      ),
    );
  });
});
