import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rowsToDraw, topToShow } from './virtual-range.ts';
import './virtual-list.css';

interface VirtualListProps<T> {
  items: readonly T[];
  keyOf: (item: T, at: number) => string | number;
  /** One row, of exactly `rowHeight` pixels. */
  render: (item: T, at: number) => ComponentChildren;
  rowHeight: number;
  label: string;
  /** Enter, or a click, on a row; arrow keys move between rows. Without it the list only scrolls. */
  onOpen?: ((item: T, at: number) => void) | undefined;
  /** Stays at the newest row, which is the last, until somebody scrolls up. */
  followsEnd?: boolean;
  /** Somebody scrolled away from the end, or back to it. */
  onFollow?: ((follows: boolean) => void) | undefined;
}

/** A list that draws what is in view. Takes the height that its place gives it (`.virtual-list` has a default). */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, keyOf, render, rowHeight, label, onOpen, followsEnd = false, onFollow } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(0);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && followsEnd) element.scrollTop = element.scrollHeight;
  }, [items, followsEnd]);

  const onScroll = (event: { currentTarget: HTMLElement }) => {
    const { scrollTop, clientHeight, scrollHeight } = event.currentTarget;
    setView({ top: scrollTop, height: clientHeight });
    onFollow?.(scrollTop + clientHeight >= scrollHeight - rowHeight);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (onOpen === undefined || event.target !== box.current) return;
    const item = items[active];
    if (event.key === 'Enter' && item !== undefined) return onOpen(item, active);
    const to = rowAfter(event.key, active, items.length, Math.floor(view.height / rowHeight));
    if (to === null) return;
    event.preventDefault();
    setActive(to);
    box.current?.scrollTo({ top: topToShow(to, { ...view, rowHeight }) });
  };

  // Rows that come fast would be gone by the time that the browser tells where it has scrolled to.
  const top = followsEnd ? Math.max(0, items.length * rowHeight - view.height) : view.top;
  const { first, end } = rowsToDraw({ top, height: view.height, rowHeight, count: items.length });
  const opens = onOpen !== undefined;
  const isDrawn = active >= first && active < end;
  const boxRole = opens
    ? { role: 'listbox' as const, 'aria-activedescendant': isDrawn ? `${id}-${active}` : undefined }
    : { role: 'list' as const };
  const rowRole = (at: number) => ({
    'aria-setsize': items.length,
    'aria-posinset': at + 1,
    ...(opens ? { role: 'option' as const, 'aria-selected': at === active } : { role: 'listitem' as const }),
  });
  return (
    <div class="virtual-list" ref={box} {...boxRole} {...{ tabIndex: 0, 'aria-label': label, onScroll, onKeyDown }}>
      <div class="virtual-space" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first, end).map((item, offset) => {
          const at = first + offset;
          const open = () => {
            setActive(at);
            onOpen?.(item, at);
          };
          return (
            <div
              key={keyOf(item, at)}
              id={`${id}-${at}`}
              class="virtual-row"
              style={{ transform: `translateY(${at * rowHeight}px)`, height: `${rowHeight}px` }}
              {...rowRole(at)}
              {...(opens ? { onClick: open } : {})}
            >
              {render(item, at)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

// — internal —

function rowAfter(key: string, at: number, count: number, page: number): number | null {
  if (count === 0) return null;
  const steps: Record<string, number> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  return step === undefined ? null : Math.max(0, Math.min(count - 1, at + step));
}
