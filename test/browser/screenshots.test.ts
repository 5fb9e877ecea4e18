import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { expect } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { PHONE } from './dashboard.ts';
import { test } from './lively-home.ts';

/** The pictures of docs/screenshots. `npm run screenshots` writes them; every run of the tests takes them, so that they always can be. */

const LAPTOP = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 };
const PICTURES: { name: string; route: string; shows: string; as: BrowserContextOptions }[] = [
  { name: 'servers-light', route: '#/servers', shows: 'Servers', as: { ...LAPTOP, colorScheme: 'light' } },
  { name: 'servers-dark', route: '#/servers', shows: 'Servers', as: { ...LAPTOP, colorScheme: 'dark' } },
  { name: 'server-light', route: '#/servers/tracker', shows: 'tracker', as: { ...LAPTOP, colorScheme: 'light' } },
  { name: 'server-dark', route: '#/servers/tracker', shows: 'tracker', as: { ...LAPTOP, colorScheme: 'dark' } },
  { name: 'calls-light', route: '#/calls', shows: 'Calls', as: { ...LAPTOP, colorScheme: 'light' } },
  { name: 'calls-dark', route: '#/calls', shows: 'Calls', as: { ...LAPTOP, colorScheme: 'dark' } },
  { name: 'catalog-light', route: '#/catalog', shows: 'Catalog', as: { ...LAPTOP, colorScheme: 'light' } },
  { name: 'phone', route: '#/servers', shows: 'Servers', as: { ...PHONE, deviceScaleFactor: 2, colorScheme: 'dark' } },
];

test('the main pages are pictured in light, in dark and on a phone', async ({ lively, dashboard, machine }) => {
  await lively.editor.call('tracker__echo', { text: 'the last one' });
  const pages = [];
  for (const { route, shows, as } of PICTURES) {
    const page = await dashboard.open(route, as);
    await page.getByRole('heading', { name: shows }).first().waitFor();
    pages.push(page);
  }
  const servers = pages[0];
  // Memory and CPU of the processes: told within a few seconds of somebody looking.
  await servers
    ?.getByRole('row', { name: 'tracker' })
    .filter({ hasText: /\d+ MB/ })
    .waitFor();
  // A plot of one sample has no line; CPU is told from the second on.
  await pages[2]
    ?.getByText(/CPU \d/)
    .first()
    .waitFor();
  for (const [at, page] of pages.entries()) {
    const { name, route } = PICTURES[at] ?? { name: '', route: '' };
    await dashboard.show(page, route);
    // Pictures are taken wherever tests run, also as root; that they were is nothing to show.
    await page.evaluate(() => document.querySelector('[aria-label=Warnings]')?.remove());
    const picture = await page.screenshot();
    expect(picture.length).toBeGreaterThan(10_000);
    if (isWanted()) writeFileSync(join(folder(), `${name}.png`), picture);
  }
  expect((await machine.server('tracker')).state).toBe('running');
});

// — internal —

/** As `npm run screenshots` says. */
function isWanted(): boolean {
  return process.env['MCPD_SCREENSHOTS'] === '1';
}

function folder(): string {
  const path = join(packageRoot(), 'docs/screenshots');
  mkdirSync(path, { recursive: true });
  return path;
}
