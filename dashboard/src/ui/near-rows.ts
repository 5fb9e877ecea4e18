import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rangeAround } from './virtual-range.ts';

/** Beyond the edges of the window a row counts as near: what a person scrolls to is drawn when he gets there. */
const NEAR_PX = 320;
/** No row is lower, in pixels: so many fill a window at most. */
const ROW_HEIGHT_MIN = 44;

interface NearRows {
  /** For the body of the table. */
  body: RefObject<HTMLTableSectionElement | null>;
  isNear: (at: number) => boolean;
  /** How high the row was when it was drawn last; undefined for one that never was. */
  heightOf: (name: string) => number | undefined;
}

/**
 * Which rows of a long table are in the window or close to it. The others stay in the table with little more than their names, which is
 * cheap, so that searching in the page, Tab and readers of the screen find them; whoever comes near sees them whole. Rows say who they are
 * by `data-row`.
 */
export function useNearRows(rows: readonly unknown[]): NearRows {
  const body = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState({ first: 0, end: 0 });
  const held = useRef<Held | null>(null);
  held.current ??= { near: new Set(), heights: new Map(), width: 0 };
  const { near, heights } = held.current;
  const observer = useRef<IntersectionObserver | null>(null);

  useEffect(() => {
    const watch = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) note(held.current, entry);
        const places = [...near].filter((row) => row.isConnected).map((row) => row.sectionRowIndex);
        // Scrolled past the whole table: then it may rest as it is.
        if (places.length > 0) setRange((before) => rangeAround(places, before));
      },
      { rootMargin: `${NEAR_PX}px 0px` },
    );
    observer.current = watch;
    for (const row of body.current?.rows ?? []) watch.observe(row);
    return () => watch.disconnect();
  }, []);

  // To observe again what is observed changes nothing.
  useLayoutEffect(() => {
    for (const row of body.current?.rows ?? []) observer.current?.observe(row);
  }, [rows]);

  // A list that was narrowed and is whole again fills the window at once.
  const fills = Math.ceil(innerHeight / ROW_HEIGHT_MIN);
  return {
    body,
    isNear: (at) => at >= range.first && at < Math.max(range.end, range.first + fills),
    heightOf: (name) => heights.get(name),
  };
}

// — internal —

interface Held {
  near: Set<HTMLTableRowElement>;
  heights: Map<string, number>;
  /** Of the window, when the heights were taken. */
  width: number;
}

function note(
  held: Held | null,
  { target, isIntersecting, boundingClientRect, rootBounds }: IntersectionObserverEntry,
): void {
  if (held === null || !(target instanceof HTMLTableRowElement)) return;
  if (rootBounds !== null && rootBounds.width !== held.width) {
    held.width = rootBounds.width;
    held.heights.clear();
  }
  if (isIntersecting) {
    held.near.add(target);
    return;
  }
  // It was drawn until now, and is gone from the table if it has no height.
  const name = target.dataset['row'];
  if (held.near.delete(target) && name !== undefined && boundingClientRect.height > 0)
    held.heights.set(name, boundingClientRect.height);
}
