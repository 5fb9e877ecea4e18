import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../harness/until.ts';
import { test } from './dashboard.ts';

test('the link of `mcpd dashboard` signs in, leaves the address at once, and works once', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  await machine.ok('install', 'weather');
  const link = (await machine.ok('dashboard', '--no-open')).split('\n')[0];
  const page = await dashboard.window();
  await page.goto(link);
  await page.getByText('weather', { exact: true }).first().waitFor();
  expect(page.url()).not.toContain('code=');
  expect(await kept(page)).toEqual({ session: 1, local: 0, cookies: '' });
  expect(await page.evaluate(() => document.title)).toContain('mcpd');

  const second = await dashboard.window({}, /401/);
  await second.goto(link);
  await second.getByText('mcpd dashboard').first().waitFor();
  expect(await kept(second)).toEqual({ session: 0, local: 0, cookies: '' });
});

test('what opens the browser is given a file and no code, and the file signs in once', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const bin = join(machine.home.root, 'bin');
  const given = join(machine.home.root, 'given');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf '%s ' "$@" > '${given}.part' && mv '${given}.part' '${given}'\n`,
    {
      mode: 0o755,
    },
  );
  const { PATH } = machine.home.env;
  const { stdout } = await machine.cliWith({ env: { PATH: `${bin}:${PATH}`, DISPLAY: ':9' } }, 'dashboard');
  const code = /#code=(\S+)/.exec(stdout)?.[1] ?? '';
  await until('the browser to be opened', () => existsSync(given));
  const words = readFileSync(given, 'utf8').trim();
  expect(words).toMatch(/^file:\/\/\S+\/open-[\w-]{12}\.html$/);
  expect(code).not.toBe('');
  expect(words).not.toContain(code);

  const page = await dashboard.window({}, /request to file:/);
  await page.goto(words);
  await page.waitForFunction(() => location.protocol === 'http:' && sessionStorage.length > 0);
  expect(existsSync(fileURLToPath(words))).toBe(false);
});

test('a reload stays signed in; another window is not, and says which command signs it in', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open();
  await page.getByText('echo', { exact: true }).first().waitFor();
  await page.reload();
  await page.getByText('echo', { exact: true }).first().waitFor();

  const other = await dashboard.window();
  await other.goto(dashboard.origin);
  await other.getByText('mcpd dashboard').first().waitFor();
  expect(await other.getByText('echo', { exact: true }).count()).toBe(0);
  await other.goto(await dashboard.link());
  await other.getByText('echo', { exact: true }).first().waitFor();
});

test('a wrong token in the tab is forgotten, and the page asks for a new link', async ({ machine, dashboard }) => {
  await machine.startDaemon();
  const page = await dashboard.open(null, {}, /401|WebSocket/);
  await page.evaluate(() => {
    for (const name of Object.keys(sessionStorage)) sessionStorage.setItem(name, 'A'.repeat(43));
  });
  await page.reload();
  await page.getByText('mcpd dashboard').first().waitFor();
  expect(await page.evaluate(() => Object.values({ ...sessionStorage }))).not.toContain('A'.repeat(43));
});

// — internal —

function kept(page: Page) {
  return page.evaluate(() => ({
    session: sessionStorage.length,
    local: localStorage.length,
    cookies: document.cookie,
  }));
}
