import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { UpdateEvent, UpdateOffer, VersionState } from '../../src/api/contract/updates.ts';
import type { ServerSource } from '../../src/core/model.ts';
import { DIGEST, type FakeTools, fakeTools } from '../harness/fake-tools.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, type Installation, installationIn } from '../harness/installing.ts';

/** Newer versions of packages of PyPI, of images and of tools of NuGet, by programs that note how they were asked. */

const OTHER_DIGEST = `sha256:${'e'.repeat(64)}`;

let home: TemporaryHome;
let tools: FakeTools;
let it: Installation;
let count = 0;
let name = '';

beforeAll(async () => {
  home = await temporaryHome();
  tools = fakeTools(home.folder('programs'), ['uv', 'docker', 'dnx', 'dotnet']);
  it = await installationIn(home, { programs: tools.folder });
});
afterAll(async () => {
  it.registry.close();
  expect(await home.cleanup()).toEqual([]);
});
beforeEach(() => {
  count += 1;
  name = `acme-${count}`;
  tools.publish({});
});
afterEach(async () => {
  if (it.registry.server(name) !== null) await it.installer.uninstall(name, { purge: true });
});

const signal = new AbortController().signal;

/** As a publisher describes it, where `pack` is given; else what a person names. */
async function installed(pack: object | string, args: string[] = []): Promise<void> {
  const spec = typeof pack === 'string' ? pack : documentOf(pack);
  doneOf(await it.install({ spec, name, args }));
  tools.forget();
}

function documentOf(pack: object): string {
  const path = join(home.root, `server-${count}.json`);
  const server = { name: `io.github.acme/${name}`, description: 'd', version: '1.0.0' };
  writeFileSync(path, JSON.stringify({ ...server, packages: [{ transport: { type: 'stdio' }, ...pack }] }));
  return path;
}

async function state(): Promise<VersionState> {
  const states = await it.installer.outdated();
  return states.find(({ server }) => server === name) ?? expect.fail(`${name} has no package`);
}

async function offered(to?: string): Promise<UpdateEvent | undefined> {
  const events: UpdateEvent[] = [];
  await it.installer.offerUpdate(name, to === undefined ? {} : { to }, (event) => events.push(event), signal);
  return events.at(-1);
}

async function updated(to?: string): Promise<UpdateOffer> {
  const last = await offered(to);
  if (last?.type !== 'offer') throw new Error(`there was no offer: ${JSON.stringify(last)}`);
  await it.installer.update(name, last.offer.agreement);
  return last.offer;
}

const argv = () => {
  const launch = it.registry.server(name)?.launch;
  return launch?.kind === 'stdio' ? [launch.command, ...launch.args] : [];
};
/** As an older mcpd left it, which did not keep what a package was asked for with. */
function withoutAsked(): void {
  const definition = it.registry.server(name);
  if (definition === null || !('package' in definition.source) || definition.source.package == null)
    throw new RangeError(`${name} has no package`);
  const { asked, ...pack } = definition.source.package;
  expect(asked).toHaveProperty('registry');
  const source = { ...definition.source, package: pack } as ServerSource;
  it.registry.saveServer({ ...definition, source }, null);
}

