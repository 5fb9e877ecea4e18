import { expect } from 'vitest';
import { until } from '../harness/until.ts';
import { test } from './dashboard.ts';

test('a server that the page wants to remove is there until a person agrees in a terminal', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo');
  await page.getByRole('button', { name: 'Remove echo' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('remove echo', { exact: true }).waitFor();
  const [{ id, state }] = await machine.ok('approve', '--json');
  expect([state, (await machine.servers()).length]).toEqual(['waiting', 1]);
  await dialog.getByText(`mcpd approve ${id}`, { exact: true }).waitFor();

  await machine.ok('approve', id, '--yes');
  await page.getByText('There is no such server').waitFor();
  expect(await machine.servers()).toEqual([]);
});

test('a dialog that is closed takes back what it asked for', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo');
  await page.getByRole('button', { name: 'Remove echo' }).click();
  await page.getByRole('dialog').getByText('mcpd approve', { exact: false }).first().waitFor();
  await page.keyboard.press('Escape');
  await until('nothing to wait', async () => (await machine.ok('approve', '--json')).length === 0);
  expect((await machine.servers()).length).toBe(1);
});
