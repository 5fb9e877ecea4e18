import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { InstallEvent } from '../../src/api/contract.ts';
import { DaemonClient } from '../../src/control/client.ts';
import { pathsOf } from '../../src/paths.ts';
import { freePort } from '../harness/home.ts';
import { type Machine, test } from '../harness/machine.ts';
import { json, npmServer, type PublishedVersion, type RegistryStandIn } from '../harness/mcp-registry.ts';
import { withRegistry } from '../harness/published.ts';

const SERVER = `#!/usr/bin/env node
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize')
    answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer({ tools: [{ name: 'given', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call')
    answer({ content: [{ type: 'text', text: JSON.stringify([process.argv.slice(2), process.env.ACME_UNITS, process.env.ACME_KEY]) }] });
});
`;

const WEATHER = 'io.github.acme/weather';

function weather(version: string, more: Partial<PublishedVersion> = {}): PublishedVersion {
  const packages = [
    {
      registryType: 'npm',
      identifier: '@acme/weather',
      version,
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'named', name: '--style', value: 'a b' }],
      environmentVariables: [
        { name: 'ACME_UNITS', default: 'metric' },
        { name: 'ACME_KEY', isRequired: true, isSecret: true },
      ],
    },
  ];
  const repository = { url: 'https://github.com/acme/weather', source: 'github' };
  const server = npmServer(WEATHER, version, '@acme/weather', { title: 'Acme weather', packages, repository });
  return { server, publishedAt: '2026-01-01T00:00:00Z', ...more };
}

describe('a server of an MCP registry', () => {
  test('is found, shown in full, installed by its name at the version that was shown, and works when the registry is gone', async ({
    machine,
  }) => {
    await withServers(machine, [weather('1.0.0', { isLatest: false }), weather('1.1.0')], async (registry) => {
      const place = new URL(registry.address).host;
      const hits = await machine.ok('search', 'weather', '--json');
      expect(hits).toMatchObject([
        { name: 'weather', source: 'catalog', registry: null, kinds: ['bundled'] },
        {
          ...{ name: WEATHER, title: 'Acme weather', version: '1.1.0', source: 'registry', registry: registry.address },
          ...{ origin: 'npm:@acme/weather', kinds: ['npm'], status: 'active', installed: false },
          repository: 'https://github.com/acme/weather',
          inputs: [{ name: 'ACME_UNITS' }, { name: 'ACME_KEY', required: true, secret: true }],
        },
      ]);
      const shown = await machine.ok('search', 'weather');
      expect(shown).toMatch(new RegExp(`^weather .*\\n\\nFrom ${place}\\nNAME .*\\n${WEATHER} +1\\.1\\.0 +npm `, 'ms'));

      const missing = await machine.cli('install', WEATHER, '--json');
      expect(missing.json.error).toMatchObject({ code: 'INPUT_MISSING', what: expect.stringContaining('ACME_KEY') });

      const ran = await machine.cli('install', `${WEATHER}@1.0.0`, '--name', 'acme', '--env', 'ACME_KEY=k3y', '--json');
      expect(ran.code, ran.stderr).toBe(0);
      expect(ran.stderr).toContain(
        `from     ${WEATHER} 1.0.0 (pinned) at ${place}, published by github.com/acme, https://github.com/acme/weather\n`,
      );
      expect(ran.stderr).toContain('fetch    npm:@acme/weather@1.0.0\n');
      expect(ran.json.server.source).toMatchObject({
        kind: 'registry',
        ref: `${WEATHER}@1.0.0`,
        package: { identifier: '@acme/weather', version: '1.0.0', integrity: expect.stringMatching(/^sha512-/) },
      });
      expect((await machine.ok('search', 'weather', '--json'))[1]).toMatchObject({ name: WEATHER, installed: true });
      await registry.close();
    });
    expect(await machine.ok('call', 'acme__given')).toBe('[["--style","a b"],"metric","k3y"]\n');
  });

  test('that was deleted is refused and leaves nothing; a deprecated one comes with a warning', async ({ machine }) => {
    const bad = { status: 'deleted', statusMessage: 'it read what it should not' };
    const old = { isLatest: false, status: 'deprecated', statusMessage: 'use com.acme/wind' };
    await withServers(machine, [weather('1.0.0', old), weather('1.1.0', bad)], async () => {
      const refused = await machine.cli('install', WEATHER, '--json');
      expect([refused.code, refused.json.error]).toEqual([
        8,
        {
          code: 'PACKAGE_DELETED',
          what: expect.stringContaining('1.1.0 was deleted from'),
          why: 'it read what it should not',
          fix: `mcpd install ${WEATHER}@1.0.0`,
        },
      ]);
      expectNothingLeft(machine);
      const ran = await machine.cli('install', `${WEATHER}@1.0.0`, '--env', 'ACME_KEY=k', '--json');
      expect(ran.json.warnings).toContain('Acme weather: version 1.0.0 is deprecated: use com.acme/wind');
      expect(ran.stderr).toContain('is deprecated: use com.acme/wind');
    });
  });
});

