import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { UpdateEvent, UpdateOffer } from '../../src/api/contract/updates.ts';
import { KEPT_AFTER_PROOF_MS } from '../../src/operation-limits.ts';
import { packageRoot } from '../../src/package-root.ts';
import { bundled } from '../harness/bundled-source.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, type Installation, installationIn } from '../harness/installing.ts';
import { type NpmRegistry, startNpmRegistry, type TinyPackage } from '../harness/npm-registry.ts';
import { until } from '../harness/until.ts';

/** A server with these tools; each version has another file for its program. */
const server = (tools: object[]) => `#!/usr/bin/env node
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer(id, { tools: ${JSON.stringify(tools)} });
});
`;
const read = { name: 'read', description: 'Reads a file', inputSchema: { type: 'object', properties: { path: {} } } };
const PACKAGES: TinyPackage[] = [
  {
    manifest: { name: '@acme/tiny', version: '1.0.0', bin: 'cli.js' },
    files: { 'cli.js': server([read, { name: 'old', inputSchema: { type: 'object' } }]) },
  },
  {
    manifest: { name: '@acme/tiny', version: '1.1.0', bin: 'bin/main.js' },
    files: {
      'bin/main.js': server([
        {
          ...read,
          description: 'Reads a file, and sends it away',
          inputSchema: { type: 'object', properties: { path: {}, to: {} } },
        },
        { name: 'new', description: 'A new one', inputSchema: { type: 'object' } },
      ]),
    },
  },
  {
    manifest: { name: '@acme/tiny', version: '2.0.0', bin: 'cli.js' },
    files: { 'cli.js': '#!/usr/bin/env node\nconsole.error("no key given"); process.exit(3);' },
    tag: 'next',
  },
];

let shared: TemporaryHome;
let npm: NpmRegistry;
let home: TemporaryHome;
let it: Installation;
beforeAll(async () => {
  shared = await temporaryHome();
  npm = await startNpmRegistry(shared.folder('registry'), PACKAGES);
});
afterAll(async () => {
  await npm.close();
  expect(await shared.cleanup()).toEqual([]);
});
beforeEach(async ({ onTestFinished }) => {
  home = await temporaryHome();
  it = await open();
  onTestFinished(async () => {
    it.registry.close();
    expect(await home.cleanup()).toEqual([]);
  });
});

const npmEnv = () => ({ npm_config_registry: npm.url });
const open = () => installationIn(home, { npmEnv: npmEnv() });
const signal = new AbortController().signal;

async function offered(to?: string): Promise<UpdateEvent> {
  const events: UpdateEvent[] = [];
  await it.installer.offerUpdate('tiny', to === undefined ? {} : { to }, (event) => events.push(event), signal);
  return events.at(-1) ?? { type: 'step', detail: 'nothing was told' };
}

async function offer(to?: string): Promise<UpdateOffer> {
  const last = await offered(to);
  if (last.type !== 'offer') throw new Error(`there was no offer: ${JSON.stringify(last)}`);
  return last.offer;
}

async function installed(spec = 'npm:@acme/tiny@1.0.0', args: string[] = []): Promise<void> {
  doneOf(await it.install({ spec, args }));
}

const version = () => {
  const source = it.registry.server('tiny')?.source;
  return source !== undefined && 'package' in source ? source.package?.version : undefined;
};
const folders = () =>
  readdirSync(it.paths.packageOf('tiny'))
    .map((name) => name.replace(/\.[0-9a-f]{8}$/, ''))
    .sort();

