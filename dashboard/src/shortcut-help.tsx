import { allShortcuts, helpIsOpen } from './shortcuts.ts';
import { Dialog } from './ui/dialog.tsx';

/** The dialog behind `?`. */
export function ShortcutHelp() {
  if (!helpIsOpen.value) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (helpIsOpen.value = false)}>
      <ShortcutList />
    </Dialog>
  );
}

export function ShortcutList() {
  return (
    <dl class="shortcuts">
      {allShortcuts().map(({ keys, does }) => (
        <div key={keys}>
          <dt>
            {keys.split(' ').map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
