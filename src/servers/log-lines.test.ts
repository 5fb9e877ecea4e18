import { expect, test } from 'vitest';
import { type CutLine, LineCutter, LineRing, type LogLine, RepeatFolder, withCutMark } from './log-lines.ts';

function cut(bytesMax: number, ...chunks: (string | Buffer)[]): CutLine[] {
  const lines: CutLine[] = [];
  const cutter = new LineCutter(bytesMax, (line) => lines.push(line));
  for (const chunk of chunks) cutter.push(Buffer.from(chunk));
  cutter.settle();
  return lines;
}
const texts = (lines: { text: string }[]) => lines.map((line) => line.text);
const line = (text: string, at = 1, more: Partial<LogLine> = {}): LogLine => ({
  at,
  source: 'stderr',
  level: 'info',
  text,
  ...more,
});

test('lines are the same however their bytes arrive', () => {
  const bytes = Buffer.from('first\r\nzweite ü 日本\n\nlast without end');
  const whole = texts(cut(100, bytes));
  expect(whole).toEqual(['first', 'zweite ü 日本', '', 'last without end']);
  for (const size of [1, 2, 3, 7]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, index * size + size),
    );
    expect(texts(cut(100, ...pieces))).toEqual(whole);
  }
});

test('a line over the maximum is cut between characters, and says by how much', () => {
  const [long, next] = cut(10, `${'é'.repeat(4)}a日本語\nnext\n`);
  expect(long).toEqual({ text: 'ééééa', cutBytes: 8 });
  expect(next?.text).toBe('next');
  expect(withCutMark(long?.text ?? '', long?.cutBytes ?? 0)).toBe('ééééa … [cut, 8 more bytes]');
  expect(withCutMark('whole', 0)).toBe('whole');
});

test('an endless line is kept to its beginning', () => {
  const chunks = Array.from({ length: 1000 }, () => Buffer.alloc(1000, 'e'));
  expect(cut(50, ...chunks)).toEqual([{ text: 'e'.repeat(50), cutBytes: 1000 * 1000 - 50 }]);
});

test('equal lines in a row are written once and counted', () => {
  const folder = new RepeatFolder();
  const out = [line('a', 1), line('a', 2), line('a', 3), line('b', 4), line('b', 5, { level: 'warn' })].flatMap((one) =>
    folder.push(one),
  );
  expect(out).toEqual([
    line('a', 1),
    line('… [the line above 2 times more]', 3),
    line('b', 4),
    line('b', 5, { level: 'warn' }),
  ]);
});

test('a count is written without waiting for another line when asked for', () => {
  const folder = new RepeatFolder();
  folder.push(line('a'));
  expect(folder.unfinished).toBe(false);
  folder.push(line('a'));
  expect(folder.unfinished).toBe(true);
  expect(texts(folder.settle())).toEqual(['… [the line above once more]']);
  expect(folder.push(line('a'))).toEqual([]);
  expect(folder.settle()).toHaveLength(1);
  expect(folder.settle()).toEqual([]);
});

test('the memory of last lines is bounded in lines and in bytes', () => {
  const ring = new LineRing(3, 100);
  for (let at = 1; at <= 5; at++) ring.push(line(`line ${at}`, at));
  expect(texts(ring.last(10, null))).toEqual(['line 3', 'line 4', 'line 5']);
  expect(texts(ring.last(1, null))).toEqual(['line 5']);
  expect(texts(ring.last(10, 4))).toEqual(['line 4', 'line 5']);
  expect(ring.last(0, null)).toEqual([]);
  ring.push(line('x'.repeat(95), 6));
  ring.push(line('y'.repeat(500), 7));
  expect(texts(ring.last(10, null))).toEqual(['y'.repeat(500)]);
});
