import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import './tabs.css';

interface TabsProps<T extends string> {
  /** What the tabs are of, for readers: `weather`. */
  label: string;
  tabs: readonly { id: T; label: string; count?: number | undefined }[];
  chosen: T;
  onChoose: (id: T) => void;
  /** The panel of the chosen tab. */
  children: ComponentChildren;
}

/** Tabs as WAI-ARIA has them: arrow keys, Home and End move and choose; one step by Tab leads on to the panel. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === chosen);
    const to = placeAfter(event.key, at, tabs.length);
    const tab = to === null ? undefined : tabs[to];
    if (tab === undefined) return;
    event.preventDefault();
    onChoose(tab.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${tab.id}"]`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ id, label: name, count }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            data-tab={id}
            aria-selected={id === chosen}
            aria-controls={id === chosen ? `panel-${id}` : undefined}
            tabIndex={id === chosen ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {name}
            {count === undefined ? null : <span class="count">{count}</span>}
          </button>
        ))}
      </div>
      <div class="panel" role="tabpanel" id={`panel-${chosen}`} aria-labelledby={`tab-${chosen}`} key={chosen}>
        {children}
      </div>
    </>
  );
}

// — internal —

/** Where a key leads in a row of `count` places; null for a key that means nothing there. */
function placeAfter(key: string, at: number, count: number): number | null {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
