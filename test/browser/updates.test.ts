import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ApprovalCode, ApprovalInfo } from '../../src/api/contract/approvals.ts';
import { DaemonClient } from '../../src/control/client.ts';
import { pathsOf } from '../../src/paths.ts';
import type { Machine } from '../harness/machine.ts';
import { withRegistry } from '../harness/published.ts';
import { until } from '../harness/until.ts';
import { seriousIn } from './axe.ts';
import { LAPTOP, PHONE, test } from './dashboard.ts';
import { focused, tabTo } from './keys.ts';

/** A newer version is found, looked at and taken from the page, and the one before is had again, each with a person's yes. */

test('a newer version is tried and seen before it is taken, and the one before can be had again', async ({
  machine,
  dashboard,
}) => {
  await withVersions(machine, async () => {
    await machine.ok('install', 'npm:@acme/weather@1.1.0', '--name', 'weather', '--yes');
    const page = await dashboard.open('#/catalog');
    await page.getByText('Nobody has looked for newer versions').waitFor();
    await page.getByRole('button', { name: 'Look for newer versions' }).click();
    const row = page.getByRole('table', { name: 'Updates' }).getByRole('row', { name: 'weather' });
    await row.getByText('2.0.0', { exact: true }).waitFor();
    await page.getByText('a newer version for 1 of 1 server').waitFor();
    await tabTo(page, 'Update weather');
    await page.keyboard.press('Enter');

    const dialog = page.getByRole('dialog');
    await dialog.getByText('npm:@acme/weather@2.0.0').waitFor();
    expect(await dialog.getByRole('button', { name: 'Update to 2.0.0…' }).count()).toBe(0);
    await sayYes(machine);

    const changes = dialog.getByRole('region', { name: 'What changes' });
    await changes.getByRole('heading', { name: 'changed tool now' }).waitFor();
    expect(await changes.locator('del').allTextContents()).toEqual(['- Tells the time', '- be brief']);
    expect(await changes.locator('ins').allTextContents()).toContain(`+ Tells all ${MARKUP}`);
    await changes.getByRole('heading', { name: 'added tool later' }).waitFor();
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(await versionOf(machine)).toBe('1.1.0');
    expect(await seriousIn(page)).toEqual([]);
    await page.setViewportSize(PHONE.viewport);
    // A window is laid out anew some moments after it was made smaller.
    await until('all of it to be within a narrow window', async () => (await overhang(page)) === 0);
    await page.setViewportSize(LAPTOP);

    await tabTo(page, 'Update to 2.0.0…');
    await page.keyboard.press('Enter');
    await dialog.getByText('update weather from 1.1.0 to 2.0.0').waitFor();
    const client = clientOf(machine);
    const { id, details } = await waiting(client);
    expect(JSON.stringify(details)).toContain('Tells all <img');
    const { code } = await client.request<ApprovalCode>('POST', `/api/approvals/${id}/code`);
    await dialog.getByLabel('Or the code of').fill(code);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('It is done.').waitFor();
    expect(await versionOf(machine)).toBe('2.0.0');
    await page.keyboard.press('Escape');
    await row.waitFor({ state: 'detached' });

    await dashboard.show(page, '#/servers/weather');
    const version = page.getByRole('region', { name: 'Version' });
    await version.getByText('2.0.0, which is installed').waitFor();
    await version.getByRole('button', { name: 'Hold at 2.0.0' }).click();
    await version.getByText('2.0.0, and held there').waitFor();
    await version.getByRole('button', { name: 'Go back to 1.1.0…' }).click();
    await dialog.getByText('go back to 1.1.0 of weather', { exact: true }).waitFor();
    await sayYes(machine);
    await dialog.getByText('It is done.').waitFor();
    await page.keyboard.press('Escape');
    await version.getByText('1.1.0, and held there').waitFor();
    expect(await version.getByRole('button', { name: 'Update to' }).count()).toBe(0);
    await version.getByRole('button', { name: 'Let it be updated' }).click();
    await version.getByRole('button', { name: 'Update to 2.0.0…' }).waitFor();
    expect(await versionOf(machine)).toBe('1.1.0');
  });
});

