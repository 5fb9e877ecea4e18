import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { focusMain } from './focus.ts';
import { Icon, type IconName } from './icon.tsx';
import { failed } from './toasts.tsx';

interface ButtonProps {
  /**
   * What it does. While a promise is open the button waits, unless it says something else by then: one that was Start and is Stop now can be
   * pressed. What the promise throws is told in a toast.
   */
  onPress: () => unknown;
  children?: ComponentChildren;
  icon?: IconName;
  /** For a button that is an icon only, or whose words do not say enough by themselves: `Restart weather`. */
  label?: string;
  kind?: 'plain' | 'main' | 'quiet' | 'danger';
  disabled?: boolean;
  /** For one that is on or off. */
  pressed?: boolean;
}

export function Button({ onPress, children, icon, label, kind = 'plain', disabled, pressed }: ButtonProps) {
  const says = label ?? (typeof children === 'string' ? children : '');
  const [busyWith, setBusyWith] = useState<{ says: string } | null>(null);
  const isBusy = busyWith?.says === says;
  const last = useRef({ says });
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () => () => {
      // A button that has done its work and goes: the keyboard stays in the page.
      if (document.activeElement === button.current) focusMain();
    },
    [],
  );
  const press = (event: MouseEvent) => {
    // The second click of a double click meant what the button said at the first.
    if (isBusy || (event.detail > 1 && last.current.says !== says)) return;
    const mine = { says };
    last.current = mine;
    const done = onPress();
    if (!(done instanceof Promise)) return;
    setBusyWith(mine);
    done
      // A start that ends because Stop was pressed meanwhile is no failure to tell of.
      .catch((thrown) => last.current === mine && failed(thrown))
      .finally(() => setBusyWith((current) => (current === mine ? null : current)));
  };
  return (
    <button
      ref={button}
      type="button"
      class="button"
      data-kind={kind}
      data-bare={children === undefined ? '' : undefined}
      onClick={press}
      onKeyDown={pressOnce}
      disabled={disabled}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-busy={isBusy}
      aria-pressed={pressed}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

// — internal —

/** Enter that is held down would press again and again, and so also whatever the button says next. */
function pressOnce(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.repeat) event.preventDefault();
}