test('an update is shown before it is done: versions, and what tools say and take', async () => {
  await installed('npm:@acme/tiny@1.0.0', ['--root', '/srv']);
  const [state] = await it.installer.outdated();
  expect(state).toMatchObject({ server: 'tiny', installed: '1.0.0', available: '1.1.0', isOutdated: true, kept: null });

  const shown = await offer();
  expect(shown).toMatchObject({
    from: '1.0.0',
    to: '1.1.0',
    package: 'npm:@acme/tiny',
    moreChanges: 0,
    instructions: null,
  });
  expect(shown.changes).toEqual([
    {
      ...{ list: 'tools', key: 'read', change: 'changed' },
      members: [
        { name: 'description', before: '"Reads a file"', after: '"Reads a file, and sends it away"' },
        {
          name: 'inputSchema',
          before: '{"properties":{"path":{}},"type":"object"}',
          after: '{"properties":{"path":{},"to":{}},"type":"object"}',
        },
      ],
    },
    { list: 'tools', key: 'old', change: 'removed', members: [] },
    { list: 'tools', key: 'new', change: 'added', members: expect.any(Array) },
  ]);
  expect([version(), it.announced]).toEqual(['1.0.0', ['tiny']]);

  expect(await it.installer.update('tiny', shown.agreement)).toMatchObject({ from: '1.0.0', to: '1.1.0' });
  const launch = it.registry.server('tiny')?.launch;
  expect(launch?.kind === 'stdio' && launch.args).toEqual([
    expect.stringMatching(/1\.1\.0\/node_modules\/@acme\/tiny\/bin\/main\.js$/),
    '--root',
    '/srv',
  ]);
  expect(it.announced).toEqual(['tiny', 'tiny']);
  expect(folders()).toEqual(['1.0.0', '1.1.0']);
});

test('a yes is a yes to what was shown: neither to an older offer, nor after a change', async () => {
  await installed();
  const shown = await offer();
  await expect(it.installer.update('tiny', 'another')).rejects.toMatchObject({ code: 'UPDATE_CHANGED' });
  await it.installer.update('tiny', shown.agreement);
  await expect(it.installer.update('tiny', shown.agreement)).rejects.toMatchObject({ code: 'UPDATE_CHANGED' });
});

test('a version that does not start is no offer, leaves nothing, and the old one stays', async () => {
  await installed();
  expect(await offered('next')).toMatchObject({
    type: 'failed',
    error: { code: 'SERVER_START_FAILED' },
    stderrTail: ['no key given'],
  });
  expect(await offered('9.9.9')).toMatchObject({ type: 'failed', error: { code: 'VERSION_UNKNOWN' } });
  expect([version(), folders()]).toEqual(['1.0.0', ['1.0.0']]);
});

test('rollback brings the version before back, with its lists, and the other way round', async () => {
  await installed();
  await expect(it.installer.rollback('tiny')).rejects.toMatchObject({ code: 'NOTHING_KEPT' });
  await it.installer.update('tiny', (await offer()).agreement);
  it.registry.patch('tiny', { start: 'always' });
  expect(await it.installer.rollback('tiny')).toMatchObject({ from: '1.1.0', to: '1.0.0' });
  const back = it.registry.server('tiny');
  expect([version(), back?.start]).toEqual(['1.0.0', 'always']);
  const tools = it.registry.memoryOf('tiny', back?.fingerprint ?? '')?.lists[0]?.entries ?? [];
  expect(tools.map((tool) => JSON.parse(tool).name)).toEqual(['read', 'old']);
  expect(await it.installer.rollback('tiny')).toMatchObject({ from: '1.0.0', to: '1.1.0' });
});

test('one version that is named for an update leaves what is followed as it is; another tag or range takes its place', async () => {
  await installed('npm:@acme/tiny@~1.0.0');
  await it.installer.update('tiny', (await offer('1.1.0')).agreement);
  expect([version(), it.registry.server('tiny')?.source.ref]).toEqual(['1.1.0', 'npm:@acme/tiny@~1.0.0']);
  expect(await it.installer.outdated()).toMatchObject([{ installed: '1.1.0', available: '1.0.0' }]);
  await it.installer.update('tiny', (await offer('1.0')).agreement);
  expect([version(), it.registry.server('tiny')?.source.ref]).toEqual(['1.0.0', 'npm:@acme/tiny@1.0']);
});

test('a pinned server is passed over until a version is named or it is let go', async () => {
  await installed();
  it.installer.pin('tiny', true);
  expect(await it.installer.outdated()).toMatchObject([{ isOutdated: true, isPinned: true }]);
  expect(await offered()).toMatchObject({ type: 'failed', error: { code: 'SERVER_PINNED' } });
  expect(await offered('1.1.0')).toMatchObject({ type: 'offer' });
  it.installer.pin('tiny', false);
  expect(await offered()).toMatchObject({ type: 'offer' });
});

