import type { ComponentChildren } from 'preact';

/** Names and what they stand for, side by side. A name stands once. */
export function Pairs({ pairs }: { pairs: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="pairs">
      {pairs.map(([name, value]) => (
        <div key={name} class="pair">
          <dt>{name}</dt>
          <dd class="text">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
