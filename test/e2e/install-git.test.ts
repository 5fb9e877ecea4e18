import { join } from 'node:path';
import { expect } from 'vitest';
import { gitRepository } from '../harness/git-repository.ts';
import { test } from '../harness/machine.ts';

const SERVER = `const { createInterface } = require('node:readline');
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer(id, { tools: [{ name: 'plain', inputSchema: { type: 'object' } }] });
});
`;

test('a repository is shown at its commit, installed, updated and exported from the command line', async ({
  machine,
}) => {
  const from = gitRepository(join(machine.home.root, 'weather'));
  const first = from.commit({ 'package.json': '{"name":"@acme/mcp","bin":"cli.js"}', 'cli.js': SERVER });
  expect(await machine.ok('install', from.url, '--dry-run', '--json')).toMatchObject({
    ...{ name: 'weather', fetch: `git:${from.url}#${first}`, versionIs: 'exact' },
  });
  await machine.ok('install', `git+${from.url}`, '--json');
  const second = from.commit({ 'cli.js': `${SERVER}// 2\n` });
  const outdated = await machine.cli('outdated');
  expect(outdated.stdout).toContain(`${first.slice(0, 12)}  ${second.slice(0, 12)}`);
  await machine.ok('update', 'weather', '--yes', '--json');
  const exported = await machine.ok('export', '--json');
  expect(exported).toMatchObject({ mcpServers: { weather: { install: `git:${from.url}#${second}` } } });
});
