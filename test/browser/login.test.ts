import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { auth } from '../harness/auth-command.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../harness/authorization-server.ts';
import { Browser } from '../harness/browser.ts';
import type { Machine } from '../harness/machine.ts';
import { type ProtectedServer, startProtectedServer } from '../harness/protected-server.ts';
import { until } from '../harness/until.ts';
import { seriousIn } from './axe.ts';
import { test } from './dashboard.ts';

let issuer: AuthorizationServer;
let server: ProtectedServer;
beforeEach(async () => {
  issuer = await startAuthorizationServer();
  server = await startProtectedServer(issuer);
});
afterEach(async () => {
  await Promise.all([issuer.close(), server.close()]);
});

test('a person logs in at a remote server from the page, by keyboard, and sees first where', async ({
  machine,
  dashboard,
}) => {
  await declared(machine);
  // The authorization server's own pages, which want a font from elsewhere.
  const page = await dashboard.open('#/servers', {}, /request to http|Failed to load resource/);
  await page.context().route(/fonts\.googleapis/, (route) => route.abort());
  await page.getByRole('button', { name: 'Log in at notes' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Log in at notes' });
  const link = dialog.getByRole('link');
  await link.waitFor();
  const href = (await link.getAttribute('href')) ?? '';
  expect(href.startsWith(`${issuer.issuer}/auth?`)).toBe(true);
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  expect(await dialog.locator('pre').textContent()).toBe(href);
  await dialog.getByText(new URL(issuer.issuer).host, { exact: true }).waitFor();
  await dialog.getByText('mcp:read').waitFor();
  expect(await seriousIn(page)).toEqual([]);
  expect(page.context().pages()).toHaveLength(1);

  const opened = page.context().waitForEvent('page');
  await tabTo(page, 'A');
  await page.keyboard.press('Enter');
  const visit = await opened;
  await visit.getByPlaceholder('Enter any login').fill('ann');
  await visit.getByPlaceholder('and password').fill('any');
  await visit.getByRole('button', { name: 'Sign-in' }).click();
  await visit.getByRole('button', { name: 'Continue' }).click();
  await visit.getByRole('heading', { name: 'You are logged in' }).waitFor();
  expect(await visit.evaluate(() => window.opener)).toBeNull();

  await dialog.getByRole('status').getByText('You are logged in.').waitFor();
  await dialog.getByText('2 tools for your hosts.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Log in at notes' }).waitFor({ state: 'detached' });
  // The button that opened it is gone: the keyboard goes on in the page.
  await page.waitForFunction(() => document.activeElement?.id === 'main');
  const host = await machine.connected();
  expect(JSON.stringify(await host.call('notes__whoami', {}))).toContain('whoami by ann');
});

test('a login that was refused says why, and another try begins another one', async ({ machine, dashboard }) => {
  await declared(machine);
  const page = await dashboard.open('#/servers/notes');
  await page.getByRole('button', { name: 'Log in at notes' }).click();
  const dialog = page.getByRole('dialog');
  const first = await linkIn(page);
  await new Browser().logIn(first, 'ann', false);
  await dialog.getByRole('alert').getByText('the login was refused').waitFor();
  await dialog.getByText('access_denied').waitFor();
  expect(await seriousIn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  const second = await linkIn(page);
  expect(second).not.toBe(first);
  await new Browser().logIn(second);
  await dialog.getByRole('status').getByText('You are logged in.').waitFor();
});

test('a login that is cancelled on the page has ended, and so has one whose page is closed', async ({
  machine,
  dashboard,
}) => {
  await declared(machine);
  const waits = async () => (await machine.ok('info', 'notes', '--json')).loginLink !== null;
  const page = await dashboard.open('#/servers');
  await page.getByRole('button', { name: 'Log in at notes' }).click();
  const link = await linkIn(page);
  expect(await waits()).toBe(true);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await until('the login to end', async () => !(await waits()));
  const state = new URL(link).searchParams.get('state');
  const late = await new Browser().visit(`${dashboard.origin}/oauth/callback?code=x&state=${state}`);
  expect([late.status, late.text]).toEqual([410, expect.stringContaining('has ended')]);

  await page.getByRole('button', { name: 'Log in at notes' }).click();
  await linkIn(page);
  await page.close();
  await until('the login to end', async () => !(await waits()));
});

test('mcpd auth meanwhile is told of the login of the page, and both have its end', async ({ machine, dashboard }) => {
  await declared(machine);
  const page = await dashboard.open('#/servers');
  await page.getByRole('button', { name: 'Log in at notes' }).click();
  const link = await linkIn(page);
  const terminal = auth(machine, 'notes');
  expect(await terminal.link()).toBe(link);
  const other = await machine.cli('auth', 'notes', '--client-id', 'another');
  expect([other.code, other.stderr]).toEqual([4, expect.stringContaining('waits already')]);
  await new Browser().logIn(link);
  await page.getByRole('dialog').getByRole('status').getByText('You are logged in.').waitFor();
  expect(await terminal.ended).toBe(0);
  expect(terminal.said.stderr).toContain('waits already');
});

// — internal —

async function declared(machine: Machine): Promise<void> {
  await machine.startDaemon();
  const file = join(machine.home.root, 'declared.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { notes: { url: server.url } } }));
  await machine.ok('apply', '-f', file);
  await until('the server to want a login', async () => (await machine.server('notes')).wantedReason === 'needs-auth');
}

async function linkIn(page: Page): Promise<string> {
  return (await page.getByRole('dialog').getByRole('link').getAttribute('href')) ?? '';
}

/** Presses Tab until an element of this kind has the focus. */
async function tabTo(page: Page, tag: string): Promise<void> {
  for (let presses = 0; presses < TABS_MAX; presses++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(() => document.activeElement?.tagName)) === tag) return;
  }
  throw new Error(`${tag} cannot be reached by keyboard`);
}

const TABS_MAX = 10;
