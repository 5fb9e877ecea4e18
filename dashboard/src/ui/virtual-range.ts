/** Rows above and below the visible ones, so that scrolling shows no gap. */
const SPARE_ROWS = 8;

/** Which rows of equal height to draw: from `first` up to, without, `end`. Pure. */
export function rowsToDraw(view: { top: number; height: number; rowHeight: number; count: number }): {
  first: number;
  end: number;
} {
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
