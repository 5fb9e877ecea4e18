import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './dashboard.ts';

/** The page of one server: its tools are tried by a form, with progress, cancelling, and what the server asks back. */

test('a tool is tried with the form of its schema, and its answer is shown', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/tools');
  await choose(page, 'add');
  const form = page.getByRole('region', { name: 'add' });
  await form.getByLabel(/^a( \(required\))?$/).fill('2');
  await form.getByLabel(/^b( \(required\))?$/).fill('40');
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('Done').waitFor();
  await form.getByRole('group', { name: 'text' }).filter({ hasText: '42' }).waitFor();

  await choose(page, 'fail');
  await page.getByRole('region', { name: 'fail' }).getByRole('button', { name: 'Run' }).click();
  await page.getByText('The tool says that it failed').waitFor();
  await page.getByText('it did not work').first().waitFor();
});

test('a long call shows its progress, and is cancelled at the server too', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/tools');
  await choose(page, 'sleep');
  const form = page.getByRole('region', { name: 'sleep' });
  await form.getByLabel(/^ms( \(required\))?$/).fill('10000');
  await form.getByRole('button', { name: 'Run' }).click();
  const bar = form.getByRole('progressbar', { name: 'Progress' });
  await expect.poll(() => bar.getAttribute('value'), { timeout: 10_000 }).toMatch(/^0\.\d/);
  await form.getByRole('button', { name: 'Cancel' }).click();
  await form.getByText('Cancelled.').waitFor();
  await expect.poll(() => machine.records('cancelled').length, { timeout: 10_000 }).toBe(1);
});

test('what a server asks a person is a form, and its answer reaches the server', async ({ machine, dashboard }) => {
  await machine.add('asks', 'elicits');
  const page = await dashboard.open('#/servers/asks/tools');
  await choose(page, 'order');
  await page.getByRole('region', { name: 'order' }).getByRole('button', { name: 'Run' }).click();
  const question = page.getByRole('region', { name: 'The server asks' });
  await question.getByText('Which size?').waitFor();
  await question.getByLabel(/^size( \(required\))?$/).fill('42');
  await question.getByRole('button', { name: 'Answer' }).click();
  await page.getByText('size 42 is ordered').first().waitFor();
  await page.getByRole('region', { name: 'order' }).getByRole('button', { name: 'Run' }).click();
  await question.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('nothing is ordered').first().waitFor();
});

test('a try without a mouse: the tool is chosen, filled in, run, and seen among the calls', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/tools');
  await page.getByRole('listbox', { name: 'tools' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  const form = page.getByRole('region', { name: 'echo' });
  await form.getByLabel(/^text( \(required\))?$/).focus();
  await page.keyboard.type('typed only');
  await form.getByRole('button', { name: 'Run' }).focus();
  await page.keyboard.press('Enter');
  await form.getByText('Done').waitFor();
  await page.keyboard.type('gc');
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  await page.getByRole('listbox', { name: 'Calls' }).getByText('echo').first().waitFor();
});

// — internal —

async function choose(page: Page, tool: string): Promise<void> {
  const list = page.getByRole('listbox', { name: 'tools' });
  await list
    .getByRole('option')
    .filter({ has: page.getByText(tool, { exact: true }) })
    .first()
    .click();
}
