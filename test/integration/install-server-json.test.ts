import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIGEST, type FakeTools, fakeTools } from '../harness/fake-tools.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, failureOf, type Installation, installationIn } from '../harness/installing.ts';
import { SERVER_JSON_CASES, type ServerJsonCase } from '../harness/server-json-cases.ts';

let home: TemporaryHome;
let tools: FakeTools;
let installation: Installation;
let count = 0;

beforeAll(async () => {
  home = await temporaryHome();
  tools = fakeTools(home.folder('programs'), ['uv', 'docker', 'dnx', 'dotnet']);
  installation = await installationIn(home, { programs: tools.folder });
});
afterAll(async () => {
  installation.registry.close();
  expect(await home.cleanup()).toEqual([]);
});

const IDENTITY: Record<ServerJsonCase['kind'], object> = {
  pypi: { identifier: 'acme-mcp', version: '1.2.3' },
  oci: { identifier: 'ghcr.io/acme/mcp:1.2.3' },
  nuget: { identifier: 'Acme.Mcp', version: '1.2.3' },
};

function documentOf(pack: object): string {
  count += 1;
  const path = join(home.root, `server-${count}.json`);
  const names = { name: `io.github.acme/mcp-${count}`, description: 'd', version: '1.2.3' };
  writeFileSync(path, JSON.stringify({ ...names, packages: [{ transport: { type: 'stdio' }, ...pack }] }));
  return path;
}

const install = (spec: string, given: Record<string, string> = {}, args: string[] = []) => {
  tools.forget();
  const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value, secret: true }]));
  return installation.install({ spec, env, args, cwd: home.userHome });
};

test.each(SERVER_JSON_CASES)('$kind: $title', async (shape) => {
  const spec = documentOf({ registryType: shape.kind, ...IDENTITY[shape.kind], ...shape.package });
  const events = await install(spec, shape.given, shape.args);
  if (shape.refused !== undefined) {
    expect(JSON.stringify(failureOf(events).error)).toContain(shape.refused);
    expect(tools.calls()).toEqual([]);
    expect(installation.registry.server(`mcp-${count}`)).toBeNull();
    return;
  }
  doneOf(events);
  const calls = tools.calls();
  const started = calls.at(-1) ?? expect.fail('nothing was started');
  const declared = Object.keys(shape.env ?? {});
  const { before = [], after = [] } = shape;
  if (shape.kind === 'oci') {
    const [cidFile] = started.argv.splice(4, 1);
    expect(cidFile).toMatch(/container$/);
    const names = declared.flatMap((name) => ['-e', name]);
    const image = `ghcr.io/acme/mcp@${DIGEST}`;
    expect(started.argv).toEqual(['run', '-i', '--rm', '--cidfile', ...before, ...names, image, ...after]);
  } else if (shape.kind === 'nuget') {
    expect(started.argv).toEqual(['Acme.Mcp@1.2.3', '--yes', ...before, '--', ...after]);
  } else {
    expect(started.program).toBe('acme-mcp');
    expect(started.argv).toEqual(after);
    const [, fetched] = calls;
    expect(fetched?.argv).toEqual(['tool', 'install', 'acme-mcp==1.2.3', '--no-build', ...before]);
  }
  for (const [name, value] of Object.entries(shape.env ?? {})) expect(started.env[name], name).toBe(value);
  const seen = JSON.stringify(calls.map(({ argv }) => argv));
  for (const secret of shape.secret ?? []) expect(seen).not.toContain(secret);
});

test('the table is as long as it is said to be', () => {
  expect(SERVER_JSON_CASES.length).toBeGreaterThanOrEqual(60);
});

describe('a package that somebody names', () => {
  test('pypi: is pinned at the newest version with the hashes of its files, and started by its own program', async () => {
    const { server } = doneOf(await install('pypi:acme-time', {}, ['--local']));
    const integrity = `sha256-${Buffer.from('a'.repeat(64), 'hex').toString('base64')}`;
    expect(server.source).toEqual({
      ...{ kind: 'pypi', ref: 'pypi:acme-time@latest' },
      package: { kind: 'pypi', identifier: 'acme-time', version: '9.9.9', integrity },
    });
    const root = join(installation.paths.packageOf('acme-time'), '9.9.9');
    expect(server.launch).toMatchObject({ command: join(root, 'bin', 'acme-time'), args: ['--local'] });
    expect(readdirSync(root).sort()).toEqual(['bin']);
    expect(tools.calls()[1]?.env).toMatchObject({
      UV_TOOL_DIR: join(root, 'tools'),
      UV_TOOL_BIN_DIR: join(root, 'bin'),
    });
  });

  test('pypi: with a program of another name is started by the only one it has', async () => {
    const { server } = doneOf(await install('pypi:other-name'));
    expect(server.launch).toMatchObject({ command: expect.stringMatching(/serve-other$/) });
  });

  test('oci: is pinned by the digest that its tag stood for', async () => {
    const { server } = doneOf(await install('oci:acme/mcp:1.2'));
    expect(server.source).toEqual({
      ...{ kind: 'oci', ref: 'oci:acme/mcp:1.2' },
      package: { kind: 'oci', identifier: 'acme/mcp', version: '1.2', integrity: DIGEST },
    });
  });

  test('nuget: without a version is the newest that was released', async () => {
    const { server } = doneOf(await install('nuget:Acme.Tool'));
    expect(server.source).toMatchObject({ package: { kind: 'nuget', version: '1.1.0', integrity: '' } });
    expect(server.launch).toMatchObject({ command: 'dnx', args: ['Acme.Tool@1.1.0', '--yes', '--'] });
  });
});

