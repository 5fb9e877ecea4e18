import { showable } from '../src/text.ts';
import { cutTo, padTo, widthOf } from './width.ts';

export type Paint = (text: string) => string;

export interface Column<Row> {
  title: string;
  cell: (row: Row) => string;
  /** Numbers stand at the right. */
  side?: 'right';
  /** Colours the cell after it was padded. */
  paint?: (row: Row) => Paint;
  /** May be cut when the terminal is narrow. Columns without it keep their text whole. */
  cuttable?: true;
}

const GAP = 2;
/** A cut column keeps at least this much, so that a word of it stays readable. */
const CUT_COLUMNS_MIN = 12;

/**
 * Aligned lines, the first one with titles. `columns` is the width of the terminal, or null when nothing is to be cut (a pipe, a file).
 * Cells are made safe here: whatever a server put into a name or reason, no control character gets through.
 */
export function tableLines<Row>(
  rows: readonly Row[],
  spec: readonly Column<Row>[],
  columns: number | null,
  heading: Paint = (text) => text,
): string[] {
  const cells = rows.map((row) => spec.map((column) => showable(column.cell(row))));
  const natural = spec.map((column, i) =>
    Math.max(widthOf(column.title), ...cells.map((line) => widthOf(line[i] ?? ''))),
  );
  const widths = columns === null ? natural : fitted(natural, spec, columns);
  const line = (texts: string[], paintOf: (i: number) => Paint) =>
    texts
      .map((text, i) => {
        const width = widths[i] ?? 0;
        const cut = cutTo(text, width);
        const isLast = i === spec.length - 1;
        const padded =
          isLast && spec[i]?.side !== 'right' ? cut : padTo(cut, width, spec[i]?.side === 'right' ? 'right' : 'left');
        return paintOf(i)(padded);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const titles = line(
    spec.map((column) => column.title),
    () => heading,
  );
  return [titles, ...rows.map((row, n) => line(cells[n] ?? [], (i) => spec[i]?.paint?.(row) ?? ((text) => text)))];
}

// — internal —

/** Takes what is too much from the widest cuttable columns first. */
function fitted<Row>(natural: number[], spec: readonly Column<Row>[], columns: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1) - columns;
  while (excess > 0) {
    let widest = -1;
    for (const [i, column] of spec.entries()) {
      const width = widths[i] ?? 0;
      if (column.cuttable && width > CUT_COLUMNS_MIN && width > (widths[widest] ?? 0)) widest = i;
    }
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}