describe('a package of PyPI', () => {
  const pack = {
    ...{ registryType: 'pypi', identifier: 'acme-suite', version: '1.2.3' },
    registryBaseUrl: 'https://pypi.acme.example',
    runtimeArguments: [
      { type: 'named', name: '--from', value: 'acme-suite[mcp]==1.2.3' },
      { type: 'named', name: '--python', value: '3.12' },
    ],
  };
  const index = ['--index-url', 'https://pypi.acme.example/simple'];

  test('is asked for and fetched as the first time: from the same registry, out of the same package', async () => {
    await installed(pack, ['--local']);
    expect(await state()).toMatchObject({ installed: '1.2.3', available: '9.9.9', isOutdated: true, error: null });
    expect(tools.calls().at(-1)?.argv).toEqual(expect.arrayContaining(['pip', 'compile', ...index]));

    tools.forget();
    expect(await updated()).toMatchObject({ from: '1.2.3', to: '9.9.9' });
    const fetch = tools.calls().find(({ argv: words }) => words[0] === 'tool');
    expect(fetch?.argv).toEqual([
      'tool',
      'install',
      'acme-suite[mcp]==9.9.9',
      '--no-build',
      '--python',
      '3.12',
      ...index,
    ]);
    expect(argv()).toEqual([join(it.paths.packageOf(name), '9.9.9', 'bin', 'acme-suite'), '--local']);

    expect(await it.installer.rollback(name)).toMatchObject({ from: '9.9.9', to: '1.2.3' });
    expect(argv()[0]).toContain('/1.2.3/');
    tools.forget();
    await updated('2.0.0');
    expect(tools.calls().find(({ argv: words }) => words[0] === 'tool')?.argv).toContain('acme-suite[mcp]==2.0.0');
  });

  test('that an older mcpd installed is fetched from the usual registry', async () => {
    await installed(pack);
    withoutAsked();
    expect(await state()).toMatchObject({ installed: '1.2.3', available: '9.9.9', isOutdated: true, error: null });
    await updated();
    expect(tools.calls().map(({ argv: words }) => words.slice(0, 3))).toContainEqual([
      'tool',
      'install',
      'acme-suite==9.9.9',
    ]);
    expect(tools.calls().flatMap(({ argv: words }) => words)).not.toContain('--index-url');
  });

  test('cannot be led elsewhere by a version', async () => {
    await installed('pypi:acme-time');
    expect(await offered('1 --index-url=https://evil.example')).toMatchObject({
      type: 'failed',
      error: { code: 'SPEC_INVALID' },
    });
    expect(tools.calls()).toEqual([]);
  });
});

describe('an image', () => {
  test('is outdated when its tag stands for another one, and goes back to the one it was', async () => {
    await installed({ registryType: 'oci', identifier: 'ghcr.io/acme/mcp:1.2.3' }, ['--loud']);
    expect(await state()).toMatchObject({ installed: '1.2.3', available: '1.2.3', isOutdated: false });
    expect(await offered()).toEqual({ type: 'current', version: '1.2.3' });

    tools.publish({ digest: OTHER_DIGEST });
    const [from, to] = [`1.2.3@${DIGEST.slice(0, 19)}`, `1.2.3@${OTHER_DIGEST.slice(0, 19)}`];
    expect(await state()).toMatchObject({ installed: from, available: to, isOutdated: true });
    expect(await updated()).toMatchObject({ from, to, integrity: OTHER_DIGEST });
    expect(argv().slice(-2)).toEqual([`ghcr.io/acme/mcp@${OTHER_DIGEST}`, '--loud']);
    expect(await state()).toMatchObject({ installed: '1.2.3', isOutdated: false, kept: from });

    expect(await it.installer.rollback(name)).toMatchObject({ from: to, to: from });
    expect(argv().slice(-2)).toEqual([`ghcr.io/acme/mcp@${DIGEST}`, '--loud']);
  });

  test('nothing is pulled to see whether it is outdated', async () => {
    await installed('oci:acme/mcp:1.2');
    expect(await state()).toMatchObject({ error: null });
    const words = tools.calls().map(({ argv: [word] }) => word);
    expect(words).toContain('buildx');
    expect(words).not.toContain('pull');
  });

  test('is not pulled where its registry tells no digest', async () => {
    await installed('oci:acme/mcp:1.2');
    tools.publish({ fault: 'ERROR: unauthorized' });
    expect(await state()).toMatchObject({ available: null, error: { what: expect.stringContaining('acme/mcp:1.2') } });
    expect(await offered()).toMatchObject({ type: 'failed' });
    expect(tools.calls().map(({ argv: [word] }) => word)).not.toContain('pull');
  });

  test('that is another one by the time it is pulled than was shown is not run', async () => {
    await installed('oci:acme/mcp:1.2');
    tools.publish({ digest: OTHER_DIGEST });
    const { to, integrity } = await it.installer.nextVersion(name, null);
    expect([to, integrity]).toEqual([`1.2@${OTHER_DIGEST.slice(0, 19)}`, OTHER_DIGEST]);
    const tried = async (shown: string) => {
      const events: UpdateEvent[] = [];
      const request = { exactly: to, integrity: shown };
      await it.installer.offerUpdate(name, request, (event) => events.push(event), signal);
      return events.at(-1);
    };
    const refused = { type: 'failed', error: { code: 'UPDATE_CHANGED' } };
    expect(await tried(`${OTHER_DIGEST.slice(0, -1)}f`)).toMatchObject(refused);
    expect(tools.calls().map(({ argv: [word] }) => word)).not.toContain('pull');
    tools.publish({ digest: OTHER_DIGEST, pulled: `${OTHER_DIGEST.slice(0, -1)}f` });
    expect(await tried(OTHER_DIGEST)).toMatchObject(refused);
    expect(tools.calls().map(({ argv: [word] }) => word)).not.toContain('run');
    tools.publish({ digest: OTHER_DIGEST });
    expect(await tried(OTHER_DIGEST)).toMatchObject({ type: 'offer' });
  });

  test('takes another tag, which counts from then on; a digest stays what it is', async () => {
    await installed('oci:acme/mcp:1.2');
    tools.publish({ digest: OTHER_DIGEST });
    expect(await updated('1.3')).toMatchObject({ from: '1.2', to: '1.3' });
    expect(await state()).toMatchObject({ installed: '1.3', available: '1.3', isOutdated: false, kept: '1.2' });
    await updated(DIGEST);
    expect(argv().at(-1)).toBe(`acme/mcp@${DIGEST}`);
    expect(await state()).toMatchObject({ installed: DIGEST, isOutdated: false });
  });
});

