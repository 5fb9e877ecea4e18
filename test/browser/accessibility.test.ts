import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { seriousIn } from './axe.ts';
import { DAEMON_AWAY, PHONE, test } from './dashboard.ts';
import { test as livelyTest } from './lively-home.ts';
import { routesOf } from './routes.ts';

/** What axe finds on each page, in both colour schemes, at both widths: nothing that it calls serious. */

/** A limit against hanging: axe takes seconds for each page. */
const MANY_PAGES_MS = 400_000;

/** Those of one server, and all others. */
const [ofOne = [], others = []] = [true, false].map((isOfOne) =>
  routesOf('weather').filter((route) => route.startsWith('#/servers/') === isOfOne),
);

livelyTest(
  'axe finds nothing serious on any page of a server, in light, in dark and on a phone',
  { timeout: MANY_PAGES_MS },
  async ({ lively, dashboard }) => {
    expect(lively.claude.exit).toBeUndefined();
    const page = await dashboard.open();
    for (const route of ofOne) {
      await dashboard.show(page, route);
      await expectNothingSerious(page, route);
    }
    const phone = await dashboard.open(null, PHONE);
    for (const route of ['#/servers', '#/servers/weather/tools', '#/calls']) {
      await dashboard.show(phone, route);
      expect(await seriousIn(phone), `${route} on a phone`).toEqual([]);
    }
  },
);

livelyTest(
  'axe finds nothing serious on any other page, in light and in dark',
  { timeout: MANY_PAGES_MS },
  async ({ lively, dashboard }) => {
    expect(lively.claude.exit).toBeUndefined();
    const page = await dashboard.open();
    for (const route of others) {
      await dashboard.show(page, route);
      await expectNothingSerious(page, route);
    }
  },
);

test('axe finds nothing serious in forms, in what an install would run, and in messages of the protocol and of a recording', {
  timeout: MANY_PAGES_MS,
}, async ({ machine, dashboard }) => {
  await machine.add('forms', 'forms');
  await machine.ok('record', 'forms', 'on');
  const page = await dashboard.open();
  for (const [tab, form] of [
    ['tools', 'choose'],
    ['prompts', 'greet'],
    ['resources', 'forms://'],
  ] as const) {
    await dashboard.show(page, `#/servers/forms/${tab}`);
    await page.getByRole('region', { name: form }).getByRole('button', { name: 'Run' }).waitFor();
    await expectNothingSerious(page, `the form of ${form}`);
  }
  await dashboard.show(page, '#/servers/forms/logs?protocol=1');
  await machine.ok('call', 'forms__release');
  await page.locator('.log-line[data-source="protocol"]').filter({ hasText: 'tools/call' }).first().waitFor();
  await expectNothingSerious(page, 'messages of the protocol');
  await dashboard.show(page, '#/recordings/forms');
  await page.getByRole('listbox', { name: 'Messages' }).getByText('tools/call').first().waitFor();
  await expectNothingSerious(page, 'a recording');
  await dashboard.show(page, '#/catalog?q=airtable');
  await page.getByRole('button', { name: 'Airtable' }).click();
  await page.getByRole('dialog').getByText('It runs, as you').waitFor();
  await expectNothingSerious(page, 'what an install would run');
});

test('axe finds nothing serious before somebody signs in, and while the daemon is away', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const stranger = await dashboard.window();
  await stranger.goto(dashboard.origin);
  await stranger.getByText('mcpd dashboard').first().waitFor();
  await expectNothingSerious(stranger, 'before somebody signs in');
  const page = await dashboard.open(null, {}, DAEMON_AWAY);
  await machine.killDaemon();
  await page.getByRole('status', { name: 'Connection' }).getByText('reconnecting').waitFor();
  await expectNothingSerious(page, 'while the daemon is away');
  await machine.startDaemon();
});

// — internal —

/** By all rules in light; in dark nothing but the colours differs. */
async function expectNothingSerious(page: Page, what: string): Promise<void> {
  expect(await seriousIn(page), what).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await seriousIn(page, ['color-contrast']), `${what}, in dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
}
