import type { ComponentChildren } from 'preact';
import type { Tone } from './tone.ts';

/** A dot and its word. The dots differ by shape as well, so that nobody needs the colour. */
export function StateDot({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class="state-dot" data-tone={tone}>
      {children}
    </span>
  );
}

/** A small word with a frame: a count, a kind, an outcome. */
export function Badge({ tone, children }: { tone?: Tone | undefined; children: ComponentChildren }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}
