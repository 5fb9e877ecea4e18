import { useEffect, useState } from 'preact/hooks';

/** Drawn at once: more than fill a screen. */
const FIRST_ROWS = 24;
/** Drawn with each later frame, so that none takes long. */
const ROWS_A_FRAME = 16;

/** How many of `count` rows to draw now: what a person sees first, and the rest within the next frames. */
export function useGrowing(count: number): number {
  const [drawn, setDrawn] = useState(FIRST_ROWS);
  const now = Math.min(drawn, Math.max(count, FIRST_ROWS));
  useEffect(() => {
    // A list that became short and long again grows again.
    if (now < drawn) setDrawn(now);
    if (now >= count) return;
    const frame = requestAnimationFrame(() => setDrawn(now + ROWS_A_FRAME));
    return () => cancelAnimationFrame(frame);
  }, [now, drawn, count]);
  return now;
}
