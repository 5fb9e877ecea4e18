import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';
import { failed } from './toasts.tsx';

interface ButtonProps {
  /** What it does. While a promise is open the button waits; what it throws is told in a toast. */
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
  const [isBusy, setBusy] = useState(false);
  const press = () => {
    if (isBusy) return;
    const done = onPress();
    if (!(done instanceof Promise)) return;
    setBusy(true);
    done.catch(failed).finally(() => setBusy(false));
  };
  return (
    <button
      type="button"
      class="button"
      data-kind={kind}
      data-bare={children === undefined ? '' : undefined}
      onClick={press}
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
