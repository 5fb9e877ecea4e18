import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutTo, padTo, widthOf } from './width.ts';

test.each([
  ['abc', 3],
  ['東京', 4],
  ['e\u0301', 1],
  ['🙂', 2],
  ['☀️', 1],
  ['Größe', 5],
  ['', 0],
])('%j takes %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

test('a cut text never takes more columns than it was given, and says that it was cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 40 }), (text, columns) => {
      const cut = cutTo(text, columns);
      return widthOf(cut) <= columns && (cut === text || columns === 0 || cut.endsWith('…'));
    }),
  );
  expect(cutTo('東京都', 4)).toBe('東…');
});

test('padding fills to the column on either side', () => {
  expect(padTo('東', 4)).toBe('東  ');
  expect(padTo('7', 3, 'right')).toBe('  7');
  expect(padTo('long', 2)).toBe('long');
});
