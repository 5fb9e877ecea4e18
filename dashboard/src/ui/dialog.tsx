import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { focusMain } from './focus.ts';
import { Icon } from './icon.tsx';
import './dialog.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons, below. */
  actions?: ComponentChildren;
}

/**
 * Shown for as long as it is part of the page. The browser's own: it keeps the focus inside, and Escape closes it. What has `data-first`
 * gets the focus, else the first control.
 */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      // What opened it may be gone, or take no focus any more: a button that has done its work.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      if (document.activeElement !== before || before === document.body) focusMain();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, by the browser
    <dialog
      class="dialog"
      ref={dialog}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2 id={titleId}>{title}</h2>
          <button
            type="button"
            class="button"
            data-kind="quiet"
            data-bare
            aria-label="Close"
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {children}
        {actions === undefined ? null : <footer>{actions}</footer>}
      </div>
    </dialog>
  );
}
