import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { pathsOf } from '../../src/paths.ts';
import type { Machine } from '../harness/machine.ts';
import { npmServer, type PublishedVersion, type RegistryStandIn } from '../harness/mcp-registry.ts';
import { withRegistry } from '../harness/published.ts';
import { until } from '../harness/until.ts';
import { PHONE, test } from './dashboard.ts';
import { focused, tabTo } from './keys.ts';

/** What can be installed is found, looked at and installed from the page, with a person's yes from a terminal. */

test('a server of the catalog is found, looked at and installed without a mouse, and the way leads to it', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const page = await dashboard.open();
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  await page.keyboard.type('ga');
  const catalog = page.getByRole('table', { name: 'In the catalog' });
  await catalog
    .getByRole('row', { name: /^Airtable/ })
    .getByText('npm', { exact: true })
    .waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('to-do hosts');
  await until('one to be left', async () => (await catalog.getByRole('row').count()) === 2);
  await tabTo(page, 'To-do list');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/servers\/todo/).waitFor();
  await expectFacts(page, { From: 'the catalog that comes with mcpd', Package: 'none: it comes with mcpd' });
  await tabTo(page, 'Install');
  await page.keyboard.press('Enter');
  await dialog.getByText('mcpd approve').first().waitFor();
  const [{ id }] = await machine.ok('approve', '--json');
  expect(await machine.servers()).toEqual([]);
  await machine.ok('approve', id, '--yes');
  await dialog.getByText('It is done.').waitFor();
  await tabTo(page, 'See todo');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'todo', level: 1 }).waitFor();
  await page.goBack();
  await catalog.getByRole('row', { name: 'To-do list' }).getByRole('link', { name: 'todo' }).waitFor();
});

test('arrow keys lead from server to server, and Escape out of what was opened, back to where it was', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const page = await dashboard.open('#/catalog');
  const names = await page.getByRole('table').locator('[data-at=open]').allTextContents();
  await tabTo(page, names[0] ?? '');
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toBe(names[1]);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused(page)).toBe(names[1]);
});

test('a server of an MCP registry is shown whole, asks for what it needs, and is installed at the version that was shown', async ({
  machine,
  dashboard,
}) => {
  await withServers(machine, [weather('1.1.0')], async (registry) => {
    const page = await dashboard.open('#/catalog');
    await page.getByRole('searchbox').fill('weather');
    const { host } = new URL(registry.address);
    const row = page.getByRole('table', { name: `From ${host}` }).getByRole('row', { name: 'Acme weather' });
    await row.getByText('deprecated', { exact: true }).waitFor();
    await row.getByText('use com.acme/wind').waitFor();
    await row.getByRole('button').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/--style 'a b'/).waitFor();
    await expectFacts(page, {
      From: host,
      Package: 'npm:@acme/weather@1.1.0',
      Version: '1.1.0, and no other until you update it',
      Publisher: 'github.com/acme',
      Variables: 'ACME_KEY',
      'Asks for': 'ACME_UNITS (optional), ACME_KEY (secret)',
      Repository: 'https://github.com/acme/weather',
    });
    await dialog.getByRole('button', { name: 'Install' }).click();
    await dialog.getByText('It needs a value').waitFor();
    const key = dialog.getByLabel('ACME_KEY');
    expect(await key.getAttribute('type')).toBe('password');
    await key.fill('k3y-of-acme');
    await dialog.getByLabel('Name').fill('acme');
    await dialog.getByRole('button', { name: 'Install' }).click();
    await dialog.getByText('mcpd approve').first().waitFor();
    expect(await dialog.innerHTML()).not.toContain('k3y-of-acme');
    // What appears after it was shown is not what is installed.
    registry.publish(weather('2.0.0'));
    const [{ id }] = await machine.ok('approve', '--json');
    await machine.ok('approve', id, '--yes');
    await dialog.getByText('It is done.').waitFor();
    expect(await machine.server('acme')).toMatchObject({
      source: { kind: 'registry', ref: 'io.github.acme/weather@1.1.0', package: { version: '1.1.0' } },
    });
    await page.keyboard.press('Escape');
    await row.getByRole('link', { name: 'acme' }).waitFor();
  });
});

