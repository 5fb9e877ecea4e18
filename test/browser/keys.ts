import type { Page } from 'playwright-core';

/** Presses of Tab after which a page that was not left goes round in circles. */
export const STOPS_MAX = 200;

/** Presses Tab until that control has the focus. @throws {Error} none does */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no Tab leads to ${name}`);
}

/** How the control that has the focus is called. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null;
    const label = element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent;
    return (label ?? element?.textContent ?? '').trim();
  });
}
