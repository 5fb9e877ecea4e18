/** Where the keyboard goes on when what had the focus is gone, or another page was opened. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}
