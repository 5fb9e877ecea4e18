import { shown } from '../text.ts';

/** How one text became another, line by line, as people read it. Pure. */

/** `gap` stands for lines that are the same: `text` says how many. */
export interface DiffLine {
  kind: 'same' | 'gone' | 'new' | 'gap';
  text: string;
}

/** Lines around a change that are shown with it. */
const CONTEXT_LINES = 2;
/** Of the table that finds what is the same: above it all of the old goes, and all of the new comes. */
const CELLS_MAX = 1_000_000;

/** Null is a text that was not there, or is not any more. */
export function lineDiff(before: string | null, after: string | null): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  const middle = changed(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  return folded([
    ...old.slice(0, head).map(line('same')),
    ...middle,
    ...old.slice(old.length - tail).map(line('same')),
  ]);
}

/** A value of an entry as people read it: a text without quotes, a schema over several lines. What was cut is no JSON any more. */
export function valueText(json: string | null): string | null {
  if (json === null) return null;
  try {
    const value: unknown = JSON.parse(json);
    return shown(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  } catch {
    return shown(json); // Cut at its end, and safe to show as it came.
  }
}

// — internal —

function linesOf(text: string | null): string[] {
  return text === null ? [] : text.split('\n');
}

function line(kind: DiffLine['kind']): (text: string) => DiffLine {
  return (text) => ({ kind, text });
}

/** What goes stands before what comes in its place. */
function changed(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > CELLS_MAX) return [...old.map(line('gone')), ...fresh.map(line('new'))];
  const common = lengths(old, fresh);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [one, other] = [old[i], fresh[j]];
    if (one !== undefined && one === other) {
      lines.push({ kind: 'same', text: one });
      i++;
      j++;
    } else if (one !== undefined && (other === undefined || at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push({ kind: 'gone', text: one });
      i++;
    } else {
      lines.push({ kind: 'new', text: other ?? '' });
      j++;
    }
  }
  return lines;
}

/** Of the longest common part of what follows each pair of places. */
function lengths(old: readonly string[], fresh: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const row = rows[i];
      if (row === undefined) continue;
      row[j] = old[i] === fresh[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  }
  return rows;
}

function at(rows: readonly Uint16Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}

/** Without the lines that are the same and far from any change. */
function folded(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ kind }) => kind !== 'same');
  const shownLines: DiffLine[] = [];
  let left = 0;
  const tell = () => {
    if (left > 0) shownLines.push({ kind: 'gap', text: left === 1 ? '1 line the same' : `${left} lines the same` });
    left = 0;
  };
  for (const [index, one] of lines.entries()) {
    if (!isNear(index)) left++;
    else {
      tell();
      shownLines.push(one);
    }
  }
  tell();
  return shownLines;
}
