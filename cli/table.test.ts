import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Column, tableLines } from './table.ts';
import { widthOf } from './width.ts';

interface Row {
  name: string;
  calls: number;
  reason: string;
}
const spec: Column<Row>[] = [
  { title: 'NAME', cell: (row) => row.name },
  { title: 'CALLS', cell: (row) => String(row.calls), side: 'right' },
  { title: 'REASON', cell: (row) => row.reason, cuttable: true },
];

test('columns are aligned by what they take on the screen', () => {
  const rows = [
    { name: '天気', calls: 7, reason: 'ok' },
    { name: 'todo', calls: 1200, reason: '' },
  ];
  expect(tableLines(rows, spec, null)).toEqual(['NAME  CALLS  REASON', '天気      7  ok', 'todo   1200']);
});

test('a narrow terminal cuts the column that may be cut and leaves names whole', () => {
  const rows = [{ name: 'filesystem', calls: 3, reason: 'its last line on stderr was: no such folder /home/nobody' }];
  const lines = tableLines(rows, spec, 50);
  expect(Math.max(...lines.map(widthOf))).toBe(50);
  expect(lines[1]).toMatch(/^filesystem {6}3 {2}its last line.*…$/);
});

test('a table without rows is its titles', () => {
  expect(tableLines([], spec, 80)).toEqual(['NAME  CALLS  REASON']);
});

test('colours are put around the padded cell, so that they do not move columns', () => {
  const painted = spec.map((column, i) =>
    i === 0 ? { ...column, paint: () => (text: string) => `<${text}>` } : column,
  );
  expect(tableLines([{ name: 'a', calls: 1, reason: '' }], painted, null)[1]).toBe('<a   >      1');
});

test('no control character of a cell reaches a line', () => {
  const text = fc.array(fc.integer({ min: 0, max: 0x2fff })).map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: text, calls: fc.nat(), reason: text })),
      fc.constantFrom(null, 20, 80),
      (rows, columns) => tableLines(rows, spec, columns).every((line) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(line)),
    ),
  );
});