test('when no registry can be reached, the catalog is searched all the same and the host is named', async ({
  machine,
}) => {
  const gone = `http://127.0.0.1:${await freePort()}`;
  await machine.ok('registries', 'add', gone);
  const ran = await machine.cli('search', 'weather', '--json');
  expect([ran.code, ran.json.map(({ name }: { name: string }) => name)]).toEqual([0, ['weather']]);
  expect(ran.stderr).toContain(`${new URL(gone).host} cannot be reached: ECONNREFUSED; it was not searched`);
  const only = await machine.cli('search', 'weather', '--catalog', '--json');
  expect([only.json.length, only.stderr]).toEqual([1, '']);
  const install = await machine.cli('install', WEATHER, '--json');
  expect([install.code, install.json.error.code]).toEqual([5, 'FETCH_FAILED']);
  expectNothingLeft(machine);
});

test('which registries are asked is shown, set and forgotten; one that is not safe is refused', async ({ machine }) => {
  expect(await machine.ok('registries', '--json')).toEqual({ registries: [], from: 'environment', error: null });
  await machine.ok('registries', 'add', 'https://b.example/v0.1/');
  const two = await machine.ok('registries', 'add', 'https://a.example', '--first', '--json');
  expect(two).toMatchObject({
    registries: [{ address: 'https://a.example', place: 'a.example' }, { address: 'https://b.example' }],
    from: 'settings',
  });
  expect(await machine.ok('registries', 'remove', 'https://a.example/')).toBe('https://b.example\n');
  for (const address of ['http://c.example', 'file:///etc', 'https://u:p@c.example'])
    expect((await machine.cli('registries', 'add', address)).stderr, address).toContain('INPUT_INVALID');
  expect((await machine.cli('registries', 'remove', 'https://x.example')).code).toBe(2);
  expect((await machine.cli('registries', 'ad')).code).toBe(2);
  expect(await machine.ok('registries', 'reset', '--json')).toMatchObject({ from: 'environment' });
});