describe('what fails', () => {
  test.each([
    ['pypi:nowhere', 'PACKAGE_UNKNOWN', 'was not found in the package registry'],
    ['pypi:source-only@1.0.0', 'PACKAGE_NEEDS_SCRIPTS', '--allow-scripts'],
    ['pypi:two-programs@1.0.0', 'PACKAGE_NOT_RUNNABLE', 'it has alpha, beta'],
    ['oci:acme/missing:9', 'VERSION_UNKNOWN', 'manifest unknown'],
  ])('%s is %s, and nothing is left', async (spec, code, words) => {
    const { error } = failureOf(await install(spec));
    expect(error.code).toBe(code);
    expect(JSON.stringify(error)).toContain(words);
    const name = /:(?:acme\/)?([a-z-]+)/.exec(spec)?.[1] ?? '';
    expect(existsSync(installation.paths.packageOf(name))).toBe(false);
    expect(installation.registry.server(name)).toBeNull();
  });

  test.each([
    ['pypi:acme-mcp', 'uv or Python 3', 'astral'],
    ['oci:acme/mcp', 'docker or podman', 'podman'],
    ['nuget:Acme.Mcp@1.0.0', 'dnx', 'dotnet'],
  ])('%s without its runtime names the command that installs it', async (spec, runtime, command) => {
    const bare = await temporaryHome();
    try {
      const own = await installationIn(bare, { npmEnv: { PATH: bare.folder('nothing') } });
      const { error } = failureOf(await own.install({ spec }));
      expect(error).toMatchObject({ code: 'COMMAND_NOT_FOUND', what: expect.stringContaining(runtime) });
      expect(error.fix).toContain(command);
      own.registry.close();
    } finally {
      await bare.cleanup();
    }
  });

  test('a package of an unknown kind is named as such', async () => {
    const { error } = failureOf(await install(documentOf({ registryType: 'cargo', identifier: 'x', version: '1' })));
    expect(error).toMatchObject({ code: 'PACKAGE_UNSUPPORTED', why: 'it has a package of the kind "cargo"' });
  });
});

test('podman takes the place of docker where there is none', async () => {
  const own = await temporaryHome();
  try {
    const podman = fakeTools(own.folder('programs'), ['podman']);
    const installed = await installationIn(own, { programs: podman.folder, npmEnv: { PATH: podman.folder } });
    const { server } = doneOf(await installed.install({ spec: 'oci:acme/mcp:1' }));
    expect(server.launch).toMatchObject({ command: 'podman' });
    expect(podman.calls().map(({ program }) => program)).toEqual(['podman', 'podman', 'podman']);
    installed.registry.close();
  } finally {
    await own.cleanup();
  }
});

test('a server that is published in several ways is installed by what this machine has, and the plan says why', async () => {
  const own = await temporaryHome();
  try {
    const docker = fakeTools(own.folder('programs'), ['docker']);
    const installed = await installationIn(own, { programs: docker.folder, npmEnv: { PATH: docker.folder } });
    const packages = [
      { registryType: 'pypi', ...IDENTITY.pypi, transport: { type: 'stdio' } },
      { registryType: 'oci', ...IDENTITY.oci, transport: { type: 'stdio' } },
    ];
    const spec = documentOf({});
    writeFileSync(spec, JSON.stringify({ name: 'io.github.acme/both', description: 'd', version: '1.2.3', packages }));
    const plan = await installed.installer.plan({ spec });
    expect(plan).toMatchObject({
      fetch: 'oci:ghcr.io/acme/mcp:1.2.3',
      choice: expect.stringContaining('no uv or Python'),
    });
    expect(await installed.installer.plan({ spec, package: 'pypi' })).toMatchObject({
      ...{ fetch: 'pypi:acme-mcp@1.2.3', choice: 'pypi, as asked for' },
    });
    expect(doneOf(await installed.install({ spec })).server.launch).toMatchObject({ command: 'docker' });
    const refused = [
      await installed.install({ spec, name: 'x', package: 'nuget' }),
      await installed.install({ spec: 'npm:x', package: 'oci' }),
      await installed.install({ spec: 'https://x.test/mcp', package: 'oci' }),
    ].map((events) => failureOf(events).error);
    expect(refused.map(({ code }) => code)).toEqual(['INPUT_INVALID', 'INPUT_INVALID', 'INPUT_INVALID']);
    installed.registry.close();
  } finally {
    await own.cleanup();
  }
});

test('no secret of all of these is in what mcpd wrote, but for its secrets', () => {
  const written = readdirSync(installation.paths.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'secrets.json')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
  for (const secret of SERVER_JSON_CASES.flatMap((shape) => shape.secret ?? [])) expect(written).not.toContain(secret);
});
