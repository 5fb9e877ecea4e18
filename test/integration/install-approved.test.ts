import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Approvals } from '../../src/api/approvals.ts';
import type { InstallEvent, InstallRequest } from '../../src/api/contract.ts';
import type { Installer } from '../../src/install/install.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { type Installation, installationIn } from '../harness/installing.ts';
import { type NpmRegistry, startNpmRegistry } from '../harness/npm-registry.ts';
import { PlainControl } from '../harness/plain-control.ts';

/** A page asks for a package, a person says yes later: real plans and installs, from a registry of this test. */

const SERVER = `#!/usr/bin/env node
const { createInterface } = require('node:readline');
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer(id, { tools: [{ name: 'plain', inputSchema: { type: 'object' } }] });
});
`;
const PACKAGES = ['1.0.0', '2.0.0', '1.1.0'].map((version) => ({
  manifest: { name: '@acme/tiny', version, bin: 'cli.js' },
  files: { 'cli.js': SERVER },
}));

class InstallingControl extends PlainControl {
  readonly #installer: Installer;

  constructor(installer: Installer) {
    super();
    this.#installer = installer;
  }

  override plan(request: InstallRequest, options: { exact: boolean }) {
    return this.#installer.plan(request, options);
  }

  override install(request: InstallRequest, report: (event: InstallEvent) => void, signal: AbortSignal) {
    return this.#installer.install(request, report, signal);
  }
}

let shared: TemporaryHome;
let npm: NpmRegistry;
let home: TemporaryHome;
let it: Installation;
let approvals: Approvals;
beforeAll(async () => {
  shared = await temporaryHome();
  npm = await startNpmRegistry(shared.folder('packages'), PACKAGES);
});
afterAll(async () => {
  await npm.close();
  await shared.cleanup();
});
beforeEach(async () => {
  npm.tag('@acme/tiny', 'latest', '1.1.0');
  home = await temporaryHome();
  writeFileSync(join(home.userHome, '.npmrc'), `registry=${npm.url}\n`);
  it = await installationIn(home);
  approvals = new Approvals(new InstallingControl(it.installer));
});
afterEach(async () => {
  it.registry.close();
  expect(await home.cleanup()).toEqual([]);
});

const ask = (spec: string) => approvals.ask({ action: 'install', install: { spec } });

test.each(['npm:@acme/tiny', 'npm:@acme/tiny@latest', 'npm:@acme/tiny@^1.0.0'])(
  'the version of %s that was shown is installed, although a newer one came out before the yes',
  async (spec) => {
    const { id, details } = await ask(spec);
    expect(details.slice(0, 3)).toEqual([
      { label: 'fetch', value: 'npm:@acme/tiny@1.1.0' },
      { label: 'hash', value: expect.stringMatching(/^sha512-.{88}$/) },
      { label: 'run', value: expect.stringContaining('@acme/tiny@1.1.0') },
    ]);
    expect(existsSync(it.paths.packages) ? readdirSync(it.paths.packages) : []).toEqual([]);
    npm.tag('@acme/tiny', 'latest', '2.0.0');
    approvals.accept(id);
    await expect.poll(() => approvals.info(id)).toMatchObject({ state: 'done', error: null });
    expect(it.registry.server('tiny')?.source).toMatchObject({
      ref: 'npm:@acme/tiny@1.1.0',
      package: { version: '1.1.0' },
    });
  },
);

test('a version that is named is shown with its hash, and without one where nobody can be asked', async () => {
  const labels = async (spec: string) => (await ask(spec)).details.map(({ label, value }) => [label, value]);
  expect(await labels('npm:@acme/tiny@1.0.0')).toEqual([
    ['fetch', 'npm:@acme/tiny@1.0.0'],
    ['hash', expect.stringMatching(/^sha512-.{88}$/)],
    ['run', expect.stringContaining('@acme/tiny@1.0.0')],
  ]);
  writeFileSync(join(home.userHome, '.npmrc'), 'registry=http://127.0.0.1:9/\n');
  expect((await labels('npm:@acme/unseen@1.0.0')).map(([label]) => label)).toEqual(['fetch', 'run']);
});

test('what the registry does not have, or a registry that is not there, fails the request at once', async () => {
  await expect(ask('npm:@acme/tiny@7')).rejects.toMatchObject({ code: 'VERSION_UNKNOWN' });
  await expect(ask('npm:@acme/nonesuch')).rejects.toMatchObject({ code: 'PACKAGE_UNKNOWN' });
  writeFileSync(join(home.userHome, '.npmrc'), 'registry=http://127.0.0.1:9/\n');
  await expect(ask('npm:@acme/tiny')).rejects.toMatchObject({
    code: 'FETCH_FAILED',
    parts: { why: expect.stringContaining('127.0.0.1:9 could not be reached (ECONNREFUSED)') },
  });
  expect(approvals.list()).toEqual([]);
  expect(existsSync(it.paths.packages) ? readdirSync(it.paths.packages) : []).toEqual([]);
});
