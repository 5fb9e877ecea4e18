import { expect } from 'vitest';
import { seriousIn } from './axe.ts';
import { DAEMON_AWAY, PHONE, test } from './dashboard.ts';
import { test as livelyTest } from './lively-home.ts';
import { routesOf } from './routes.ts';

/** What axe finds on each page, in both colour schemes, at both widths: nothing that it calls serious. */

livelyTest('axe finds nothing serious on any page, in light and in dark', async ({ lively, dashboard }) => {
  expect(lively.claude.exit).toBeUndefined();
  const page = await dashboard.open();
  for (const route of routesOf('weather')) {
    await dashboard.show(page, route);
    expect(await seriousIn(page), route).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    // Nothing else differs between the two.
    expect(await seriousIn(page, ['color-contrast']), `${route} in dark`).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  const phone = await dashboard.open(null, PHONE);
  for (const route of ['#/servers', '#/servers/weather/tools', '#/calls']) {
    await dashboard.show(phone, route);
    expect(await seriousIn(phone), `${route} on a phone`).toEqual([]);
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
  expect(await seriousIn(stranger)).toEqual([]);
  const page = await dashboard.open(null, {}, DAEMON_AWAY);
  await machine.killDaemon();
  await page.getByRole('status', { name: 'Connection' }).getByText('reconnecting').waitFor();
  expect(await seriousIn(page)).toEqual([]);
  await machine.startDaemon();
});
