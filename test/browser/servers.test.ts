import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { killPid } from '../harness/processes.ts';
import { until } from '../harness/until.ts';
import { DAEMON_AWAY, PHONE, test } from './dashboard.ts';

/** The list of servers as somebody sees it who only looks: nothing here is reloaded. */

test('an installed server is healthy; one that is killed shows why within a second, and then its recovery', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  await machine.ok('install', 'weather');
  const page = await dashboard.open();
  const row = rowOf(page, 'weather');
  await row.getByText('starts with its first call').waitFor();
  await row.getByRole('button', { name: 'Start weather', exact: true }).click();
  await row.getByText('running', { exact: true }).waitFor();
  await row.getByText('ok', { exact: true }).waitFor();
  const { pid, starts } = await machine.server('weather');

  const seen = noted(row, /SIGKILL/);
  const killedAt = Date.now();
  killPid(pid ?? 0);
  // A second on a machine that has time for it; a page that asks now and then would need several.
  expect((await seen) - killedAt).toBeLessThan(3000);
  await row.getByText('running', { exact: true }).waitFor();
  expect(await machine.server('weather')).toMatchObject({ starts: starts + 1, state: 'running', health: 'ok' });
  await row.getByRole('link', { name: 'weather', exact: true }).click();
  await page.getByRole('tab', { name: 'Logs' }).click();
  await page
    .getByRole('listbox', { name: 'Log of weather' })
    .getByText(/SIGKILL/)
    .first()
    .waitFor();
});

test('a server is started, restarted, stopped, disabled and enabled from its row', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open();
  const row = rowOf(page, 'echo');
  await row.getByRole('button', { name: 'Start echo', exact: true }).click();
  await row.getByText('running', { exact: true }).waitFor();
  const { pid } = await machine.reaches('echo', 'running');
  await row.getByRole('button', { name: 'Restart echo', exact: true }).click();
  await until('another process', async () => ![pid, null].includes((await machine.server('echo')).pid));
  await row.getByText('running', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Stop echo', exact: true }).click();
  await row.getByRole('button', { name: 'Start echo', exact: true }).waitFor();
  await machine.reaches('echo', 'stopped');
  await row.getByRole('button', { name: 'Disable echo', exact: true }).click();
  await row.getByText('disabled').first().waitFor();
  expect(await machine.server('echo')).toMatchObject({ enabled: false, wanted: 'down' });
  await row.getByRole('button', { name: 'Enable echo', exact: true }).click();
  await row.getByRole('button', { name: 'Disable echo', exact: true }).waitFor();
  expect(await machine.server('echo')).toMatchObject({ enabled: true });
});

test('the second half of a double click, and a key that is held down, press no button that has turned', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open();
  const done: string[] = [];
  page.on('request', (request) => {
    const doing = /servers\/echo\/(\w+)$/.exec(request.url())?.[1];
    if (doing !== undefined) done.push(doing);
  });
  const row = rowOf(page, 'echo');
  const start = row.getByRole('button', { name: 'Start echo', exact: true });
  const stop = row.getByRole('button', { name: 'Stop echo', exact: true });
  await start.waitFor();
  const { x = 0, y = 0, width = 0, height = 0 } = (await start.boundingBox()) ?? {};
  const at = [x + width / 2, y + height / 2] as const;
  await page.mouse.click(...at);
  await stop.waitFor();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await machine.reaches('echo', 'running');
  await row.getByRole('button', { name: 'Disable echo', exact: true }).focus();
  await page.keyboard.down('Enter');
  await row.getByRole('button', { name: 'Enable echo', exact: true }).waitFor();
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await row.getByRole('button', { name: 'Enable echo', exact: true }).press('Enter');
  await row.getByRole('button', { name: 'Disable echo', exact: true }).waitFor();
  await start.click();
  await stop.waitFor();
  expect(done).toEqual(['start', 'start']);
  expect(await machine.server('echo')).toMatchObject({ enabled: true });
});

test('what is done with several servers is done with the chosen ones, and told', async ({ machine, dashboard }) => {
  await machine.declare(Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { command: ECHO }])));
  const page = await dashboard.open();
  for (const name of ['a', 'c']) await page.getByRole('checkbox', { name: `Choose ${name}`, exact: true }).check();
  const bulk = page.getByRole('toolbar', { name: 'With the chosen servers' });
  await bulk.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('2 servers started').waitFor();
  for (const [name, state] of Object.entries({ a: 'running', b: 'stopped', c: 'running' }))
    await rowOf(page, name).getByText(state, { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: 'Choose all' }).check();
  await bulk.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('3 servers stopped').waitFor();
  expect((await machine.servers()).map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
});

test('what is done elsewhere is seen here: a server that is added, called, and uninstalled', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const page = await dashboard.open();
  await page.getByText('mcpd install').first().waitFor();
  await machine.add('echo', 'echo');
  const row = rowOf(page, 'echo');
  await row.waitFor();
  const host = await machine.connected({ name: 'zed' });
  await host.call('echo__echo', { text: 'hello' });
  await host.call('echo__fail', {});
  await row.locator('[data-label=Calls]').filter({ hasText: /^2/ }).waitFor();
  await row.locator('[data-label="Used by"]').filter({ hasText: 'zed' }).waitFor();
  await row.locator('[data-label=Memory]').filter({ hasText: /\d/ }).waitFor();
  await machine.ok('uninstall', 'echo', '--yes');
  await row.waitFor({ state: 'detached' });
});

