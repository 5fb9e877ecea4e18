import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OWN_NODE } from '../../src/own-places.ts';
import { bundleOf, inBundle, NODE_SERVER, PYTHON_SERVER, writeBundle } from '../harness/bundle.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import {
  doneOf,
  failureOf,
  type Installation,
  type InstallationOptions,
  installationIn,
} from '../harness/installing.ts';
import { startProxy } from '../harness/proxy.ts';

let home: TemporaryHome;
let installation: Installation;
const opened: { close(): unknown }[] = [];

async function begin(options: InstallationOptions = {}): Promise<void> {
  installation?.registry.close();
  installation = await installationIn(home, { catalog: [], ...options });
}

beforeEach(async () => {
  home = await temporaryHome();
  await begin();
});
afterEach(async () => {
  installation.registry.close();
  for (const one of opened.splice(0)) await one.close();
  await home.cleanup();
});

const secret = (value: string) => ({ value, secret: true });
const plain = (value: string) => ({ value, secret: false });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const inPackages = () => (existsSync(installation.paths.packages) ? readdirSync(installation.paths.packages) : []);
const launchOf = (name: string) => {
  const launch = installation.registry.server(name)?.launch;
  if (launch?.kind !== 'stdio') throw new RangeError(`${name} has no process`);
  return launch;
};

describe('a bundle is installed and its server answers', () => {
  test('of JavaScript, by mcpd’s own node, in the folder of the bundle', async () => {
    const path = writeBundle(home.userHome, {});
    doneOf(await installation.install({ spec: path }));
    const root = join(installation.paths.packageOf('tiny-bundle'), '1.2.3');
    expect(installation.registry.server('tiny-bundle')).toMatchObject({
      description: 'A tiny bundle',
      launch: { command: OWN_NODE, args: [join(root, 'server/index.js')], cwd: root, env: {} },
      source: {
        kind: 'mcpb',
        ref: `mcpb:${path}`,
        package: {
          kind: 'mcpb',
          identifier: path,
          version: '1.2.3',
          integrity: `sha256:${sha256(readFileSync(path))}`,
        },
      },
    });
    expect(readdirSync(root).sort()).toEqual(['manifest.json', 'server']);
  });

  test('of Python, with what it brings along', async () => {
    const manifest = {
      server: {
        type: 'python',
        entry_point: 'server/main.py',
        mcp_config: {
          command: 'python3',
          args: [`${inBundle('__dirname')}/server/main.py`],
          env: { PYTHONPATH: `${inBundle('__dirname')}/server/lib` },
        },
      },
      compatibility: { runtimes: { python: '>=3.6' } },
    };
    const files = { 'server/main.py': PYTHON_SERVER, 'server/lib/bundled.py': 'NAME = "from-python"\n' };
    doneOf(await installation.install({ spec: writeBundle(home.userHome, { manifest, files }) }));
    expect(launchOf('tiny-bundle').command).toBe('python3');
    const { fingerprint } = installation.registry.server('tiny-bundle') ?? { fingerprint: '' };
    expect(installation.registry.memoryOf('tiny-bundle', fingerprint)?.serverInfo).toContain('from-python');
  });

  test('that is a program, which becomes executable and nothing more', async () => {
    const command = `${inBundle('__dirname')}/bin/serve`;
    const manifest = {
      server: { type: 'binary', entry_point: 'bin/serve', mcp_config: { command, args: ['--loud'] } },
    };
    const entries = [
      { name: 'bin/' },
      { name: 'bin/serve', content: NODE_SERVER, mode: 0o100600 },
      { name: 'bin/setuid', content: '', mode: 0o104777 },
      { name: 'notes.txt', content: 'x', mode: 0o100666 },
    ];
    doneOf(await installation.install({ spec: writeBundle(home.userHome, { manifest, entries }) }));
    const { command: program, args } = launchOf('tiny-bundle');
    expect(args).toEqual(['--loud']);
    const modes = ['serve', 'setuid', '../notes.txt'].map((name) => statSync(join(program, '..', name)).mode & 0o7777);
    const umask = process.umask();
    expect(modes).toEqual([0o755, 0o755, 0o644].map((mode) => mode & ~umask));
  });

  test('of an old .dxt, whose manifest says dxt_version, and signed', async () => {
    const manifest = { manifest_version: undefined, dxt_version: '0.1' };
    const path = writeBundle(home.userHome, { manifest }, 'old.dxt');
    doneOf(await installation.install({ spec: `mcpb:${path}`, name: 'old' }));
    expect(installation.announced).toEqual(['old']);
  });

  test('of uv, by uv itself', async () => {
    const bin = home.folder('bin');
    // uv's own words, answered by the same server: `uv run --directory DIR FILE`.
    writeFileSync(join(bin, 'uv'), `#!/bin/sh\n[ "$1 $2" = "run --directory" ] || exit 9\ncd "$3" && exec node "$4"\n`);
    chmodSync(join(bin, 'uv'), 0o755);
    const path = `${bin}:${process.env['PATH']}`;
    await begin({ path });
    const manifest = { manifest_version: '0.4', server: { type: 'uv', entry_point: 'server/index.js' } };
    const before = process.env['PATH'];
    process.env['PATH'] = path;
    try {
      doneOf(await installation.install({ spec: writeBundle(home.userHome, { manifest }) }));
    } finally {
      process.env['PATH'] = before;
    }
    const root = join(installation.paths.packageOf('tiny-bundle'), '1.2.3');
    expect(launchOf('tiny-bundle')).toMatchObject({
      command: 'uv',
      args: ['run', '--directory', root, 'server/index.js'],
    });
  });
});

