import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type BundleParts, inBundle, NODE_SERVER, PYTHON_SERVER, writeBundle } from '../harness/bundle.ts';
import { test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';

const own = (path: string) => `${inBundle('__dirname')}/${path}`;
const settings = {
  user_config: {
    token: { type: 'string', title: 'Token', sensitive: true, required: true },
    folders: { type: 'directory', title: 'Folders', multiple: true, required: true },
  },
};
const values = { TOKEN: inBundle('user_config.token') };
const args = ['--in', inBundle('user_config.folders')];

const KINDS: [kind: string, parts: BundleParts][] = [
  [
    'node',
    {
      manifest: {
        ...settings,
        server: {
          type: 'node',
          entry_point: 'server/index.js',
          mcp_config: { command: 'node', args: [own('server/index.js'), ...args], env: values },
        },
      },
    },
  ],
  [
    'python',
    {
      manifest: {
        ...settings,
        server: {
          type: 'python',
          entry_point: 'server/main.py',
          mcp_config: {
            command: 'python3',
            args: [own('server/main.py'), ...args],
            env: { ...values, PYTHONPATH: own('server/lib') },
          },
        },
      },
      files: { 'server/main.py': PYTHON_SERVER, 'server/lib/bundled.py': 'NAME = "bundled"\n' },
    },
  ],
  [
    'binary',
    {
      manifest: {
        ...settings,
        server: {
          type: 'binary',
          entry_point: 'bin/serve',
          mcp_config: { command: own('bin/serve'), args, env: values },
        },
      },
      files: { 'bin/serve': NODE_SERVER },
    },
  ],
];

test.for(KINDS)(
  'a bundle of the kind %s is installed, called, exported and removed',
  async ([, parts], { machine }) => {
    const { userHome, mcpdHome } = machine.home;
    writeBundle(userHome, parts);
    const spec = 'mcpb:tiny.mcpb';
    const asks = await machine.cli('install', spec, '--env', 'folders=.');
    expect(asks.stderr).toMatch(/INPUT_MISSING[\s\S]*token \(Token\)/);

    const given = ['--env', 'folders=.\n~/b', '--env', 'token=s3cr3t-of-ann'];
    const installed = await machine.cli('install', spec, '--name', 'tiny', ...given, '--yes');
    expect([installed.code, installed.stderr]).toEqual([0, expect.stringContaining('fetch    mcpb:')]);

    const root = join(mcpdHome, 'packages', 'tiny', '1.2.3');
    const host = await machine.connected();
    const started = JSON.parse(textOf(await host.call('tiny__started', {})));
    expect(started).toMatchObject({ args: ['--in', userHome, join(userHome, 'b')], cwd: root });
    expect(started.file.startsWith(root)).toBe(true);
    // What a server gets is not what anybody else sees.
    expect(started.env.TOKEN).not.toBe('');
    const shown = JSON.stringify([await machine.ok('info', 'tiny', '--json'), await machine.ok('export')]);
    expect(shown).not.toContain('s3cr3t-of-ann');

    await machine.ok('uninstall', 'tiny', '--purge', '--yes');
    expect(readdirSync(join(mcpdHome, 'packages'))).toEqual([]);
  },
);

test('what a bundle of strangers does wrong is told, and nothing of it stays', async ({ machine }) => {
  const { userHome, mcpdHome } = machine.home;
  writeBundle(userHome, { entries: [{ name: 'server/index.js' }, { name: '../../../evil', content: 'x' }] });
  const refused = await machine.cli('install', './tiny.mcpb', '--yes');
  expect(refused.code).toBe(8);
  expect(refused.stderr).toContain('BUNDLE_UNSAFE');
  expect(refused.stderr).toContain('climbs out of its folder');
  expect(readdirSync(join(mcpdHome, 'packages'))).toEqual([]);
  expect(readdirSync(machine.home.root)).not.toContain('evil');
});

test('an exported bundle is installed again from what was exported', async ({ machine }) => {
  const { userHome } = machine.home;
  const env = { LIB: own('server'), MODE: 'fast' };
  const [, first] = KINDS[0] ?? [];
  const server = {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: { command: 'node', args: [own('server/index.js')], env },
  };
  writeBundle(userHome, { ...first, manifest: { server } });
  await machine.ok('install', './tiny.mcpb', '--name', 'tiny', '--yes');
  const file = join(userHome, 'servers.json');
  writeFileSync(file, await machine.ok('export'));
  expect(readFileSync(file, 'utf8')).toContain(own('server'));
  await machine.ok('uninstall', 'tiny', '--yes');
  await machine.ok('apply', '-f', file);
  const host = await machine.connected();
  const { env: got, cwd } = JSON.parse(textOf(await host.call('tiny__started', {})));
  expect(got).toMatchObject({ LIB: join(cwd, 'server'), MODE: 'fast' });
});