test('where podman is all there is, nothing is pulled to see whether it is outdated: an update pulls, and tells', async () => {
  const own = await temporaryHome();
  const podman = fakeTools(own.folder('programs'), ['podman']);
  const its = await installationIn(own, { npmEnv: { PATH: podman.folder }, programs: podman.folder });
  const last = async () => {
    const events: UpdateEvent[] = [];
    await its.installer.offerUpdate('mcp', {}, (event) => events.push(event), signal);
    return events.at(-1);
  };
  try {
    doneOf(await its.install({ spec: 'oci:acme/mcp:1.2', name: 'mcp' }));
    podman.forget();
    const error = { code: 'COMMAND_NOT_FOUND', why: expect.stringContaining('docker with buildx') };
    expect(await its.installer.outdated()).toMatchObject([{ available: null, isOutdated: false, error }]);
    await expect(its.installer.nextVersion('mcp', null)).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' });
    expect(podman.calls()).toEqual([]);

    expect(await last()).toEqual({ type: 'current', version: '1.2' });
    podman.publish({ digest: OTHER_DIGEST });
    expect(await last()).toMatchObject({ type: 'offer', offer: { integrity: OTHER_DIGEST } });
    expect(podman.calls().map(({ argv: words }) => words)).toContainEqual(['pull', 'acme/mcp:1.2']);
  } finally {
    its.registry.close();
    expect(await own.cleanup()).toEqual([]);
  }
});

describe('a tool of NuGet', () => {
  const pack = {
    ...{ registryType: 'nuget', identifier: 'Acme.Mcp', version: '1.0.0.5' },
    registryBaseUrl: 'https://nuget.acme.example/v3/index.json',
  };
  const source = ['--source', 'https://nuget.acme.example/v3/index.json'];

  test('is asked for at its own registry, and its one word on the command line is another', async () => {
    await installed(pack, ['--loud']);
    expect(await state()).toMatchObject({ installed: '1.0.0.5', available: '1.1.0', isOutdated: true });
    expect(tools.calls().at(-1)).toMatchObject({ program: 'dotnet', argv: expect.arrayContaining(source) });
    await updated();
    expect(argv()).toEqual(['dnx', 'Acme.Mcp@1.1.0', '--yes', ...source, '--', '--loud']);
    await it.installer.rollback(name);
    expect(argv()[1]).toBe('Acme.Mcp@1.0.0.5');
  });

  test('that was named with its version of four numbers is outdated by a newer one', async () => {
    await installed('nuget:Acme.Tool@1.0.0.5');
    tools.publish({ version: '1.2.0' });
    expect(await state()).toMatchObject({ installed: '1.0.0.5', available: '1.2.0', isOutdated: true });
    expect(await updated('1.1.0.9')).toMatchObject({ to: '1.1.0.9' });
  });
});
