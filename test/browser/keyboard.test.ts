import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { until } from '../harness/until.ts';
import { test } from './dashboard.ts';
import { focused, STOPS_MAX, tabTo } from './keys.ts';

/** A person without a mouse: every action is reached and done by keys, and one always sees where one is. */

test('every control of every page is reached by Tab, and shows that it has the focus', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo', [], ['--start', 'always']);
  const page = await dashboard.open();
  const tabs = ['', '/tools', '/logs', '/settings'].map((tab) => `#/servers/echo${tab}`);
  for (const route of ['#/servers', ...tabs, '#/catalog', '#/calls', '#/recordings', '#/health', '#/settings']) {
    await dashboard.show(page, route);
    const { missed, unseen } = await walked(page);
    expect(missed, `not reached on ${route}`).toEqual([]);
    expect(unseen, `without a sign of focus on ${route}`).toEqual([]);
  }
});

test('a server is found, started, stopped and opened without a mouse', async ({ machine, dashboard }) => {
  await machine.declare({ alpha: { command: fake('echo') }, beta: { command: fake('echo') } });
  // Until then mcpd starts them by itself to read their lists, and stops them.
  await machine.listed('alpha', 'beta');
  await machine.reaches('beta', 'stopped');
  const page = await dashboard.open();
  await page.getByRole('link', { name: 'beta', exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('beta');
  await page.getByRole('link', { name: 'alpha', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Start beta', exact: true }).waitFor();
  await tabTo(page, 'Start beta');
  await page.keyboard.press('Enter');
  await machine.reaches('beta', 'running');
  await until('the button to have turned', () => focused(page).then((name) => name !== 'Start beta'));
  await page.getByRole('button', { name: 'Stop beta', exact: true }).waitFor();
  await tabTo(page, 'Stop beta');
  await page.keyboard.press('Space');
  await machine.reaches('beta', 'stopped');
  await tabTo(page, 'Choose beta');
  await page.keyboard.press('Space');
  await page.getByRole('toolbar', { name: 'With the chosen servers' }).waitFor();
  await tabTo(page, 'beta');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/servers\/beta/);
});

test('a button that turns keeps the focus, and takes the next key for what it says now', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers');
  const letThrough = await heldBack(page, '**/api/servers/echo/start');
  await turned(page, 'Start echo', 'Stop echo');
  await machine.reaches('echo', 'running');
  // The page knows that it runs, and has no answer to its start yet.
  await turned(page, 'Stop echo', 'Start echo');
  await machine.reaches('echo', 'stopped');
  letThrough();

  await dashboard.show(page, '#/servers/echo');
  await turned(page, 'Start', 'Stop');
  await machine.reaches('echo', 'running');
  await turned(page, 'Stop', 'Start');
  await machine.reaches('echo', 'stopped');
});

test('shortcuts lead to the pages, and `?` shows them', async ({ machine, dashboard }) => {
  await machine.startDaemon();
  const page = await dashboard.open();
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog');
  await help.waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.type('ge');
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await page.keyboard.type('gs');
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  expect(page.url()).toContain('#/servers');
});

// — internal —

/** Presses Tab until the page is left, and tells which controls got no focus, and which do not look different with it. */
async function walked(page: Page): Promise<{ missed: string[]; unseen: string[] }> {
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    const marks = new Set<Element>();
    Object.assign(globalThis, { marks });
  });
  const unseen: string[] = [];
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const marks = (globalThis as unknown as { marks: Set<Element> }).marks;
      const element = document.activeElement;
      if (element === null || element === document.body || marks.has(element)) return null;
      marks.add(element);
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      const isSeen = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
      return { isSeen, html: element.outerHTML.slice(0, 120) };
    });
    if (at === null) break;
    if (!at.isSeen) unseen.push(at.html);
  }
  const missed = await page.evaluate(() => {
    const marks = (globalThis as unknown as { marks: Set<Element> }).marks;
    const controls = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')];
    // Of a group of radio buttons and of a row of tabs one is a stop, and arrow keys lead to the others.
    const isStop = (element: HTMLElement) =>
      !element.matches(':disabled, [role=tab][tabindex="-1"], [type=radio]') && element.checkVisibility();
    return controls.filter((one) => isStop(one) && !marks.has(one)).map((one) => one.outerHTML.slice(0, 120));
  });
  return { missed, unseen };
}

/** Presses Enter on one button, and waits until it says something else, with the focus still on it. */
async function turned(page: Page, says: string, then: string): Promise<void> {
  await page.getByRole('button', { name: says, exact: true }).waitFor();
  await tabTo(page, says);
  await page.keyboard.press('Enter');
  await until(`the button to say ${then}`, async () => (await focused(page)) === then);
}

/** Keeps from the page what is answered to requests of this address, until it is let through. */
async function heldBack(page: Page, address: string): Promise<() => void> {
  let letThrough: () => void = () => undefined;
  const allowed = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(address, async (route) => {
    const response = await route.fetch();
    await allowed;
    await route.fulfill({ response });
  });
  return letThrough;
}