test('a configuration is pasted: each server of it is looked at, asks for what it needs and is agreed to by itself', async ({
  machine,
  dashboard,
}) => {
  await withVersions(machine, async () => {
    const page = await dashboard.open('#/catalog');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate((text) => navigator.clipboard.writeText(text), SNIPPET);
    await page.getByRole('button', { name: 'Paste or name…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What').fill('githib');
    await dialog.getByText('Did you mean').waitFor();
    await dialog.getByRole('list', { name: 'Did you mean' }).getByRole('button', { name: 'github' }).waitFor();
    await dialog.getByLabel('What').fill('');
    await page.keyboard.press('Control+V');

    const list = dialog.getByRole('list', { name: 'Servers in it' });
    await list.getByText('npm:@acme/weather --units').waitFor();
    await list.getByText('switched off there').waitFor();
    await dialog.getByRole('alert').getByText('the entry broken will not do').waitFor();
    expect(await dialog.innerHTML()).not.toContain('k3y-of-acme');
    await tabTo(page, ((await list.getByRole('button').first().textContent()) ?? '').trim());
    await page.keyboard.press('Enter');
    await dialog.getByText('ACME_KEY=(a secret, kept apart)').waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Install' }).click();
    await dialog.getByText('It needs a value').waitFor();
    await dialog.getByLabel('UNITS').fill('metric');
    await dialog.getByRole('button', { name: 'Install' }).click();
    await dialog.getByText('npm:@acme/weather@2.0.0').waitFor();
    expect(await dialog.innerHTML()).not.toContain('k3y-of-acme');
    expect(await machine.servers()).toEqual([]);
    await sayYes(machine);
    await dialog.getByText('It is done.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await list.getByText('installed', { exact: true }).waitFor();
    expect((await machine.server('weather')).launch).toMatchObject({
      args: expect.arrayContaining(['--units', 'metric']),
    });

    await list.getByRole('button', { name: 'tools' }).click();
    await dialog.getByText('It would run, as you').waitFor();
    await dialog.getByLabel('Folder').fill(machine.home.userHome);
    await dialog.getByRole('button', { name: 'Install' }).click();
    await dialog.getByText('add tools and run a program of this machine').waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Paste or name…');
    expect((await machine.servers()).map(({ name }) => name)).toEqual(['weather']);
  });
});

// — internal —

const MARKUP = '<img src=x onerror="globalThis.pwned=1">';

/** Its second version says and does more, and tells models nothing. */
const SERVER = `#!/usr/bin/env node
const isFirst = require('./package.json').version.startsWith('1.');
const now = { name: 'now', description: isFirst ? 'Tells the time' : ${JSON.stringify(`Tells all ${MARKUP}`)}, inputSchema: { type: 'object' } };
const tools = isFirst ? [now] : [now, { name: 'later', description: 'A new one', inputSchema: { type: 'object' } }];
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize')
    answer({
      protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' },
      ...(isFirst ? { instructions: 'be brief' } : {}),
    });
  if (method === 'tools/list') answer({ tools });
});
`;

/** As people paste it: with a comment, a key, something to fill in, and an entry that will not do. */
const SNIPPET = `{
  // mine
  "mcpServers": {
    "weather": {
      "command": "npx", "args": ["-y", "@acme/weather", "--units", "\${UNITS}"], "env": { "ACME_KEY": "k3y-of-acme-0123456789" },
    },
    "tools": { "command": "node", "args": ["tools.js"], "disabled": true },
    "broken": { "command": 7, "url": "https://mcp.example" },
  },
}`;

function withVersions(machine: Machine, work: () => Promise<void>): Promise<void> {
  return withRegistry(machine, { servers: [], versions: ['1.1.0', '2.0.0'], program: SERVER }, work);
}

function clientOf({ home }: Machine): DaemonClient {
  return new DaemonClient(pathsOf(home.mcpdHome));
}

/** The one thing that waits for a person. */
async function waiting(client: DaemonClient): Promise<ApprovalInfo> {
  const all = await client.request<ApprovalInfo[]>('GET', '/api/approvals');
  const [first, ...others] = all.filter(({ state }) => state === 'waiting');
  if (first === undefined || others.length > 0) throw new Error(`${all.length} wait`);
  return first;
}

/** As `mcpd approve ID --yes` does. */
async function sayYes(machine: Machine): Promise<void> {
  const client = clientOf(machine);
  await client.request('POST', `/api/approvals/${(await waiting(client)).id}/accept`);
}

async function versionOf(machine: Machine): Promise<string | undefined> {
  const { source } = await machine.server('weather');
  return 'package' in source ? source.package?.version : undefined;
}

/** Pixels by which the page is wider than a phone. */
function overhang(page: Page): Promise<number> {
  return page.evaluate((width) => {
    const dialog = document.querySelector('dialog');
    const inDialog = dialog === null ? 0 : dialog.scrollWidth - dialog.clientWidth;
    return innerWidth > width
      ? innerWidth - width
      : Math.max(document.documentElement.scrollWidth - innerWidth, inDialog);
  }, PHONE.viewport.width);
}
