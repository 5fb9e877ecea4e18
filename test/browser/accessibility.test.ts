import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { DAEMON_AWAY, PHONE, test } from './dashboard.ts';
import { test as livelyTest } from './lively-home.ts';
import { routesOf } from './routes.ts';

/** What axe finds on each page, in both colour schemes, at both widths: nothing that it calls serious. */

livelyTest('axe finds nothing serious on any page, in light and in dark', async ({ lively, dashboard }) => {
  expect(lively.claude.exit).toBeUndefined();
  const page = await dashboard.open();
  for (const route of routesOf('weather')) {
    await dashboard.show(page, route);
    expect(await serious(page), route).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    // Nothing else differs between the two.
    expect(await serious(page, ['color-contrast']), `${route} in dark`).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  const phone = await dashboard.open(null, PHONE);
  for (const route of ['#/servers', '#/servers/weather/tools', '#/calls']) {
    await dashboard.show(phone, route);
    expect(await serious(phone), `${route} on a phone`).toEqual([]);
  }
});

test('axe finds nothing serious before somebody signs in, and while the daemon is away', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const stranger = await dashboard.window();
  await stranger.goto(dashboard.origin);
  await stranger.getByText('mcpd dashboard').first().waitFor();
  expect(await serious(stranger)).toEqual([]);
  const page = await dashboard.open(null, {}, DAEMON_AWAY);
  await machine.killDaemon();
  await page.getByRole('status', { name: 'Connection' }).getByText('reconnecting').waitFor();
  expect(await serious(page)).toEqual([]);
  await machine.startDaemon();
});

// — internal —

async function serious(page: Page, rules: string[] | null = null) {
  // The mode without a second window: it is quicker, and misses frames of other sites only.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (rules === null ? axe : axe.withRules(rules)).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`) }));
}
