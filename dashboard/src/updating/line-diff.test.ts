import { expect, test } from 'vitest';
import { type DiffLine, lineDiff, valueText } from './line-diff.ts';

const MARKS = { same: ' ', gone: '-', new: '+', gap: '…' } as const;
const told = (lines: DiffLine[]) => lines.map(({ kind, text }) => `${MARKS[kind]}${text}`);
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`).join('\n');

test('what goes stands before what comes in its place, and what is the same between them', () => {
  expect(told(lineDiff('a\nb\nc', 'a\nB\nc\nd'))).toEqual([' a', '-b', '+B', ' c', '+d']);
  expect(told(lineDiff(null, 'a\nb'))).toEqual(['+a', '+b']);
  expect(told(lineDiff('a', null))).toEqual(['-a']);
  expect(told(lineDiff('a\nx\nb\ny\nc', 'a\nb\nc'))).toEqual([' a', '-x', ' b', '-y', ' c']);
});

test('lines far from any change are counted', () => {
  expect(told(lineDiff(`${lines(1, 9)}\nold`, `${lines(1, 9)}\nnew`))).toEqual([
    '…7 lines the same',
    ' 8',
    ' 9',
    '-old',
    '+new',
  ]);
});

test('a text that is too long to be compared goes as a whole', () => {
  const [before, after] = [lines(1, 1500), lines(2000, 3500)];
  const all = told(lineDiff(before, after));
  expect([all.length, all[0], all[1500]]).toEqual([3001, '-1', '+2000']);
});

test('a text is read without its quotes, a schema over several lines, and nothing of either hides', () => {
  expect(valueText('"Reads a file\\nand more"')).toBe('Reads a file\nand more');
  expect(valueText('"safe\\u202eevil"')).toBe('safe\\u202eevil');
  expect(valueText('{"type":"object"}')).toBe('{\n  "type": "object"\n}');
  expect(valueText('{"type":"obj… (9000 characters)')).toBe('{"type":"obj… (9000 characters)');
  expect(valueText(null)).toBeNull();
});
