import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Recording } from '../../src/api/contract/recordings.ts';
import { fake } from '../harness/fake.ts';
import { until } from '../harness/until.ts';
import { DAEMON_AWAY, test } from './dashboard.ts';
import { focused, tabTo } from './keys.ts';

/** The flight recorder on the page, by keys alone, and over the death of the daemon. */

test('a server is recorded, looked at, saved, asked again and forgotten without a mouse', async ({
  machine,
  dashboard,
}) => {
  await machine.declare({ alpha: { command: fake('echo') }, beta: { command: fake('echo') } });
  const page = await dashboard.open('#/recordings');
  await page.getByText('Nothing is kept').waitFor();
  await tabTo(page, 'Server');
  await page.keyboard.press('ArrowDown');
  await page.waitForURL(/#\/recordings\/beta/);
  await page.getByText('Nothing is kept').waitFor();
  await tabTo(page, 'Record');
  await page.keyboard.press('Enter');
  await page.getByText('Recording, for').waitFor();
  const host = await machine.connected();
  await host.call('beta__echo', { text: 'hello there' });
  const messages = page.getByRole('listbox', { name: 'Messages' });
  await messages.waitFor();
  await messages.getByText('tools/call').first().waitFor();
  const heads = ['When', 'Direction', 'Method', 'About', 'Id', 'Took', 'Size'];
  expect(await page.locator('.frame-head span').allTextContents()).toEqual(heads);
  await tabTo(page, 'Stop recording');
  await page.keyboard.press('Space');
  await page.getByText('Off', { exact: true }).waitFor();

  await tabTo(page, 'Search messages');
  await page.keyboard.type('call hello');
  await until('the call and its answer', async () => (await messages.getByRole('option').count()) === 2);
  await tabTo(page, 'Messages');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const message = page.getByRole('region', { name: 'Message' });
  await message.getByText('hello there').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await message.getByText('"arguments"').waitFor();

  const download = page.waitForEvent('download');
  await tabTo(page, 'Save as a test case');
  await page.keyboard.press('Enter');
  const saved = JSON.parse(readFileSync(await (await download).path(), 'utf8')) as Recording;
  expect(saved).toMatchObject({ format: 'mcpd-recording', server: 'beta' });
  await tabTo(page, 'Ask a fresh process again');
  await page.keyboard.press('Enter');
  await page
    .getByRole('region', { name: 'Replay' })
    .getByText(/\d+ equal/)
    .waitFor();
  await tabTo(page, 'Forget all');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing is kept').waitFor();
  expect((await machine.ok('record', 'beta', '--json')).frames).toBe(0);
});

test('the settings are gone through without a mouse, and the colours chosen by arrow keys', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const page = await dashboard.open('#/settings');
  await tabTo(page, 'As the system');
  await page.keyboard.press('ArrowDown');
  await until('the light colours', async () => (await focused(page)) === 'Light');
  expect(await page.getByRole('radio', { name: 'Light' }).isChecked()).toBe(true);
  await page.keyboard.press('ArrowDown');
  expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  await page.reload();
  expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  for (const box of ['Look', 'Daemon', 'Sessions', 'In the terminal', 'Keyboard'])
    await page.getByRole('region', { name: box }).waitFor();
});

test('after the daemon was killed the page says which recordings were lost with it, and records again', async ({
  machine,
  dashboard,
}) => {
  await machine.declare({ alpha: { command: fake('echo') }, beta: { command: fake('echo') } });
  for (const server of ['alpha', 'beta']) await machine.ok('record', server, 'on');
  await machine.ok('call', 'alpha__echo', 'text=x');
  const page = await dashboard.open('#/recordings/alpha', {}, DAEMON_AWAY);
  await page.getByRole('link', { name: 'beta', exact: true }).waitFor();
  await page.getByText('beta (recording)').waitFor();
  await page.getByRole('listbox', { name: 'Messages' }).waitFor();
  await machine.killDaemon();
  await machine.startDaemon();
  await page.getByText('The last recording ended with mcpd.').waitFor();
  await page.getByText('until mcpd was killed or crashed. What was kept was in memory alone, and is lost.').waitFor();
  await page.getByText('beta (lost with mcpd)').waitFor();
  await page.getByRole('button', { name: 'Record again' }).click();
  await page.getByText('The last recording ended with mcpd.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Stop recording' }).waitFor();

  await page.getByRole('link', { name: 'beta', exact: true }).click();
  await page.getByText('The last recording ended with mcpd.').waitFor();
  await page.getByRole('button', { name: 'Forget all' }).click();
  await page.getByText('The last recording ended with mcpd.').waitFor({ state: 'detached' });
  expect(await machine.ok('record', 'list', '--json')).toMatchObject([{ server: 'alpha', on: true }]);
});
