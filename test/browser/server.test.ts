import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { killPid } from '../harness/processes.ts';
import { until } from '../harness/until.ts';
import { test } from './dashboard.ts';

/** One server: how it fares, and how it is run. */

test('a server that ends shows why, what it printed, and what it went through', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('running', { exact: true }).first().waitFor();
  await machine.ok('call', 'echo__log', 'text=disk controller on fire');
  killPid((await machine.server('echo')).pid ?? 0);
  const end = page.getByRole('region', { name: 'Last end' });
  await end.getByText('signal SIGKILL').waitFor();
  await end.getByText('disk controller on fire').waitFor();
  const changes = page.getByRole('table', { name: 'Changes of state' });
  await changes.getByText('signal SIGKILL').first().waitFor();
  await page.getByRole('region', { name: 'How it is started' }).getByText('echo.mjs').waitFor();
  await page.getByRole('figure', { name: 'Calls a minute · calls 1 · errors 0' }).waitFor();
});

test('of a server with a process for each host, the page says whose each is', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo', [], ['--sharing', 'per-session']);
  const page = await dashboard.open('#/servers/echo');
  const processes = page.getByRole('table', { name: 'Processes' });
  for (const name of ['zed', 'ann']) {
    const host = await machine.connected({ name });
    await host.call('echo__echo', { text: 'hi' });
    await processes.getByRole('row').filter({ hasText: name }).getByText('running').waitFor();
  }
});

test('settings are changed at once, and a limit that cannot be read is not sent', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/settings');
  await page.getByLabel('Starts').selectOption({ label: 'Always' });
  await machine.reaches('echo', 'running');
  const limit = page.getByLabel('A call may take');
  await limit.fill('soon');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await page.getByText('A number with its unit, at most 365d').waitFor();
  await limit.fill('90s');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await page.getByText('limits of echo saved').waitFor();
  expect(await machine.server('echo')).toMatchObject({ start: 'always', limits: { callTimeoutMs: 90_000 } });
  await page.getByLabel('Enabled').uncheck();
  await until('the server to be disabled', async () => !(await machine.server('echo')).enabled);
});

test('a declared server is changed in its file, and removed by nobody here', async ({ machine, dashboard }) => {
  await machine.declare({ echo: { command: fake('echo') } });
  const page = await dashboard.open('#/servers/echo/settings');
  await page.getByText('mcpd apply -f').waitFor();
  expect(await page.getByRole('button', { name: 'Uninstall echo', exact: true }).count()).toBe(0);
});

test('a server is uninstalled when a person agrees in a terminal, and not before', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/settings');
  await page.getByRole('button', { name: 'Uninstall echo', exact: true }).click();
  await page.getByRole('dialog').getByText('mcpd approve').first().waitFor();
  expect(await machine.server('echo')).toMatchObject({ name: 'echo' });
  await page.getByRole('button', { name: 'Take it back' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await machine.server('echo')).toMatchObject({ name: 'echo' });
});

test('lists that nobody has read yet are told apart from empty ones, with why and what helps', async ({
  machine,
  dashboard,
}) => {
  await machine.ok('add', 'far', '--no-trial', '--start', 'manual', '--url', 'http://127.0.0.1:9/mcp');
  const page = await dashboard.open('#/servers/far/tools');
  await page.getByRole('heading', { name: 'Its tools are not known yet' }).waitFor();
  await page.getByText('It was not reached yet.').waitFor();
  await page.getByText('mcpd start far', { exact: true }).waitFor();
  await machine.cli('start', 'far');
  await page.getByText('It was not reached yet: could not reach http://127.0.0.1:9/mcp').waitFor();
});
