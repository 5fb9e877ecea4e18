import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../harness/machine.ts';
import { startNpmRegistry } from '../harness/npm-registry.ts';

test('a dry run of a pasted configuration shows the plan of each server in it, asks nothing and installs nothing', async ({
  machine,
}) => {
  const registry = await startNpmRegistry(machine.home.folder('registry'), [
    { manifest: { name: '@acme/mcp', version: '1.2.0', bin: './server.js' }, files: { 'server.js': 'none runs' } },
  ]);
  writeFileSync(join(machine.home.userHome, '.npmrc'), `registry=${registry.url}\n`);
  const pasted = JSON.stringify({
    mcpServers: {
      acme: { command: 'npx', args: ['-y', '@acme/mcp', '--mode', '<mode>'], env: { API_TOKEN: '<your token>' } },
      plain: { command: 'serve-plain', args: ['a b'], env: { LEVEL: '3' }, disabled: true },
      remote: { url: 'https://mcp.acme.example/mcp' },
      odd: { command: 'npx', args: ['x'], env: ['A=1'] },
    },
  });
  try {
    const told = await machine.cliWith(
      { input: pasted },
      'install',
      '-',
      '--dry-run',
      '--env',
      'API_TOKEN=x',
      '--json',
    );
    const shown = told.json.plans.map((plan: Record<string, unknown>) => [
      plan['name'],
      plan['fetch'],
      plan['versionIs'],
    ]);
    expect(shown).toEqual([
      ['acme', 'npm:@acme/mcp@1.2.0', 'exact'],
      ['plain', null, 'none'],
      ['remote', null, 'none'],
    ]);
    const [acme, plain, remote] = told.json.plans;
    expect(acme).toMatchObject({ inputs: [{ name: 'mode' }], variables: ['API_TOKEN'], isDisabled: false });
    expect(acme.commandLine).toMatch(/--mode '?<mode>'?$/);
    expect(plain).toMatchObject({ commandLine: "serve-plain 'a b'", variables: ['LEVEL'], isDisabled: true });
    expect(remote.commandLine).toContain('https://mcp.acme.example/mcp');
    expect([told.code, told.json.failed]).toEqual([2, [expect.objectContaining({ name: 'odd' })]]);

    const read = await machine.cliWith({ input: pasted }, 'install', '-', '--dry-run');
    expect(read.stderr).toContain('npm:@acme/mcp@1.2.0');
    expect(read.stderr).toContain('Nothing was installed.');
    expect(await machine.ok('list', '--json')).toEqual([]);
    expect(existsSync(join(machine.home.mcpdHome, 'packages', 'acme'))).toBe(false);

    const named = await machine.ok('install', 'npm:@acme/mcp', '--dry-run', '--json');
    const integrity = expect.stringMatching(/^sha512-.{88}$/);
    expect(named).toMatchObject({ fetch: 'npm:@acme/mcp@1.2.0', versionIs: 'exact', integrity });
    expect((await machine.cli('install', 'npm:@acme/mcp@1.2.0', '--dry-run')).stderr).toMatch(/^hash +sha512-/m);
    const unknown = await machine.cli('install', 'npm:@acme/mcp@9.9.9', '--dry-run', '--json');
    expect([unknown.code, unknown.json.error.code]).toEqual([3, 'VERSION_UNKNOWN']);
  } finally {
    await registry.close();
  }
  // Nobody can be asked for the hash of a version that is named: the plan is shown without it.
  const offline = await machine.ok('install', 'npm:@acme/never-seen@1.2.0', '--dry-run', '--json');
  expect(offline).toMatchObject({ fetch: 'npm:@acme/never-seen@1.2.0', integrity: null });
});
