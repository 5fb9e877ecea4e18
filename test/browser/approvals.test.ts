import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../harness/until.ts';
import { test } from './dashboard.ts';

test('a server that the page wants to install is there when a person has agreed in a terminal', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const page = await dashboard.open('#/servers');
  await askForTodo(page);
  const [{ id, state }] = await machine.ok('approve', '--json');
  expect([state, await machine.servers()]).toEqual(['waiting', []]);
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`mcpd approve ${id}`, { exact: true }).waitFor();

  await machine.ok('approve', id, '--yes');
  await dialog.getByText('It is done.').waitFor();
  expect((await machine.servers()).map(({ name }) => name)).toEqual(['todo']);
});

test('a code that a terminal printed says yes in the page', async ({ machine, dashboard }) => {
  await machine.startDaemon();
  const page = await dashboard.open('#/servers');
  await askForTodo(page);
  const [{ id }] = await machine.ok('approve', '--json');
  const { code } = await machine.ok('approve', id, '--code', '--json');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('code of').fill(code);
  await page.keyboard.press('Enter');
  await dialog.getByText('It is done.').waitFor();
  expect((await machine.servers()).map(({ name }) => name)).toEqual(['todo']);
});

test('who looks for something to install is told when there is nothing, and Enter chooses what was found', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const page = await dashboard.open('#/servers');
  await page.getByRole('button', { name: 'Install' }).first().click();
  const dialog = page.getByRole('dialog');
  await until('the field to have the focus', () =>
    dialog.getByRole('searchbox').evaluate((field) => field === document.activeElement),
  );
  await page.keyboard.type('no such thing');
  await page.keyboard.press('Enter');
  await dialog.getByText('The catalog has nothing like “no such thing”').waitFor();
  await dialog.getByRole('searchbox').fill('todo');
  // Before its answer is there: it counts all the same.
  await page.keyboard.press('Enter');
  await dialog.getByText('mcpd approve').first().waitFor();
});

test('a dialog that is closed takes back what it asked for', async ({ machine, dashboard }) => {
  await machine.startDaemon();
  const page = await dashboard.open('#/servers');
  await askForTodo(page);
  await page.keyboard.press('Escape');
  await until('nothing to wait', async () => (await machine.ok('approve', '--json')).length === 0);
  expect(await machine.servers()).toEqual([]);
});

// — internal —

async function askForTodo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Install' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('searchbox').fill('todo');
  await dialog.getByRole('button', { name: /todo/i }).first().click();
  await dialog.getByText('mcpd approve').first().waitFor();
}
