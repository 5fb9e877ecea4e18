/**
 * For a table: arrow up and down lead from a control of one row to the same one of the next. Fields and open lists keep their keys. Rows
 * say which of their controls is which by `data-at`.
 */
export function moveBetweenRows(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const control = event.target instanceof Element ? event.target.closest('[data-at]') : null;
  const row = control?.closest('tr');
  const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
  const at = control?.getAttribute('data-at');
  const same = next?.querySelector<HTMLElement>(`[data-at="${at}"]`) ?? next?.querySelector<HTMLElement>('a[data-at]');
  if (!same) return;
  event.preventDefault();
  same.focus();
}
