import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { test } from '../harness/machine.ts';
import { startNpmRegistry } from '../harness/npm-registry.ts';

const SERVER = `#!/usr/bin/env node
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize')
    answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer({ tools: [{ name: 'given', inputSchema: { type: 'object' } }] });
  const { API_TOKEN, MODE } = process.env;
  if (method === 'tools/call')
    answer({ content: [{ type: 'text', text: JSON.stringify({ argv: process.argv.slice(2).map((word) => word.length), MODE, token: API_TOKEN?.length }) }] });
});
`;
const TOKEN = 'sk-Kq7Vd02mZx81LpWc55';

test('what a README prints is installed by pasting it: pinned, with its values, secrets apart, and each entry by itself', async ({
  machine,
}) => {
  const registry = await startNpmRegistry(machine.home.folder('registry'), [
    { manifest: { name: '@acme/mcp', version: '1.2.0', bin: './server.js' }, files: { 'server.js': SERVER } },
  ]);
  writeFileSync(join(machine.home.userHome, '.npmrc'), `registry=${registry.url}\n`);
  const [command = '', ...args] = fake('echo');
  const pasted = `{
    // copied from a page
    "mcpServers": {
      "acme": {
        "command": "npx", "args": ["-y", "@acme/mcp", "--api-key", "${TOKEN}", "--mode", "fast",],
        "env": { "API_TOKEN": "\${env:ACME_TOKEN}", "MODE": "<mode>" },
      },
      "plain": { "command": ${JSON.stringify(command)}, "args": ${JSON.stringify(args)} },
      "off": { "command": "npx", "args": ["-y", "@acme/mcp"], "disabled": true },
      "odd": { "command": "npx", "args": 1e3, "env": ["A=1"] },
    },
  }`;
  try {
    const unasked = await machine.cliWith(
      { input: pasted },
      'install',
      '-',
      '--env',
      'MODE=ro',
      '--env',
      'ACME_TOKEN=x',
      '--json',
    );
    expect([unasked.code, unasked.json.installed, unasked.json.failed[0].error]).toEqual([
      2,
      [],
      expect.objectContaining({ code: 'USAGE', fix: 'mcpd install - --yes' }),
    ]);
    const ran = await machine.cliWith(
      { input: pasted, env: { ACME_TOKEN: TOKEN } },
      ...['install', '-', '--yes', '--env', 'MODE=ro', '--json'],
    );
    expect(ran.json.failed).toEqual([
      {
        name: 'odd',
        error: expect.objectContaining({ why: 'line 10, column 54: the variables should be texts by their names' }),
      },
    ]);
    expect([ran.code, ran.json.skipped]).toEqual([2, ['off']]);
    expect(
      ran.json.installed.map(({ server }: { server: { name: string; source: object } }) => [
        server.name,
        server.source,
      ]),
    ).toEqual([
      ['acme', expect.objectContaining({ kind: 'npm', package: expect.objectContaining({ version: '1.2.0' }) })],
      ['plain', expect.objectContaining({ kind: 'command' })],
    ]);
    expect(JSON.parse(await machine.ok('call', 'acme__given'))).toEqual({
      argv: ['--api-key'.length, TOKEN.length, '--mode'.length, 'fast'.length],
      MODE: 'ro',
      token: TOKEN.length,
    });
    expect(filesWith(TOKEN, machine.home.mcpdHome).filter((file) => !/secret/.test(file))).toEqual([]);
    expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
  } finally {
    await registry.close();
  }
});

test('a file with a configuration, or its text, is as good; one server may be called otherwise', async ({
  machine,
}) => {
  const [command, ...args] = fake('echo');
  const file = join(machine.home.userHome, 'mcp.json');
  writeFileSync(file, JSON.stringify({ servers: { one: { type: 'stdio', command, args } }, inputs: [] }));
  expect(await machine.ok('install', './mcp.json', '--yes')).toContain('one is installed');
  const text = `"two": ${JSON.stringify({ command: [command, ...args] })},`;
  expect(await machine.ok('install', text, '--yes', '--name', 'other')).toContain('other is installed');
  expect((await machine.servers()).map(({ name }) => name).sort()).toEqual(['one', 'other']);

  const broken = await machine.cli('install', '{"mcpServers": {"a": {"command" "x"}}}', '--json');
  expect([broken.code, broken.json.error.code, broken.json.error.why]).toEqual([
    2,
    'CONFIG_INVALID',
    'line 1, column 33: a colon should be here',
  ]);
  for (const options of [
    ['--name', 'x'],
    ['--env', 'NOBODY=1'],
    ['--header', 'A: b'],
  ]) {
    const refused = await machine.cli(
      'install',
      JSON.stringify({ a: { command: 'x' }, b: { command: 'y' } }),
      ...options,
      '--json',
    );
    expect(refused.json.error.code, options.join(' ')).toBe('USAGE');
  }
});

function filesWith(text: string, folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
  return files.filter((file) => statSync(file).isFile() && readFileSync(file).includes(text));
}
