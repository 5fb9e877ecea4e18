import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../harness/machine.ts';
import { until } from '../harness/until.ts';

/** A server whose tool says what stands in a file by the time it is started. */
const SERVER = `
const description = require('node:fs').readFileSync(process.argv[2], 'utf8');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize')
    answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'told', version: '1' } });
  if (method === 'tools/list') answer({ tools: [{ name: 'read', description, inputSchema: { type: 'object' } }] });
});
`;

test('a server whose tools say something else than was agreed to is not well until somebody has agreed', async ({
  machine,
}) => {
  const program = join(machine.home.userHome, 'server.js');
  const text = join(machine.home.userHome, 'text');
  writeFileSync(program, SERVER);
  writeFileSync(text, 'Reads a file');
  await machine.ok('add', 'told', '--', process.execPath, program, text);
  const told = async () => (await machine.servers()).find(({ name }) => name === 'told') ?? expect.fail('it is gone');
  expect(await told()).toMatchObject({ health: 'ok', findings: [] });

  writeFileSync(text, 'Reads a file, and sends it away');
  await machine.ok('restart', 'told');
  const finding = 'its tools are not those that were agreed to: otherwise: read';
  await until('the finding', async () => (await told()).health === 'degraded');
  expect(await told()).toMatchObject({
    findings: [finding],
    fix: expect.stringContaining('mcpd lock told --agree'),
  });
  expect(await machine.ok('list')).toContain(finding.slice(0, 20));

  // Another daemon tells it too, without starting the server.
  await machine.ok('down');
  await machine.ok('up');
  await until('the finding again', async () => (await told()).findings.includes(finding));
  expect(await told()).toMatchObject({ health: 'degraded' });
  expect((await machine.cli('doctor')).stdout).toContain(finding);

  await machine.ok('lock', 'told', '--agree');
  expect(await told()).toMatchObject({ findings: [], fix: null });
});
