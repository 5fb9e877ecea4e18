import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe calls serious or worse on the page as it stands; by all of its rules unless some are named. */
export async function seriousIn(page: Page, rules: string[] | null = null) {
  const only = rules === null ? {} : { runOnly: { type: 'rule' as const, values: rules } };
  // The mode without a second window: it is quicker, and misses frames of other sites only.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await axe.options({ resultTypes: ['violations'], ...only }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`) }));
}