test('a shell line, a control character, a step of a path, a look-alike and 300 letters in every field are refused or shown harmless, and run nothing', async ({
  machine,
}) => {
  const trace = join(machine.home.root, 'trace');
  const hostile = [
    `$(touch ${trace}); touch ${trace}; \`touch ${trace}\``,
    '../../../../tmp/x',
    'a\0b',
    '\x1b[2J\x1b]0;owned\x07\u202egnp.exe',
    'ｗeather\u0430',
    'x'.repeat(300),
    '--help',
  ];
  const versions = hostile.flatMap((text, at) => hostileServers(text, `com.evil/h${at}`));
  await withServers(machine, [...versions, weather('1.0.0')], async (registry) => {
    registry.publish(
      ...hostile.map((text) => ({ server: { name: `com.evil/${text}`, version: '1.0.0', description: 'x' } })),
    );
    for (const word of ['evil', ...hostile.filter((text) => !text.includes('\0') && !text.startsWith('-'))]) {
      const ran = await machine.cli('search', word);
      expect([word, ran.code]).toEqual([word, 0]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(ran.stdout + ran.stderr, word).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    }
    const daemon = new DaemonClient(pathsOf(machine.home.mcpdHome));
    const never = new AbortController().signal;
    for (const { server } of versions) {
      const events: InstallEvent[] = [];
      for await (const event of daemon.lines<InstallEvent>('POST', '/api/servers', { spec: server.name }, never))
        events.push(event);
      expect([server, events.at(-1)?.type]).toEqual([server, 'failed']);
      expect(JSON.stringify(events.at(-1)), server.name).not.toContain('INTERNAL');
      expectNothingLeft(machine);
    }
    for (const text of hostile.filter((one) => !one.includes('\0'))) {
      for (const spec of [`com.evil/${text}`, `com.evil/ok@${text}`]) {
        const plan = daemon.request('POST', '/api/plans', { spec });
        await expect(plan, spec).rejects.toMatchObject({
          code: expect.stringMatching(/^(SPEC_INVALID|PACKAGE_UNKNOWN)$/),
        });
      }
    }
  });
  expect(existsSync(trace)).toBe(false);
  expect(await machine.ok('list', '--json')).toEqual([]);
});

test('a registry that answers nonsense, or leads elsewhere, is named, and no server comes of it', async ({
  machine,
}) => {
  await withServers(machine, [], async (registry) => {
    const place = new URL(registry.address).host;
    registry.fault = (_, response) => json(response, 200, { servers: 'none' });
    expect((await machine.cli('search', 'weather')).stderr).toContain(`${place} did not answer as an MCP registry`);
    registry.fault = (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    expect((await machine.cli('search', 'weather')).stderr).toContain('which mcpd does not follow');
    registry.fault = (_, response) =>
      json(response, 200, { server: npmServer('com.other/thing', '1.0.0', '@acme/weather') });
    const other = await machine.cli('install', WEATHER, '--json');
    expect(other.json.error).toMatchObject({ code: 'FETCH_FAILED', what: expect.stringContaining('another server') });
    expectNothingLeft(machine);
  });
});

// — internal —

/** Lends the machine an MCP registry with these servers, and npm with their packages. */
function withServers(
  machine: Machine,
  servers: readonly PublishedVersion[],
  work: (registry: RegistryStandIn) => Promise<void>,
): Promise<void> {
  return withRegistry(machine, { servers, versions: ['1.0.0', '1.1.0'], program: SERVER }, work);
}

/** One server for each field that can hold the text. */
function hostileServers(text: string, name: string): PublishedVersion[] {
  const pack = { registryType: 'npm', identifier: '@acme/weather', version: '1.0.0', transport: { type: 'stdio' } };
  const fields: Record<string, unknown>[] = [
    { packages: [{ ...pack, identifier: text }] },
    { packages: [{ ...pack, version: text }] },
    { packages: [{ ...pack, registryType: text }] },
    { packages: [{ ...pack, identifier: '@acme/nothing', registryBaseUrl: text }] },
    { packages: [{ ...pack, identifier: '@acme/nothing', runtimeHint: text }] },
    { packages: [{ ...pack, identifier: '@acme/nothing', runtimeArguments: [{ type: 'positional', value: text }] }] },
    {
      packages: [
        { ...pack, identifier: '@acme/nothing', packageArguments: [{ type: 'named', name: text, value: text }] },
      ],
    },
    { packages: [{ ...pack, identifier: '@acme/nothing', environmentVariables: [{ name: text, value: text }] }] },
    { packages: [{ ...pack, identifier: '@acme/nothing', fileSha256: text }] },
    { packages: [], remotes: [{ type: 'streamable-http', url: text }] },
    { packages: [], title: text, description: text, websiteUrl: text, repository: { url: text, source: text } },
  ];
  return fields.map((field, at) => ({
    server: npmServer(`${name}-${at}`, '1.0.0', '@acme/weather', { title: text, description: text, ...field }),
    publishedAt: '2026-01-01T00:00:00Z',
    statusMessage: text,
    ...(at === 0 ? { status: 'deprecated' } : {}),
  }));
}

function expectNothingLeft(machine: Machine): void {
  for (const folder of ['packages', 'data', 'logs']) {
    const path = join(machine.home.mcpdHome, folder);
    expect([folder, existsSync(path) ? readdirSync(path) : []]).toEqual([folder, []]);
  }
}
