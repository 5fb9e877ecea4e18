import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { UpdateEvent, UpdateOffer } from '../../src/api/contract/updates.ts';
import { inBundle, writeBundle } from '../harness/bundle.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, type Installation, installationIn } from '../harness/installing.ts';

/** Newer bundles at the same place: the command line is the new manifest's, the values are the person's. */

let home: TemporaryHome;
let it: Installation;
let name = '';
let count = 0;

beforeAll(async () => {
  home = await temporaryHome();
  it = await installationIn(home, { catalog: [] });
});
afterAll(async () => {
  it.registry.close();
  expect(await home.cleanup()).toEqual([]);
});
beforeEach(() => {
  count += 1;
  name = `bundle-${count}`;
});

const signal = new AbortController().signal;
const plain = (value: string) => ({ value, secret: false });

/** The bundle of this test as it is published now. */
function publish(version: string, args: string[], more: object = {}, env: Record<string, string> = {}): string {
  const manifest = {
    version,
    server: {
      ...{ type: 'node', entry_point: 'server/index.js' },
      mcp_config: { command: 'node', args: [`${inBundle('__dirname')}/server/index.js`, ...args], env },
    },
    user_config: {
      token: { type: 'string', sensitive: true, required: true },
      folders: { type: 'directory', multiple: true, required: true },
      level: { type: 'number', default: 1 },
      ...more,
    },
  };
  return writeBundle(home.userHome, { manifest }, `${name}.mcpb`);
}

async function installed(path: string): Promise<void> {
  const env = { token: { value: 's3cr3t-t0ken', secret: true }, folders: plain('./one\n~/two') };
  doneOf(await it.install({ spec: path, name, env, args: ['--mine'], cwd: home.userHome }));
}

async function offered(to?: string): Promise<UpdateEvent | undefined> {
  const events: UpdateEvent[] = [];
  await it.installer.offerUpdate(name, to === undefined ? {} : { to }, (event) => events.push(event), signal);
  return events.at(-1);
}

async function updated(): Promise<UpdateOffer> {
  const last = await offered();
  if (last?.type !== 'offer') throw new Error(`there was no offer: ${JSON.stringify(last)}`);
  await it.installer.update(name, last.offer.agreement);
  return last.offer;
}

const launch = () => {
  const found = it.registry.server(name)?.launch;
  if (found?.kind !== 'stdio') throw new RangeError(`${name} has no process`);
  return found;
};
const state = async () => (await it.installer.outdated()).find(({ server }) => server === name);

test('takes the arguments and variables of the new manifest, with the values that the person gave', async () => {
  await installed(
    publish('1.0.0', ['--old', inBundle('user_config.folders')], {}, { TOKEN: inBundle('user_config.token') }),
  );
  const env = { ACME_TOKEN: inBundle('user_config.token') };
  publish('2.0.0', [`--level=${inBundle('user_config.level')}`, '--', inBundle('user_config.folders')], {}, env);
  expect(await state()).toMatchObject({ installed: '1.0.0', available: '2.0.0', isOutdated: true });

  expect(await updated()).toMatchObject({ from: '1.0.0', to: '2.0.0' });
  const { args, cwd } = launch();
  expect(cwd).toMatch(/2\.0\.0$/);
  expect(args).toEqual([
    `${cwd}/server/index.js`,
    ...['--level=1', '--', `${home.userHome}/one`, `${home.userHome}/two`, '--mine'],
  ]);
  expect(launch().env).toEqual({ ACME_TOKEN: inBundle('secret:token') });
  expect(JSON.stringify(it.registry.server(name))).not.toContain('s3cr3t');

  expect(await it.installer.rollback(name)).toMatchObject({ from: '2.0.0', to: '1.0.0' });
  expect(launch().args).toContain('--old');
  expect(launch().env).toEqual({ TOKEN: inBundle('secret:token') });
});

test('is outdated too when another bundle of the same version is there', async () => {
  await installed(publish('1.0.0', ['--old']));
  expect(await state()).toMatchObject({ isOutdated: false });
  publish('1.0.0', ['--fixed']);
  expect(await state()).toMatchObject({ isOutdated: true, available: expect.stringMatching(/^1\.0\.0@sha256:/) });
  await updated();
  expect(launch().args).toContain('--fixed');
});

test('stays where the new one asks what nobody gave, and says how it is given', async () => {
  await installed(publish('1.0.0', ['--old']));
  publish('2.0.0', [`--key=${inBundle('user_config.region')}`], { region: { type: 'string', required: true } });
  const last = await offered();
  expect(last).toMatchObject({ type: 'failed', error: { code: 'INPUT_MISSING' } });
  expect(JSON.stringify(last)).toContain('--env region=VALUE');
  expect(launch().args).toContain('--old');
});

test('has the version that is there, and no other', async () => {
  await installed(publish('1.0.0', []));
  publish('2.0.0', []);
  expect(await offered('3.0.0')).toMatchObject({ type: 'failed', error: { code: 'VERSION_UNKNOWN' } });
  expect(await offered('2.0.0')).toMatchObject({ type: 'offer' });
});

test('that was built anew under the version that was shown is not run', async () => {
  await installed(publish('1.0.0', ['--old']));
  publish('2.0.0', ['--shown']);
  const { to, integrity } = await it.installer.nextVersion(name, null);
  publish('2.0.0', ['--rebuilt']);
  const events: UpdateEvent[] = [];
  const request = { exactly: to, integrity: integrity ?? expect.fail('its integrity is known') };
  await it.installer.offerUpdate(name, request, (event) => events.push(event), signal);
  expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'UPDATE_CHANGED' } });
});

test('of an older mcpd, which kept no values by themselves, keeps its arguments and says so', async () => {
  await installed(publish('1.0.0', ['--old']));
  const definition = it.registry.server(name);
  if (definition?.source.kind !== 'mcpb') throw new RangeError('it is a bundle');
  const { asked: _, ...pack } = definition.source.package;
  it.registry.saveServer({ ...definition, source: { ...definition.source, package: pack } }, null);
  publish('2.0.0', ['--new']);
  const events: UpdateEvent[] = [];
  await it.installer.offerUpdate(name, {}, (event) => events.push(event), signal);
  expect(events).toContainEqual({
    type: 'warning',
    text: expect.stringContaining('its arguments stay those of 1.0.0'),
  });
  expect(events.at(-1)).toMatchObject({ type: 'offer', offer: { commandLine: expect.stringContaining('--old') } });
});
