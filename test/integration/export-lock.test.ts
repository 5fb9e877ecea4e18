import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FakeTools, fakeTools } from '../harness/fake-tools.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, type Installation, installationIn } from '../harness/installing.ts';
import { type NpmRegistry, startNpmRegistry, type TinyPackage } from '../harness/npm-registry.ts';

/** What one machine has is had by another: the same versions, and the same bytes or an error. */

const tiny = (version: string, text: string): TinyPackage => ({
  manifest: { name: '@acme/tiny', version, bin: 'cli.js' },
  files: { 'cli.js': `#!/usr/bin/env node\n// ${text}\n${SERVER}` },
});
const SERVER = `
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer(id, { tools: [] });
});
`;

let shared: TemporaryHome;
let npm: NpmRegistry;
let tampered: NpmRegistry;
let tools: FakeTools;
let here: Installation;
let there: { home: TemporaryHome; it: Installation };
let file = '';

beforeAll(async () => {
  shared = await temporaryHome();
  npm = await startNpmRegistry(shared.folder('registry'), [tiny('1.0.0', 'first'), tiny('1.1.0', 'newer')]);
  tampered = await startNpmRegistry(shared.folder('tampered'), [tiny('1.0.0', 'other bytes')]);
  tools = fakeTools(shared.folder('programs'), ['uv']);
  here = await installationIn(shared, { npmEnv: { npm_config_registry: npm.url }, programs: tools.folder });
  doneOf(await here.install({ spec: 'npm:@acme/tiny@1.0.0', name: 'tiny', args: ['--root', '/srv'] }));
});
afterAll(async () => {
  here.registry.close();
  await npm.close();
  await tampered.close();
  expect(await shared.cleanup()).toEqual([]);
});
beforeEach(async () => {
  const home = await temporaryHome();
  const registry = (url: string) =>
    installationIn(home, { npmEnv: { npm_config_registry: url }, programs: tools.folder });
  there = { home, it: await registry(npm.url) };
  file = join(home.root, 'mcpd.json');
});
afterEach(async () => {
  there.it.registry.close();
  expect(await there.home.cleanup()).toEqual([]);
});

const exported = () => here.installer.exportSet({ lock: true });
function apply(it: Installation, declared: object) {
  const text = JSON.stringify(declared);
  writeFileSync(file, text);
  return it.installer.apply({ path: file, text });
}
const packageIn = ({ registry }: Installation, name: string) => {
  const source = registry.server(name)?.source;
  return source !== undefined && 'package' in source ? source.package : null;
};
const wordsIn = ({ registry, paths }: Installation, name: string) => {
  const launch = registry.server(name)?.launch;
  return launch?.kind === 'stdio'
    ? [launch.command, ...launch.args].map((word) => word.replace(paths.packageOf(name), ''))
    : [];
};

test('an export with its lock is had by another machine at the very same versions and integrities', async () => {
  const declared = exported();
  expect(declared.mcpServers['tiny']).toEqual({
    install: 'npm:@acme/tiny@1.0.0',
    package: { integrity: expect.stringMatching(/^sha512-/) },
    args: ['--root', '/srv'],
  });
  expect(here.installer.exportSet().mcpServers['tiny']).not.toHaveProperty('package');

  expect(await apply(there.it, declared)).toMatchObject({ added: ['tiny'], failed: [], warnings: [] });
  expect(packageIn(there.it, 'tiny')).toEqual(packageIn(here, 'tiny'));
  expect(wordsIn(there.it, 'tiny')).toEqual(wordsIn(here, 'tiny'));
  expect(await apply(there.it, declared)).toMatchObject({ unchanged: ['tiny'], failed: [] });
});

test('another content under the same version is refused, and nothing of it stays', async () => {
  there.it.registry.close();
  const npmEnv = { npm_config_registry: tampered.url };
  there.it = await installationIn(there.home, { npmEnv });
  const declared = exported();
  const { failed, added } = await apply(there.it, declared);
  expect(added).toEqual([]);
  expect(failed).toMatchObject([{ name: 'tiny', error: { code: 'INTEGRITY_MISMATCH' } }]);
  expect(failed[0]?.error.why).toContain(packageIn(here, 'tiny')?.integrity);
  expect(there.it.registry.server('tiny')).toBeNull();

  // Without the lock it is taken as what it says it is.
  expect(await apply(there.it, here.installer.exportSet())).toMatchObject({ added: ['tiny'] });
});

test('a machine that has the same by hand has nothing to do', async () => {
  doneOf(await there.it.install({ spec: 'npm:@acme/tiny@1.0.0', name: 'tiny', args: ['--root', '/srv'] }));
  expect(await apply(there.it, exported())).toMatchObject({ unchanged: ['tiny'], failed: [] });
});

test('a package of PyPI takes its registry and its publisher’s words along, and any of its files will do', async () => {
  const path = join(shared.root, 'server.json');
  const server = { name: 'io.github.acme/suite', description: 'd', version: '1.0.0' };
  const pack = {
    ...{ registryType: 'pypi', identifier: 'acme-suite', version: '1.2.3', transport: { type: 'stdio' } },
    registryBaseUrl: 'https://pypi.acme.example',
    runtimeArguments: [{ type: 'named', name: '--from', value: 'acme-suite[mcp]==1.2.3' }],
  };
  writeFileSync(path, JSON.stringify({ ...server, packages: [pack] }));
  doneOf(await here.install({ spec: path, name: 'suite' }));
  const { suite } = exported().mcpServers;
  const integrity = packageIn(here, 'suite')?.integrity ?? '';
  expect(suite).toEqual({
    install: 'pypi:acme-suite@1.2.3',
    package: {
      ...{ integrity, registry: 'https://pypi.acme.example' },
      runtimeArguments: ['--from', 'acme-suite[mcp]==1.2.3'],
    },
  });
  tools.forget();
  const more = { ...suite?.package, integrity: `sha256-other ${integrity}` };
  expect(await apply(there.it, { mcpServers: { suite: { ...suite, package: more } } })).toMatchObject({ failed: [] });
  const fetch = tools.calls().find(({ argv: [word] }) => word === 'tool');
  expect(fetch?.argv).toEqual(expect.arrayContaining(['acme-suite[mcp]==1.2.3', 'https://pypi.acme.example/simple']));
  expect(packageIn(there.it, 'suite')).toEqual(packageIn(here, 'suite'));
});

test('"package" without "install" means nothing, and is said', async () => {
  const { failed } = await apply(there.it, {
    mcpServers: { x: { command: 'node', package: { integrity: 'sha512-x' } } },
  });
  expect(failed).toMatchObject([
    { name: 'x', error: { code: 'CONFIG_INVALID', why: expect.stringContaining('"install"') } },
  ]);
});