test('a server that cannot run says why, and what would help', async ({ machine, dashboard }) => {
  await machine.add('broken', 'exits-at-once', [], ['--no-trial', '--start', 'always']);
  const page = await dashboard.open();
  const row = rowOf(page, 'broken');
  await row
    .getByText(/configuration missing: set EXAMPLE_KEY|exit code 1/)
    .first()
    .waitFor();
  await row.getByRole('link', { name: 'See its log' }).waitFor();
  await row.getByRole('button', { name: 'Start', exact: true }).waitFor();
  expect(await page.getByRole('banner').textContent()).toContain('1 in trouble');
});

test('the page finds its daemon again after a restart, and shows what changed meanwhile', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open(null, {}, DAEMON_AWAY);
  await rowOf(page, 'echo').waitFor();
  const connection = page.getByRole('status', { name: 'Connection' });
  await connection.getByText('live').waitFor();
  await machine.killDaemon();
  await connection.getByText('reconnecting').waitFor();
  expect(await rowOf(page, 'echo').count()).toBe(1);
  await machine.startDaemon();
  await connection.getByText('live').waitFor();
  await machine.add('second', 'echo');
  await rowOf(page, 'second').waitFor();
});

test('the list is searched, sorted and narrowed', async ({ machine, dashboard }) => {
  await machine.declare({
    alpha: { command: ECHO },
    beta: { command: ECHO, enabled: false },
    gamma: { command: ECHO, start: 'always' },
  });
  await machine.reaches('gamma', 'running');
  const page = await dashboard.open();
  await rowOf(page, 'gamma').getByText('running', { exact: true }).waitFor();
  expect(await names(page)).toEqual(['alpha', 'beta', 'gamma']);
  await page.getByRole('button', { name: 'State' }).click();
  await until('the order by state', async () => (await names(page))[0] === 'gamma');
  await page.getByRole('searchbox', { name: 'Search servers' }).fill('eta');
  await until('one row', async () => (await names(page)).join() === 'beta');
  await page.getByRole('searchbox', { name: 'Search servers' }).fill('');
  await page.getByRole('combobox', { name: 'Which servers' }).selectOption('Running');
  await until('the running one', async () => (await names(page)).join() === 'gamma');
  await page.reload();
  await rowOf(page, 'gamma').waitFor();
  expect(await names(page)).toEqual(['gamma']);
});

test('of many servers those out of view have their names, and whoever goes there sees them whole', async ({
  machine,
  dashboard,
}) => {
  const names = Array.from({ length: 60 }, (_, n) => `echo-${String(n).padStart(2, '0')}`);
  await machine.declare(Object.fromEntries(names.map((name) => [name, { command: ECHO, enabled: false }])));
  const page = await dashboard.open();
  const last = rowOf(page, 'echo-59');
  await last.waitFor();
  expect(await page.getByRole('rowheader').count()).toBe(60);
  expect(await last.getByRole('button').count()).toBe(0);
  expect(await last.textContent()).toContain('stopped');
  // As Tab, or a search of the browser, would come there.
  const link = last.getByRole('link', { name: 'echo-59', exact: true });
  await link.focus();
  await last.getByRole('button', { name: 'Enable echo-59', exact: true }).waitFor();
  expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('ArrowUp');
  const above = rowOf(page, 'echo-58').getByRole('link', { name: 'echo-58', exact: true });
  expect(await above.evaluate((element) => element === document.activeElement)).toBe(true);
  // Who is at a row of which nothing is in view any more has not lost his place.
  await rowOf(page, 'echo-58').getByRole('button', { name: 'Enable echo-58', exact: true }).focus();
  await page.evaluate(() => scrollTo(0, 0));
  await rowOf(page, 'echo-00').getByRole('button', { name: 'Enable echo-00', exact: true }).waitFor();
  await until('the last row to be plain', async () => (await last.getByRole('button').count()) === 0);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Enable echo-58');
});

test('on a phone nothing is wider than the screen, and every button can be touched', async ({ machine, dashboard }) => {
  await machine.declare({ echo: { command: ECHO, start: 'always' }, other: { command: ECHO } });
  const page = await dashboard.open(null, PHONE);
  await rowOf(page, 'echo').getByText('running', { exact: true }).waitFor();
  for (const route of ['#/servers', '#/servers/echo', '#/servers/echo/tools', '#/calls', '#/health', '#/settings']) {
    await dashboard.show(page, route);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), route).toBeLessThanOrEqual(0);
    expect(await tooSmall(page), `too small on ${route}`).toEqual([]);
  }
  await dashboard.show(page, '#/servers');
  await page.getByRole('combobox', { name: 'Order' }).selectOption('By uptime');
  expect(await names(page)).toEqual(['echo', 'other']);
  await rowOf(page, 'echo').getByRole('button', { name: 'Stop echo', exact: true }).tap();
  await machine.reaches('echo', 'stopped');
});

// — internal —

const ECHO = fake('echo');

function rowOf(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
}

function names(page: Page): Promise<string[]> {
  return page.getByRole('rowheader').getByRole('link').allInnerTexts();
}

/** What can be pressed and is less than 24 pixels wide or high. */
function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
      .filter((element) => {
        // A label is pressed as well as its box.
        const { width, height } = (element.closest('label') ?? element).getBoundingClientRect();
        return element.checkVisibility() && !element.matches('.skip') && (width < 24 || height < 24);
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
}

/** When the text was first there, by the clock of this machine. */
function noted(row: ReturnType<typeof rowOf>, text: RegExp): Promise<number> {
  return row.evaluate(
    (element, pattern) =>
      new Promise<number>((done) => {
        const look = () => {
          if (!new RegExp(pattern).test(element.textContent ?? '')) return false;
          done(Date.now());
          return true;
        };
        const observer = new MutationObserver(() => look() && observer.disconnect());
        if (!look()) observer.observe(element, { childList: true, characterData: true, subtree: true });
      }),
    text.source,
  );
}
