/** Rows above and below the visible ones, so that scrolling shows no gap. */
const SPARE_ROWS = 8;

/** Places in a list, from `first` up to, without, `end`. */
interface Range {
  first: number;
  end: number;
}

/** Which rows of equal height to draw. Pure. */
export function rowsToDraw(view: { top: number; height: number; rowHeight: number; count: number }): Range {
  const { top, height, rowHeight, count } = view;
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight) - SPARE_ROWS));
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE_ROWS);
  return { first, end: Math.max(first, end) };
}

/** Where to scroll so that row `at` is whole in view; the same place when it is. */
export function topToShow(at: number, view: { top: number; height: number; rowHeight: number }): number {
  const { top, height, rowHeight } = view;
  if (at * rowHeight < top) return at * rowHeight;
  return Math.max(top, (at + 1) * rowHeight - height);
}

/** The range that holds all of these places, of which there is one at least; the same object when it is the same range. Pure. */
export function rangeAround(places: readonly number[], before: Range): Range {
  const first = Math.min(...places);
  const end = Math.max(...places) + 1;
  return first === before.first && end === before.end ? before : { first, end };
}
