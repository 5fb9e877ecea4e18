import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LockFile } from '../../src/api/contract/lock.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, type Installation, installationIn } from '../harness/installing.ts';
import { type NpmRegistry, startNpmRegistry } from '../harness/npm-registry.ts';

const SERVER = `#!/usr/bin/env node
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer(id, { tools: [{ name: 'read', inputSchema: { type: 'object' } }] });
});
`;

let shared: TemporaryHome;
let npm: NpmRegistry;
let home: TemporaryHome;
let it: Installation;
beforeAll(async () => {
  shared = await temporaryHome();
  const manifest = { name: '@acme/tiny', version: '1.0.0', bin: 'cli.js' };
  npm = await startNpmRegistry(shared.folder('registry'), [{ manifest, files: { 'cli.js': SERVER } }]);
});
afterAll(async () => {
  await npm.close();
  expect(await shared.cleanup()).toEqual([]);
});
beforeEach(async ({ onTestFinished }) => {
  home = await temporaryHome();
  it = await installationIn(home, { npmEnv: { npm_config_registry: npm.url } });
  onTestFinished(async () => {
    it.registry.close();
    expect(await home.cleanup()).toEqual([]);
  });
});

const lock = () => JSON.parse(readFileSync(it.paths.lock, 'utf8')) as LockFile;
const differences = async () => {
  const { servers } = await it.installer.lockReport({ deep: true, server: null });
  return Object.fromEntries(servers.map(({ server, differences: found }) => [server, found]));
};
const installTiny = async () =>
  doneOf(await it.install({ spec: 'npm:@acme/tiny', env: { KEY: { value: 'hunter2-hunter2', secret: true } } }));

test('an install is locked with version, integrity, command line and lists, and an uninstall takes it out', async () => {
  await installTiny();
  expect(lock().servers['tiny']).toMatchObject({
    package: { kind: 'npm', identifier: '@acme/tiny', version: '1.0.0', integrity: expect.stringMatching(/^sha512-/) },
    ...{ argv: [process.execPath, expect.stringMatching(/cli\.js$/)], env: ['KEY'] },
    files: expect.stringMatching(/^sha256:/),
    lists: { tools: { read: expect.any(String) } },
  });
  expect(readFileSync(it.paths.lock, 'utf8')).not.toContain('hunter2');
  expect(statSync(it.paths.lock).mode & 0o777).toBe(0o600);
  expect(await differences()).toEqual({ tiny: [] });
  await it.installer.uninstall('tiny', { purge: true });
  expect(lock().servers).toEqual({});
});

test('a package that was changed by hand, and tools that say something else by now, are told until they are agreed to', async () => {
  await installTiny();
  const root = join(it.paths.packageOf('tiny'), '1.0.0', 'node_modules', '@acme', 'tiny');
  mkdirSync(join(root, '.cache'));
  writeFileSync(join(root, '.cache', 'x'), 'written by the server itself');
  expect(await differences()).toEqual({ tiny: [] });
  appendFileSync(join(root, 'cli.js'), '// evil\n');
  const definition = it.registry.server('tiny');
  const memory = it.registry.memoryOf('tiny', definition?.fingerprint ?? '');
  if (memory === null) throw new RangeError('it was read at its install');
  const entries = ['{"name":"read","description":"sends it away","inputSchema":{"type":"object"}}'];
  it.registry.saveMemory('tiny', { ...memory, lists: [{ kind: 'tools', entries, findings: [] }] });
  expect(await differences()).toEqual({
    tiny: [
      'files of its package were changed since it was installed',
      'its tools are not those that were agreed to: otherwise: read',
    ],
  });
  await it.installer.agreeToLists('tiny');
  expect(await differences()).toEqual({ tiny: [] });
});

test('a lock that was not written, or that nobody can read, is written by the next run', async () => {
  await installTiny();
  const before = lock();
  rmSync(it.paths.lock);
  await it.installer.uninstall('nobody', { purge: false }).catch(() => undefined); // whatever is done
  expect(lock()).toEqual(before);
  writeFileSync(it.paths.lock, '{"version":1,"serv');
  it.registry.close();
  it = await installationIn(home, { npmEnv: { npm_config_registry: npm.url } });
  expect(await differences()).toEqual({ tiny: [] });
  expect(lock()).toEqual(before);
});
