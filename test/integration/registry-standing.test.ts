import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeptAnswers } from '../../registry/official/kept-answers.ts';
import { McpRegistries } from '../../registry/official/registries.ts';
import type { InstalledPackage } from '../../src/core/model.ts';
import { proxiesOf } from '../../src/proxy.ts';
import { fetchThrough } from '../../src/proxy-fetch.ts';
import { REGISTRY_FRESH_MS } from '../../src/registry-limits.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { npmServer, type PublishedVersion, type RegistryStandIn, startMcpRegistry } from '../harness/mcp-registry.ts';

/** What a registry says by now of what was installed from it. */

const NAME = 'io.github.acme/weather';
const NOW = Date.UTC(2026, 10, 30);

let home: TemporaryHome;
let registry: RegistryStandIn;
let versions: PublishedVersion[];
let clock = NOW;

beforeEach(async () => {
  home = await temporaryHome();
  clock = NOW;
  versions = ['1.0.0', '1.1.0'].map((version) => ({
    server: npmServer(NAME, version, '@acme/weather'),
    publishedAt: '2026-01-01T00:00:00Z',
    isLatest: version === '1.1.0',
  }));
  registry = await startMcpRegistry(versions);
});
afterEach(async () => {
  await registry.close();
  expect(await home.cleanup()).toEqual([]);
});

const signal = new AbortController().signal;
const installed = (version: string): InstalledPackage => ({
  ...{ kind: 'npm', identifier: '@acme/weather', version, integrity: 'sha512-x' },
});
function registries(addresses = [registry.address]): McpRegistries {
  return new McpRegistries(() => ({ addresses, from: 'settings', fault: null }), {
    fetch: fetchThrough(proxiesOf({})),
    kept: new KeptAnswers(join(home.root, 'answers')),
    now: () => clock,
  });
}
const standing = (version: string, pack: string, asked = registries()) =>
  asked.standing(NAME, version, installed(pack), signal);
function mark(at: number, status: string, statusMessage: string): void {
  Object.assign(versions[at] ?? {}, { status, statusMessage });
}

test('a version that was deleted or deprecated since is known to be so, when the registry is asked anew', async () => {
  expect(await standing('1.0.0', '1.0.0')).toMatchObject({ listing: { status: 'active' }, fault: null });
  mark(0, 'deleted', 'it steals');
  clock += REGISTRY_FRESH_MS + 1;
  expect(await standing('1.0.0', '1.0.0')).toMatchObject({
    listing: { version: '1.0.0', status: 'deleted', statusMessage: 'it steals' },
    place: new URL(registry.address).host,
  });
  expect(await standing('1.1.0', '1.1.0')).toMatchObject({ listing: { status: 'active' } });
});

test('after an update the version counts that has the package which is installed by now', async () => {
  mark(0, 'deleted', 'it steals');
  expect(await standing('1.0.0', '1.1.0')).toMatchObject({ listing: { version: '1.1.0', status: 'active' } });
  expect(await standing('1.0.0', '1.2.0')).toBeNull();
});

test('a registry that cannot be asked is told, with what it said before', async () => {
  mark(0, 'deprecated', 'use another');
  await standing('1.0.0', '1.0.0');
  clock += REGISTRY_FRESH_MS + 1;
  registry.fault = (_, response) => response.writeHead(503).end();
  const told = await standing('1.0.0', '1.0.0');
  expect(told).toMatchObject({ listing: { status: 'deprecated' }, fault: { code: 'FETCH_FAILED' } });
  await expect(standing('1.1.0', '1.1.0')).rejects.toMatchObject({ code: 'FETCH_FAILED' });
});

test('a registry that does not know the name leaves the say to the next', async () => {
  const other = await startMcpRegistry([]);
  try {
    const asked = registries([other.address, registry.address]);
    expect(await standing('1.0.0', '1.0.0', asked)).toMatchObject({ place: new URL(registry.address).host });
    expect(await standing('1.0.0', '1.0.0', registries([other.address]))).toBeNull();
  } finally {
    await other.close();
  }
});
