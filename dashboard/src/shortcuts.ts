import { signal } from '@preact/signals';
import { ENTRIES } from './pages/entries.ts';
import { goTo, hrefOf } from './route.ts';

/** Whether the help with all shortcuts is open. */
export const helpIsOpen = signal(false);

/** How long after `g` the second key still counts. */
const SECOND_KEY_MS = 1500;

export interface Shortcut {
  keys: string;
  does: string;
}

export function allShortcuts(): Shortcut[] {
  return [
    { keys: '/', does: 'Search on this page' },
    ...ENTRIES.map(({ shortcut, title }) => ({ keys: `g ${shortcut}`, does: `Go to ${title}` })),
    { keys: '↑ ↓', does: 'Move between rows of a table or list' },
    { keys: '← →', does: 'Move between tabs' },
    { keys: 'Enter', does: 'Open the row' },
    { keys: 'Escape', does: 'Close a dialog, or leave a field' },
    { keys: '?', does: 'Show these shortcuts' },
  ];
}

/** Begins to listen to the keys of the whole page. Keys that are typed into a field, or with a modifier, are not for us. */
export function followShortcuts(): void {
  let pressedG = 0;
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isField(event.target)) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    const follows = performance.now() - pressedG < SECOND_KEY_MS;
    pressedG = 0;
    const entry = follows ? ENTRIES.find(({ shortcut }) => shortcut === event.key) : undefined;
    if (entry !== undefined) goTo(hrefOf(entry.path));
    else if (event.key === 'g') pressedG = performance.now();
    else if (event.key === '?') helpIsOpen.value = true;
    else if (event.key === '/') document.querySelector<HTMLElement>('main [data-search]')?.focus();
    else return;
    event.preventDefault();
  });
}

// — internal —

function isField(target: EventTarget | null): target is HTMLElement {
  return (
    target instanceof HTMLElement && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable)
  );
}
