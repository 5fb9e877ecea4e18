import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { until } from '../harness/until.ts';
import { test } from './dashboard.ts';

/** The log of a server as somebody reads it who never reloads. */

test('a line is there as it is printed; it is searched for, chosen by level and source, opened and saved', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/logs');
  await machine.ok('call', 'echo__log', 'text=the printer is on fire <b>');
  await page.getByText('the printer is on fire <b>', { exact: true }).waitFor();

  const search = page.getByRole('searchbox', { name: 'Search the log' });
  await search.fill('PRINTER');
  await page.getByText('2 lines', { exact: true }).waitFor();
  expect(await page.locator('.log-line mark').allInnerTexts()).toEqual(['printer', 'printer']);
  await search.fill('nobody ever said this');
  await page.getByRole('button', { name: 'Show all' }).click();

  await page.getByLabel('Source').selectOption({ label: 'Printed on stderr' });
  await page.getByText('1 line', { exact: true }).waitFor();
  await page.getByLabel('Level').selectOption({ label: 'Errors' });
  await page.getByText('No line is like that').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();

  await page.getByText('the printer is on fire <b>', { exact: true }).click();
  await page.getByRole('dialog').getByText('the printer is on fire <b>').waitFor();
  await page.keyboard.press('Escape');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('echo.log');
});

test('of a server that prints two thousand lines a second the newest are seen, held and paused', async ({
  machine,
  dashboard,
}) => {
  await machine.declare({ talkative: { command: fake('talkative'), start: 'always' } });
  await machine.reaches('talkative', 'running');
  const page = await dashboard.open('#/servers/talkative/logs');
  await page.locator('.log-line').first().waitFor();
  const printed = Number(await machine.ok('call', 'talkative__printed'));
  await until('what was printed later', async () => (await newest(page)) > printed);

  await page.locator('.virtual-list').hover();
  await noteRests(page);
  await page.mouse.wheel(0, -2000);
  await page.locator('button[aria-pressed="false"]', { hasText: 'Follow' }).waitFor();
  await until('the list to rest', () => restsHere(page));
  const held = await newest(page);
  await machine.ok('call', 'talkative__printed');
  expect(await newest(page)).toBe(held);

  await page.getByRole('button', { name: 'Follow' }).click();
  await until('newer lines', async () => (await newest(page)) > held);

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/paused: .* newer/).waitFor();
  const paused = await newest(page);
  await page.getByRole('searchbox', { name: 'Search the log' }).fill('checkpoint');
  await page.locator('.log-line mark').first().waitFor();
  expect(await newest(page)).toBeLessThanOrEqual(paused);
});

test('messages of the protocol are told while the switch is on; they are searched, chosen, paused and saved as other lines', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/logs');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'before' });
  const protocol = page.locator('.log-line[data-source="protocol"]');
  const shown = (text: string) => protocol.filter({ hasText: text });
  await page.locator('.log-line').first().waitFor();
  expect(await protocol.count()).toBe(0);

  await page.getByRole('button', { name: 'Protocol' }).click();
  await shown('nobody watched before').waitFor();
  await host.call('echo__echo', { text: 'what-the-host-said' });
  await shown('← answer tools/call echo').waitFor();
  await host.ask('resources/read', { uri: 'echo://say/%E0%A4%A' });
  await shown('← error -32603 resources/read').waitFor();
  expect(await page.locator('.virtual-list').textContent()).not.toContain('what-the-host-said');
  expect(page.url()).toContain('protocol=1');

  await page.getByLabel('Level').selectOption({ label: 'Errors' });
  await shown('← error -32603').waitFor();
  await until('no other line', async () => (await page.locator('.log-line').count()) === 1);
  await page.getByLabel('Level').selectOption({ label: 'Every level' });
  await page.getByLabel('Source').selectOption({ label: 'Messages of the protocol' });
  await page.getByRole('searchbox', { name: 'Search the log' }).fill('tools/call');
  await until('the two lines of the call', async () => (await page.locator('.log-line').count()) === 2);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  const saved = readFileSync(await download.path(), 'utf8');
  expect(saved).toMatch(/ protocol info → request {6}tools\/call echo .*\n.* protocol info ← answer/);

  await page.getByRole('button', { name: 'Pause' }).click();
  await host.call('echo__echo', { text: 'meanwhile' });
  await page.getByText(/paused: [1-9]\d* newer/).waitFor();
  expect(await page.locator('.log-line').count()).toBe(2);
  await page.getByRole('button', { name: 'Pause' }).click();
  await until('the next call', async () => (await page.locator('.log-line').count()) === 4);

  await page.getByRole('button', { name: 'Protocol' }).click();
  await page.getByRole('searchbox', { name: 'Search the log' }).fill('');
  await page.locator('.log-line').first().waitFor();
  expect(await protocol.count()).toBe(0);
  await until('nobody to watch', async () => !(await machine.ok('logs', 'echo', '--protocol')).includes('tools/call'));
});

// — internal —

/** Keeps in the list where it came to rest last. While it follows that is its end, and so another place than the one it is scrolled to. */
async function noteRests(page: Page): Promise<void> {
  await page.locator('.virtual-list').evaluate((list) => {
    list.addEventListener('scrollend', () => list.setAttribute('data-rests', String(list.scrollTop)));
  });
}

/** Whether the list has come to rest where it is, and is drawn there. */
async function restsHere(page: Page): Promise<boolean> {
  return page.locator('.virtual-list').evaluate(async (list) => {
    const { scrollTop } = list;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return list.getAttribute('data-rests') === String(scrollTop) && list.scrollTop === scrollTop;
  });
}

/** The number of the last line that is drawn. */
async function newest(page: Page): Promise<number> {
  const lines = await page.locator('.log-text').allInnerTexts();
  return Math.max(0, ...lines.map((line) => Number(/line (\d+)/.exec(line)?.[1] ?? 0)));
}