describe('what a bundle asks a person', () => {
  const manifest = {
    server: {
      type: 'node',
      entry_point: 'server/index.js',
      mcp_config: {
        command: 'node',
        args: [
          `${inBundle('__dirname')}/server/index.js`,
          `--port=${inBundle('user_config.port')}`,
          `--at=${inBundle('HOME')}`,
          inBundle('user_config.optional'),
          inBundle('user_config.folders'),
        ],
        env: {
          TOKEN: inBundle('user_config.api-token'),
          LOUD: inBundle('user_config.loud'),
          NONE: inBundle('user_config.optional'),
        },
      },
    },
    user_config: {
      folders: { type: 'directory', title: 'Folders', multiple: true, required: true },
      port: { type: 'number', default: 80, min: 1, max: 99 },
      'api-token': { type: 'string', sensitive: true, required: true, description: 'your token' },
      loud: { type: 'boolean', default: true },
      optional: { type: 'string' },
    },
  };

  test('is in the plan, with all that will run, before anything runs', async () => {
    const path = writeBundle(home.userHome, { manifest });
    const plan = await installation.installer.plan({ spec: path }, { exact: true });
    expect(plan).toMatchObject({
      name: 'tiny-bundle',
      fetch: `mcpb:${path}#sha256=${sha256(readFileSync(path))}`,
      inputs: [
        { name: 'folders', description: 'Folders', required: true, secret: false },
        { name: 'api_token', description: 'your token', required: true, secret: true },
      ],
    });
    expect(plan.commandLine).toContain(`<tiny-bundle@1.2.3>/server/index.js`);
    expect(plan.commandLine).toContain(`--port=80 --at=${home.userHome} <folders>`);
    expect(inPackages().filter((name) => !name.startsWith('.bundle-'))).toEqual([]);
    // The plan names the file that it read, and no other is taken for it.
    writeBundle(home.userHome, {});
    const { error } = failureOf(await installation.install({ spec: plan.fetch ?? '', env: {} }));
    expect(error.code).toBe('INTEGRITY_MISMATCH');
  });

  test('is filled in: several values, numbers, and secrets by their names', async () => {
    mkdirSync(join(home.userHome, 'a b'));
    const path = writeBundle(home.userHome, { manifest });
    const env = { folders: plain(`${home.userHome}/a b\n~/c`), port: plain('7'), 'api-token': secret('s3cr3t-t0ken') };
    doneOf(await installation.install({ spec: path, env }));
    expect(launchOf('tiny-bundle')).toMatchObject({
      args: [
        expect.any(String),
        '--port=7',
        `--at=${home.userHome}`,
        join(home.userHome, 'a b'),
        join(home.userHome, 'c'),
      ],
      env: { TOKEN: inBundle('secret:api_token'), LOUD: 'true' },
    });
    expect(launchOf('tiny-bundle').env).not.toHaveProperty('NONE');
    expect(installation.secrets.get('tiny-bundle', 'api_token')).toBe('s3cr3t-t0ken');
  });

  test.each([
    [{ port: plain('100') }, 'INPUT_INVALID', 'at most 99'],
    [{ port: plain('0') }, 'INPUT_INVALID', 'at least 1'],
    [{ loud: plain('yes') }, 'INPUT_INVALID', 'true or false'],
    [{ folders: plain('/tmp') }, 'INPUT_MISSING', 'api_token: your token'],
  ])('will not do as %j', async (given, code, said) => {
    const path = writeBundle(home.userHome, { manifest });
    const { error } = failureOf(await installation.install({ spec: path, env: { ...given } }));
    expect(error).toMatchObject({ code, why: expect.stringContaining(said) });
    expect(inPackages().filter((name) => !name.startsWith('.bundle-'))).toEqual([]);
  });
});

