import type { Item } from './schemas.ts';

/** `#3 [high, due 2026-12-01] Buy milk`, with `✓` before a completed one. */
export function lineOf(item: Item): string {
  const marks = [
    item.priority !== 'normal' && `${item.priority} priority`,
    item.due !== null && `due ${item.due}`,
  ].filter((mark) => mark !== false);
  return `#${item.id} ${item.done ? '✓ ' : ''}${marks.length > 0 ? `[${marks.join(', ')}] ` : ''}${item.text}`;
}

export function linesOf(items: readonly Item[], total: number): string {
  if (items.length === 0) return 'Nothing on the list.';
  const rest = total > items.length ? [`… and ${total - items.length} more`] : [];
  return [...items.map(lineOf), ...rest].join('\n');
}
