import { expect } from 'vitest';
import { until } from '../harness/until.ts';
import { test } from './dashboard.ts';

/** The history as it grows, its filters, and one call opened. */

test('calls come as they end, are narrowed by filters that a link keeps, and one opens with where its time went', async ({
  machine,
  dashboard,
}) => {
  for (const name of ['echo', 'other']) {
    await machine.add(name, 'echo', [], ['--start', 'always']);
    await machine.reaches(name, 'running');
  }
  const page = await dashboard.open('#/calls');
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  const zed = await machine.connected({ name: 'zed' });
  const calls = page.getByRole('listbox', { name: 'Calls' });
  await zed.call('echo__echo', { text: 'first' });
  await calls.getByRole('option').first().waitFor();
  await zed.call('other__fail');
  await zed.call('echo__sleep', { ms: 1000 });
  await until('three calls', async () => (await calls.getByRole('option').count()) === 3);
  expect(await calls.getByRole('option').first().textContent()).toContain('sleep');

  await page.getByRole('combobox', { name: 'Server' }).selectOption('other');
  await until('one call', async () => (await calls.getByRole('option').count()) === 1);
  expect(await calls.getByRole('option').textContent()).toContain('fail');
  expect(page.url()).toContain('other');
  await page.reload();
  await until('one call after a reload', async () => (await calls.getByRole('option').count()) === 1);
  await page.getByRole('combobox', { name: 'Server' }).selectOption('Every server');
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Slowest first');
  await until('the slowest first', async () =>
    (await calls.getByRole('option').first().textContent())?.includes('sleep'),
  );

  await calls.getByRole('option').first().click();
  await page.getByRole('heading', { name: /sleep/, level: 1 }).waitFor();
  await page.getByText('Where the time went').waitFor();
  await page.getByRole('table', { name: 'Moments' }).getByText('handed to the host').waitFor();
  await page.goBack();
  await calls.getByRole('option').first().waitFor();
});

test('findings of health say what is wrong and what to type, and the page does what it can of that itself', async ({
  machine,
  dashboard,
}) => {
  await machine.add('broken', 'exits-at-once', [], ['--no-trial', '--start', 'always']);
  await machine.add('off', 'echo', [], ['--no-trial']);
  await machine.ok('disable', 'off');
  await machine.reaches('broken', 'backoff');
  // Health is looked at once: whether it waits for its next start by then, starts, or has been given up, it is not well.
  const page = await dashboard.open('#/health');
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  const finding = page.getByRole('listitem').filter({ hasText: 'server broken' });
  await finding.getByText('mcpd logs broken; then mcpd start broken').waitFor();
  await finding.getByRole('button', { name: 'Start', exact: true }).waitFor();
  const off = page
    .getByRole('region', { name: 'Worth knowing' })
    .getByRole('listitem')
    .filter({ hasText: 'server off' });
  await off.getByText('disabled', { exact: true }).waitFor();
  await off.getByRole('button', { name: 'Enable', exact: true }).click();
  await until('it to be enabled', async () => (await machine.server('off')).enabled);
  await finding.getByRole('link', { name: 'See its log' }).click();
  await page.waitForURL(/#\/servers\/broken\/logs/);
});