test('settings of a bundle that come to a reference only when they are put together get nothing of the person’s', async () => {
  const text = `${inBundle('user_config.a')}${inBundle('user_config.b')}`;
  const manifest = {
    server: { type: 'node', entry_point: 'server/index.js', mcp_config: { command: 'node', args: ['x', text] } },
    user_config: { a: { type: 'string', default: '$' }, b: { type: 'string', default: '{env:AWS_SECRET_ACCESS_KEY}' } },
  };
  const { error } = failureOf(await installation.install({ spec: writeBundle(home.userHome, { manifest }) }));
  expect(error).toMatchObject({ code: 'INPUT_INVALID', why: expect.stringContaining('env:AWS_SECRET_ACCESS_KEY') });
});

describe('a bundle that cannot run here is refused before it is unpacked', () => {
  const python = { type: 'python', entry_point: 'server/index.js', mcp_config: { command: 'python3', args: [] } };
  test.each<[string, object, string, string]>([
    [
      'for another system',
      { compatibility: { platforms: ['win32', 'beos'] } },
      'PACKAGE_NOT_RUNNABLE',
      'Windows, beos',
    ],
    ['for another Node.js', { compatibility: { runtimes: { node: '>=99' } } }, 'PACKAGE_NOT_RUNNABLE', '">=99"'],
    [
      'for another Python',
      { server: python, compatibility: { runtimes: { python: '<3' } } },
      'PACKAGE_NOT_RUNNABLE',
      '"<3"',
    ],
    ['whose file is not in it', { server: { ...python, entry_point: 'none.py' } }, 'PACKAGE_NOT_RUNNABLE', 'not in it'],
    ['that climbs', { server: { ...python, entry_point: '../../x' } }, 'PACKAGE_NOT_RUNNABLE', 'outside of it'],
    ['whose version is a path', { version: '../../x' }, 'BUNDLE_INVALID', 'no version'],
    [
      'that asks nobody',
      { server: { ...python, mcp_config: { command: 'python3', args: [inBundle('user_config.x')] } } },
      'PACKAGE_NOT_RUNNABLE',
      'user_config.x',
    ],
  ])('%s', async (_, manifest, code, said) => {
    const { error } = failureOf(await installation.install({ spec: writeBundle(home.userHome, { manifest }) }));
    expect(error).toMatchObject({ code, why: expect.stringContaining(said) });
    expect(installation.registry.allServers()).toEqual([]);
  });

  test('without its runtime: the command that installs it is named', async () => {
    await begin({ path: home.folder('empty') });
    const manifest = { manifest_version: '0.4', server: { type: 'uv', entry_point: 'server/index.js' } };
    const { error } = failureOf(await installation.install({ spec: writeBundle(home.userHome, { manifest }) }));
    expect(error).toMatchObject({ code: 'COMMAND_NOT_FOUND', what: expect.stringContaining('"uv"') });
    expect(error.fix).toMatch(/astral\.sh|brew|winget/);
  });
});

test('a server in a bundle that does not start leaves neither files nor an entry', async () => {
  const files = { 'server/index.js': 'console.error("no key"); process.exit(3)' };
  const { error, step } = failureOf(await installation.install({ spec: writeBundle(home.userHome, { files }) }));
  expect([step, error.code]).toEqual(['trial', 'SERVER_START_FAILED']);
  expect(inPackages()).toEqual([]);
  expect(installation.registry.allServers()).toEqual([]);
});

test('the daemon’s end takes along what was read and not installed', async () => {
  const path = writeBundle(home.userHome, {});
  await installation.installer.plan({ spec: path }, { exact: false });
  expect(inPackages()).toEqual([expect.stringMatching(/^\.bundle-/)]);
  installation.ending.abort();
  await expect.poll(inPackages).toEqual([]);
});

