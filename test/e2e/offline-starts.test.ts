import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { loadCatalog } from '../../registry/catalog.ts';
import { type Machine, test } from '../harness/machine.ts';
import { npmServer, startMcpRegistry } from '../harness/mcp-registry.ts';
import { startNpmRegistry, type TinyPackage } from '../harness/npm-registry.ts';

/** Ten installs by npm on a machine at work. */
const TEN_INSTALLS_MS = 240_000;

/** How each is installed, by the name it gets: its package, and what a person says. */
const BY_CATALOG = ['memory', 'sequential-thinking', 'everything'];
const BY_PACKAGE = { plain: 'plain', 'acme-notes': '@acme/notes', tagged: 'tagged' };
const BY_REGISTRY = { weather: '@acme/weather', maps: 'maps-mcp' };
const BY_SNIPPET = { pasted: 'pasted-mcp', 'pasted-too': '@acme/pasted' };

test('ten servers of npm, by catalog, package, registry and pasted snippet, start when nothing can be fetched any more', {
  timeout: TEN_INSTALLS_MS,
}, async ({ machine }) => {
  const own = BY_CATALOG.map(catalogPackage);
  const others = { ...BY_PACKAGE, ...BY_REGISTRY, ...BY_SNIPPET };
  const npm = await startNpmRegistry(machine.home.folder('published'), [
    WORDS,
    ...own.map(({ identifier, version }) => packageOf(identifier, version)),
    ...Object.values(others).map((identifier) => packageOf(identifier, '1.0.0')),
  ]);
  const registry = await startMcpRegistry(
    Object.entries(BY_REGISTRY).map(([name, identifier]) => ({
      server: npmServer(`io.github.acme/${name}`, '1.0.0', identifier),
      publishedAt: '2026-01-01T00:00:00Z',
    })),
  );
  writeFileSync(join(machine.home.userHome, '.npmrc'), `registry=${npm.url}\n`);
  const told = installersThatTell(machine);
  const npmFolder = join(machine.home.userHome, '.npm');
  try {
    await machine.startDaemon();
    await machine.ok('registries', 'add', registry.address);
    const snippet = Object.entries(BY_SNIPPET).map(([name, identifier]) => [
      name,
      { command: 'npx', args: ['-y', identifier] },
    ]);
    const pasted = JSON.stringify({ mcpServers: Object.fromEntries(snippet) });
    const named = (name: string, spec: string) => machine.ok('install', spec, '--name', name, '--yes');
    await Promise.all([
      ...BY_CATALOG.map((name) => named(name, name)),
      ...Object.entries(BY_PACKAGE).map(([name, identifier]) => named(name, `npm:${identifier}`)),
      ...Object.keys(BY_REGISTRY).map((name) => named(name, `io.github.acme/${name}`)),
      machine.ok('install', pasted, '--yes'),
    ]);
  } finally {
    await Promise.all([npm.close(), registry.close()]);
  }
  const fetched = [...own.map(({ identifier }) => identifier), ...Object.values(others), 'words'];
  for (const identifier of fetched)
    expect(npm.requests.join('\n'), identifier).toMatch(new RegExp(`${identifier.replace('/', '(/|%2f)')}/-/`, 'i'));

  // A daemon that remembers nothing of the installs; npm writes here whatever it is asked.
  await machine.ok('down', '--now');
  expect(existsSync(npmFolder)).toBe(true);
  rmSync(npmFolder, { recursive: true });
  told.begin();
  await machine.startDaemon();
  const asked = [npm.requests.length, registry.requests.length];
  const names = [...BY_CATALOG, ...Object.keys(others)].sort();
  expect((await machine.servers()).map(({ name, state }) => `${name} ${state}`).sort()).toEqual(
    names.map((name) => `${name} stopped`),
  );
  await machine.ok('start', ...names);
  const host = await machine.connected();
  for (const name of names) {
    expect(await machine.server(name)).toMatchObject({ state: 'running', listed: true, counts: { tools: 1 } });
    expect(JSON.stringify(await host.call(`${name}__who`)), name).toContain(`says ${identifierOf(name)}`);
  }
  expect((await host.toolNames()).sort()).toEqual(names.map((name) => `${name}__who`).sort());
  expect([npm.requests.length, registry.requests.length]).toEqual(asked);
  expect([existsSync(npmFolder), told.runs()]).toEqual([false, false]);

  function identifierOf(name: string): string {
    const at = BY_CATALOG.indexOf(name);
    return own[at]?.identifier ?? (others as Record<string, string>)[name] ?? '';
  }
});

// — internal —

/** What all of them depend on: that has to be there too. */
const WORDS: TinyPackage = {
  manifest: { name: 'words', version: '2.0.0', main: 'index.js' },
  files: { 'index.js': `module.exports = (name) => 'says ' + name;` },
};

function packageOf(identifier: string, version: string): TinyPackage {
  return {
    manifest: { name: identifier, version, bin: 'cli.js', dependencies: { words: '^2.0.0' } },
    files: { 'cli.js': serverText(identifier) },
  };
}

function serverText(identifier: string): string {
  return `#!/usr/bin/env node
const text = require('words')(${JSON.stringify(identifier)});
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize')
    answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer(id, { tools: [{ name: 'who', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') answer(id, { content: [{ type: 'text', text }] });
});
`;
}

function catalogPackage(name: string): { identifier: string; version: string } {
  const pack = loadCatalog().find((entry) => entry.name === name)?.published.packages[0];
  if (pack?.kind !== 'npm' || pack.version === null) throw new RangeError(`${name} is no pinned package of npm`);
  return { identifier: pack.identifier, version: pack.version };
}

/** From `begin` on, whoever looks for npm or npx on the PATH finds programs that only tell that they were run. */
function installersThatTell({ home }: Machine) {
  const folder = home.folder('programs');
  const record = join(folder, 'ran');
  writeFileSync(join(home.userHome, '.profile'), `PATH='${folder}':$PATH\n`);
  return {
    begin: () => {
      for (const name of ['npm', 'npx']) {
        writeFileSync(join(folder, name), `#!/bin/sh\necho "$0 $*" >> '${record}'\nexit 1\n`);
        chmodSync(join(folder, name), 0o755);
      }
    },
    runs: () => existsSync(record),
  };
}
