import type { ComponentChildren } from 'preact';
import { reportOf } from '../api.ts';
import { Command } from './code.tsx';
import { Icon, type IconName } from './icon.tsx';

/** In place of what is not there: what it would be, and how it comes to be. */
export function Empty({ icon, title, children }: { icon?: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      {icon === undefined ? null : <Icon name={icon} />}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** In place of what could not be got: what happened, why, and what to try. */
export function ErrorNote({ thrown, children }: { thrown: unknown; children?: ComponentChildren }) {
  const { what, why, fix } = reportOf(thrown);
  return (
    <div class="error-note" role="alert">
      <p>
        <Icon name="warning" />
        <strong>{what}</strong>
      </p>
      {why ? <p class="soft why">{why}</p> : null}
      {fix ? <Command text={fix} /> : null}
      {children}
    </div>
  );
}