describe('from an address', () => {
  /** Answers each path by what stands for it: bytes, or where it leads. */
  async function serve(answers: Record<string, Buffer | string | number>): Promise<{ at: string; asked: string[] }> {
    const asked: string[] = [];
    const server: Server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const answer = answers[request.url ?? ''];
      if (typeof answer === 'string') return void response.writeHead(302, { location: answer }).end();
      if (typeof answer === 'number') return void response.writeHead(answer).end('no');
      response.writeHead(200).end(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push({
      close: () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      },
    });
    return { at: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  test('a bundle is downloaded once for its plan and its install, over redirects', async () => {
    const bytes = bundleOf({});
    const { at, asked } = await serve({ '/x.mcpb': '/releases/x', '/releases/x': bytes });
    const spec = `${at}/x.mcpb`;
    const plan = await installation.installer.plan({ spec }, { exact: true });
    expect(plan.fetch).toBe(`mcpb:${spec}#sha256=${sha256(bytes)}`);
    doneOf(await installation.install({ spec: plan.fetch ?? '' }));
    expect(asked).toEqual(['/x.mcpb', '/releases/x']);
    expect(inPackages()).toEqual(['tiny-bundle']);
  });

  test('the published sum is checked, over all of the file', async () => {
    const { at } = await serve({ '/x.mcpb': bundleOf({}) });
    const { error } = failureOf(await installation.install({ spec: `mcpb:${at}/x.mcpb#sha256=${'0'.repeat(64)}` }));
    expect(error.code).toBe('INTEGRITY_MISMATCH');
    expect(inPackages()).toEqual([]);
  });

  test.each<[string, Record<string, Buffer | string | number>, string]>([
    ['is not there', { '/x.mcpb': 404 }, 'answered 404'],
    ['leads in a circle', { '/x.mcpb': '/x.mcpb' }, 'more than 5 times'],
    ['leads to another machine without https', { '/x.mcpb': 'http://example.com/x.mcpb' }, 'not on this machine'],
    ['leads to a file', { '/x.mcpb': 'file:///etc/passwd' }, 'not on this machine'],
  ])('a bundle that %s is not fetched', async (_, answers, said) => {
    const { at } = await serve(answers);
    const { error } = failureOf(await installation.install({ spec: `${at}/x.mcpb` }));
    expect(error).toMatchObject({ code: 'FETCH_FAILED', why: expect.stringContaining(said) });
    expect(inPackages()).toEqual([]);
  });

  test('a page in the place of a bundle is told apart, and a server that is gone is named', async () => {
    const { at } = await serve({ '/x.mcpb': Buffer.from('<html>Sign in</html>') });
    expect(failureOf(await installation.install({ spec: `${at}/x.mcpb` })).error.code).toBe('BUNDLE_INVALID');
    const { error } = failureOf(await installation.install({ spec: 'http://127.0.0.1:9/x.mcpb' }));
    expect(error).toMatchObject({ code: 'FETCH_FAILED', what: expect.stringContaining('127.0.0.1:9') });
  });

  test('a download is given up when the install is cancelled, and nothing stays', async () => {
    const cancelling = new AbortController();
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('PK');
      cancelling.abort();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push({ close: () => server.closeAllConnections() }, server);
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.mcpb`;
    const { error } = failureOf(await installation.install({ spec: at }, cancelling.signal));
    expect(error.code).toBe('INSTALL_CANCELLED');
    expect(inPackages()).toEqual([]);
  });

  test.each(['http://example.com/x.mcpb', 'mcpb:ftp://example.com/x', 'https://me:pass@example.com/x.mcpb'])(
    'no bundle comes from %s',
    async (spec) => {
      expect(failureOf(await installation.install({ spec })).error.code).toBe('SPEC_INVALID');
    },
  );

  test('the proxy of the user is taken', async () => {
    const proxy = await startProxy({});
    opened.push(proxy);
    await begin({ bundleEnv: { https_proxy: `http://${proxy.place}` } });
    const { error } = failureOf(await installation.install({ spec: 'https://far.example/x.mcpb' }));
    // This proxy knows no such host: that it says so is the proof that it was asked.
    expect(JSON.stringify(error)).toContain(proxy.place);
  });
});

test('what is installed from a bundle is exported so that the same file is installed again', async () => {
  const path = writeBundle(home.userHome, {});
  doneOf(await installation.install({ spec: path }));
  const { mcpServers } = installation.installer.exportSet();
  expect(mcpServers['tiny-bundle']).toEqual({ install: `mcpb:${path}#sha256=${sha256(readFileSync(path))}` });
});