test('the version before is swept once the new one has proved itself and a day has passed, and goes with the server', async () => {
  await installed();
  await it.installer.update('tiny', (await offer()).agreement);
  const sweptAt = async (ms: number) => {
    it.registry.close();
    it = await installationIn(home, { npmEnv: npmEnv(), now: () => Date.now() + ms });
    await it.installer.plan({ spec: 'npm:@acme/tiny', name: 'other' }, { exact: true });
    return folders();
  };
  expect(await sweptAt(2 * KEPT_AFTER_PROOF_MS)).toEqual(['1.0.0', '1.1.0']);
  it.registry.kept.prove('tiny', Date.now());
  expect(await sweptAt(0)).toEqual(['1.0.0', '1.1.0']);
  expect(await sweptAt(2 * KEPT_AFTER_PROOF_MS)).toEqual(['1.1.0']);
  it.installer.pin('tiny', true);
  await it.installer.uninstall('tiny', { purge: true });
  expect(existsSync(it.paths.packageOf('tiny'))).toBe(false);
  expect([it.registry.kept.all().size, it.registry.kept.pins().size]).toEqual([0, 0]);
});

test('killed at any step, an install leaves nothing or a server, an update the old version or the new one, and the next run finishes it', async () => {
  const program = await bundled('test/integration/programs/killed-change.ts', home.root);
  // What is bundled looks for its own package above itself.
  copyFileSync(join(packageRoot(), 'package.json'), join(home.root, 'package.json'));
  /** Whether it was killed; it was done otherwise. */
  const killedAt = async (work: 'install' | 'update', moment: string): Promise<boolean> => {
    it.registry.close();
    const { mcpdHome, userHome, env } = home;
    const given = JSON.stringify({ mcpdHome, userHome, env, npmEnv: npmEnv(), work });
    const child = spawn(process.execPath, [program, given, moment], { stdio: 'inherit' });
    const [code, killed] = await once(child, 'close');
    expect([code, killed], moment).toEqual(killed === null ? [0, null] : [null, 'SIGKILL']);
    // Its guardian ends npm, which would otherwise write on while the next run sweeps.
    await until('all that it had started to be gone', () => home.processes().length === 0);
    it = await open();
    return killed !== null;
  };
  /** Each thing that is told until nothing is, and round the write. */
  const atEach = async (work: 'install' | 'update', check: (moment: string) => Promise<void>): Promise<number> => {
    let moments = 0;
    for (const moment of ['before save', 'after save']) {
      expect(await killedAt(work, moment), moment).toBe(true);
      await check(moment);
    }
    while (await killedAt(work, `event ${moments}`)) await check(`event ${moments++}`);
    return moments;
  };

  const installs = await atEach('install', async (moment) => {
    expect([undefined, '1.0.0']).toContain(version());
    if (moment.endsWith('save')) expect(version(), moment).toBe(moment === 'after save' ? '1.0.0' : undefined);
    if (version() === undefined) await installed();
    expect(it.registry.memoryOf('tiny', it.registry.server('tiny')?.fingerprint ?? '')?.lists[0]?.entries).toHaveLength(
      2,
    );
    expect(folders()).toEqual(['1.0.0']);
    await it.installer.uninstall('tiny', { purge: true });
  });
  expect(installs).toBeGreaterThan(3);
  expect(version()).toBe('1.0.0');

  const updates = await atEach('update', async (moment) => {
    expect(version(), moment).toBe(moment === 'after save' ? '1.1.0' : '1.0.0');
    if (version() === '1.0.0') await it.installer.update('tiny', (await offer()).agreement);
    // The sweep has taken what the killed one left: one folder for each of the two that can be started.
    expect([version(), folders()], moment).toEqual(['1.1.0', ['1.0.0', '1.1.0']]);
    expect(await it.installer.rollback('tiny')).toMatchObject({ to: '1.0.0' });
    it.registry.kept.drop('tiny');
  });
  expect(updates).toBeGreaterThan(3);
  expect([version(), existsSync(join(it.paths.packageOf('tiny')))]).toEqual(['1.1.0', true]);
  // Some thirty runs of npm, one after the other.
}, 600_000);
