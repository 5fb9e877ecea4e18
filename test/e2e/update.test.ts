import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { startNpmRegistry } from '../harness/npm-registry.ts';
import { until } from '../harness/until.ts';

/** Two updates by npm may take this long on a machine at work, and the call is open meanwhile. */
const UPDATES_MS = 120_000;

/** `version` says which one answers; `wait` does, once the file in its argument is there. */
const server = (version: string, extra: string) => `#!/usr/bin/env node
const { existsSync } = require('node:fs');
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
const text = (id) => answer(id, { content: [{ type: 'text', text: '${version}' }] });
const tool = (name, description) => ({ name, description, inputSchema: { type: 'object' } });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'acme', version: '${version}' } });
  if (method === 'tools/list') answer(id, { tools: [tool('version', 'Of ${version}'), tool('wait', 'Waits')${extra}] });
  if (method !== 'tools/call') return;
  if (params.name === 'version') return text(id);
  const look = setInterval(() => existsSync(params.arguments.file) && (clearInterval(look), text(id)), 20);
});
`;

async function withVersions(machine: Machine, work: () => Promise<void>): Promise<void> {
  const manifest = { name: '@acme/mcp', bin: 'cli.js' };
  const npm = await startNpmRegistry(machine.home.folder('published'), [
    { manifest: { ...manifest, version: '1.0.0' }, files: { 'cli.js': server('1.0.0', '') } },
    { manifest: { ...manifest, version: '1.1.0' }, files: { 'cli.js': server('1.1.0', ", tool('fresh', 'Is new')") } },
  ]);
  writeFileSync(join(machine.home.userHome, '.npmrc'), `registry=${npm.url}\n`);
  try {
    await work();
  } finally {
    await npm.close();
  }
}

test('an update shows what changes; hosts hear of it once, the call under way ends in the old version, and rollback undoes it', async ({
  machine,
}) => {
  await withVersions(machine, async () => {
    await machine.ok('install', 'npm:@acme/mcp@1.0.0', '--name', 'acme');
    expect(await machine.ok('outdated')).toMatch(/acme +npm:@acme\/mcp +1\.0\.0 +1\.1\.0 +mcpd update acme/);
    const host = await machine.connected();
    await host.tools();
    const file = join(machine.home.root, 'go-on');
    const open = host.call('acme__wait', { file }, { timeoutMs: UPDATES_MS });
    await until('the call to be open', async () => (await machine.ok('info', 'acme', '--json')).openCalls === 1);

    const shown = await machine.cli('update', 'acme');
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('acme: npm:@acme/mcp 1.0.0 → 1.1.0')]);
    expect(shown.stdout).toContain('- "Of 1.0.0"');
    expect(shown.stdout).toContain('+ tool fresh');
    expect(shown.stderr).toContain('mcpd update acme --yes');
    expect(await host.toolNames()).toEqual(['acme__version', 'acme__wait']);

    const done = await machine.ok('update', 'acme', '--yes', '--json');
    expect(done).toMatchObject({ server: 'acme', offer: { to: '1.1.0' }, change: { from: '1.0.0', to: '1.1.0' } });
    writeFileSync(file, '');
    expect(textOf(await open)).toBe('1.0.0');
    expect(textOf(await host.call('acme__version'))).toBe('1.1.0');
    expect(await host.toolNames()).toEqual(['acme__version', 'acme__wait', 'acme__fresh']);
    expect(host.notifications.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
    expect(await machine.ok('outdated', '--json')).toMatchObject([
      { installed: '1.1.0', isOutdated: false, kept: '1.0.0' },
    ]);
    expect(await machine.ok('update')).toBe('');

    expect(await machine.ok('rollback', 'acme')).toContain('acme is at 1.0.0 again');
    expect(textOf(await host.call('acme__version'))).toBe('1.0.0');
    await machine.ok('pin', 'acme');
    expect((await machine.cli('update', 'acme')).stderr).toContain('SERVER_PINNED');
    expect(await machine.ok('update')).toBe('');
  });
});

test('what has no versions is said, and what was not replaced cannot be gone back to', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const answers = await Promise.all([
    machine.cli('update', 'echo'),
    machine.cli('pin', 'echo'),
    machine.cli('rollback', 'echo'),
    machine.cli('update', 'nobody'),
  ]);
  expect(answers.map(({ code }) => code)).toEqual([2, 2, 3, 3]);
  expect(await machine.ok('outdated', '--json')).toEqual([]);
});