test('a name that is taken is said beside its field, and with another one the install can go on', async ({
  machine,
  dashboard,
}) => {
  await machine.add('todo', 'echo');
  const page = await dashboard.open('#/catalog?q=todo', {}, /status of 409/);
  await page.getByRole('button', { name: 'To-do list' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/todo/).filter({ hasText: 'already' }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Install' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Name').fill('tasks');
  await dialog.getByText(/servers\/todo/).waitFor();
  await dialog.getByRole('button', { name: 'Install' }).click();
  await dialog.getByText('install tasks and run its program').waitFor();
});

test('what is refused before anybody is asked leads back to what was filled in', async ({ machine, dashboard }) => {
  await machine.startDaemon();
  const page = await dashboard.open('#/catalog?q=filesystem', {}, /status of 400/);
  await page.getByRole('button', { name: 'Filesystem' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('directory').fill('not/absolute');
  await dialog.getByLabel('Name').fill('files');
  await dialog.getByText('It runs, as you').waitFor();
  await dialog.getByRole('button', { name: 'Install' }).click();
  await dialog.getByRole('alert').getByText('it must be an absolute path').waitFor();
  await dialog.getByRole('button', { name: 'Back' }).click();
  expect(await dialog.getByLabel('directory').inputValue()).toBe('not/absolute');
  expect(await dialog.getByLabel('Name').inputValue()).toBe('files');
});

test('a registry that cannot be reached is named, and what it said before is shown as old', async ({
  machine,
  dashboard,
}) => {
  await withServers(machine, [weather('1.1.0')], async (registry) => {
    const { host } = new URL(registry.address);
    const page = await dashboard.open('#/catalog?q=weather');
    const section = page.getByRole('region', { name: `From ${host}` });
    await section.getByRole('button', { name: 'Acme weather' }).waitFor();
    await registry.close();
    makeOld(machine);
    await page.reload();
    await section.getByText(`${host} cannot be reached: ECONNREFUSED. Shown is what ${host} said`).waitFor();
    await section.getByRole('button', { name: 'Acme weather' }).waitFor();
    await page.getByRole('searchbox').fill('wea');
    await section.getByText(`${host} cannot be reached: ECONNREFUSED. It was not searched.`).waitFor();
    await page.getByRole('table', { name: 'In the catalog' }).getByRole('button', { name: 'Weather' }).waitFor();
    expect(await section.getByRole('button', { name: 'Acme weather' }).count()).toBe(0);
  });
});

test('what publishers write is text: nothing of it runs, loads, or is a link that leads elsewhere than it says', async ({
  machine,
  dashboard,
}) => {
  const markup = '<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>';
  const hostile = weather('1.0.0');
  Object.assign(hostile.server, {
    title: `Evil ${markup}`,
    description: `does ${markup}`,
    websiteUrl: 'javascript:globalThis.pwned=1',
    repository: { url: 'https://github.com@evil.example/acme', source: markup },
  });
  await withServers(machine, [{ ...hostile, statusMessage: `says ${markup}` }], async () => {
    const page = await dashboard.open('#/catalog?q=weather');
    await page.getByRole('button', { name: 'Evil <img' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It runs, as you').waitFor();
    await dialog.getByText(`says ${markup}`).first().waitFor();
    const harm = await page.evaluate(() => ({
      pwned: 'pwned' in globalThis,
      scripts: [...document.scripts].map((script) => script.getAttribute('src')),
      images: [...document.querySelectorAll('img')].map((image) => image.getAttribute('src')),
      links: [...document.querySelectorAll('a')]
        .map((link) => link.getAttribute('href') ?? '')
        .filter((href) => !href.startsWith('#/')),
    }));
    expect(harm).toEqual({ pwned: false, scripts: ['/main.js'], images: ['/icon.svg'], links: [] });
  });
});

test('on a phone all of it stays within the window', async ({ machine, dashboard }) => {
  await withServers(machine, [weather('1.1.0')], async () => {
    const phone = await dashboard.open('#/catalog?q=weather', PHONE);
    await phone.getByRole('button', { name: 'Acme weather' }).waitFor();
    expect(await overhang(phone)).toBe(0);
    await phone.getByRole('button', { name: 'Acme weather' }).click();
    await phone.getByText('It runs, as you').waitFor();
    expect(await overhang(phone)).toBe(0);
  });
});

// — internal —

const SERVER = `#!/usr/bin/env node
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize')
    answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer({ tools: [{ name: 'now', inputSchema: { type: 'object' } }] });
});
`;

function weather(version: string): PublishedVersion {
  const packages = [
    {
      ...{ registryType: 'npm', identifier: '@acme/weather', version, transport: { type: 'stdio' } },
      packageArguments: [{ type: 'named', name: '--style', value: 'a b' }],
      environmentVariables: [{ name: 'ACME_UNITS' }, { name: 'ACME_KEY', isRequired: true, isSecret: true }],
    },
  ];
  const repository = { url: 'https://github.com/acme/weather', source: 'github' };
  const more = { title: 'Acme weather', packages, repository };
  return {
    server: npmServer('io.github.acme/weather', version, '@acme/weather', more),
    ...{ publishedAt: '2026-01-01T00:00:00Z', status: 'deprecated', statusMessage: 'use com.acme/wind' },
  };
}

/** Lends the machine an MCP registry with these servers, and npm with their packages. */
function withServers(
  machine: Machine,
  servers: readonly PublishedVersion[],
  work: (registry: RegistryStandIn) => Promise<void>,
): Promise<void> {
  return withRegistry(machine, { servers, versions: ['1.1.0', '2.0.0'], program: SERVER }, work);
}

/** Whatever registries said, they said it yesterday. */
function makeOld(machine: Machine): void {
  const folder = pathsOf(machine.home.mcpdHome).registryAnswers;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...kept, at: kept.at - 86_400_000 }));
  }
}

/** What the open dialog says of each of these. */
async function expectFacts(page: Page, facts: Record<string, string>): Promise<void> {
  const pairs = page.getByRole('dialog').locator('.pair');
  for (const [name, value] of Object.entries(facts)) {
    const pair = pairs.filter({ has: page.locator('dt').getByText(name, { exact: true }) });
    expect([name, await pair.locator('dd').textContent()]).toEqual([name, value]);
  }
}

/** Pixels by which the page is wider than its window. */
function overhang(page: Page): Promise<number> {
  return page.evaluate(() => {
    const dialog = document.querySelector('dialog');
    const inDialog = dialog === null ? 0 : dialog.scrollWidth - dialog.clientWidth;
    return Math.max(document.documentElement.scrollWidth - innerWidth, inDialog);
  });
}
