import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../harness/machine.ts';
import { npmServer, type PublishedVersion } from '../harness/mcp-registry.ts';
import { withRegistry } from '../harness/published.ts';

const SERVER = `#!/usr/bin/env node
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize')
    answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer({ tools: [] });
});
`;

test('the doctor names what an MCP registry has deleted since it was installed, and what could not be asked', async ({
  machine,
}) => {
  const published: PublishedVersion = {
    server: npmServer('io.github.acme/weather', '1.0.0', '@acme/weather'),
    publishedAt: '2026-01-01T00:00:00Z',
  };
  await withRegistry(machine, { servers: [published], versions: ['1.0.0'], program: SERVER }, async (registry) => {
    await machine.ok('install', 'io.github.acme/weather', '--yes', '--name', 'acme');
    expect((await machine.cli('doctor')).stdout).toContain('in good standing');

    Object.assign(published, { status: 'deleted', statusMessage: 'it steals' });
    rmSync(join(machine.home.mcpdHome, 'registry-answers'), { recursive: true });
    expect((await machine.cli('doctor')).stdout).toMatch(
      /acme: io\.github\.acme\/weather 1\.0\.0 is deleted at .*: it steals/,
    );

    rmSync(join(machine.home.mcpdHome, 'registry-answers'), { recursive: true });
    registry.fault = (_, response) => response.writeHead(503).end();
    expect((await machine.cli('doctor')).stdout).toContain('how io.github.acme/weather stands could not be asked');
  });
});
