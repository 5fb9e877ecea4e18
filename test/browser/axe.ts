import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe calls serious or worse on the page as it stands; by all of its rules unless some are named. */
export async function seriousIn(page: Page, rules: string[] | null = null) {
  // The mode without a second window: it is quicker, and misses frames of other sites only.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (rules === null ? axe : axe.withRules(rules)).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`) }));
}
