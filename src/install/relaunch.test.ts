import { expect, test } from 'vitest';
import type { InstalledPackage, StdioLaunch } from '../core/model.ts';
import { relaunched } from './relaunch.ts';

const FOLDER = '/home/ann/.mcpd/packages/acme';
const pack = (version: string, more: Partial<InstalledPackage> = {}): InstalledPackage => ({
  ...{ kind: 'npm', identifier: '@acme/mcp', version, integrity: `sha512-${version}` },
  ...more,
});
const launch = (command: string, ...args: string[]): StdioLaunch => ({
  ...{ kind: 'stdio', command, args, cwd: null },
  env: { KEY: 'x' },
});

test('the program of the new version takes the place of the old one, and the server keeps its own arguments', () => {
  const old = launch('node', '--no-warnings', `${FOLDER}/1.0.0/cli.js`, '--root', '/srv');
  const fetched = { installed: pack('1.1.0'), runnable: { command: 'node', args: [`${FOLDER}/1.1.0/bin/main.js`] } };
  expect(relaunched(old, FOLDER, pack('1.0.0'), fetched)).toEqual({
    ...old,
    args: [`${FOLDER}/1.1.0/bin/main.js`, '--root', '/srv'],
  });
});

test('a program that is started by itself is replaced as the command', () => {
  const fetched = { installed: pack('1.1.0'), runnable: { command: `${FOLDER}/1.1.0/run`, args: [] } };
  const next = relaunched(launch(`${FOLDER}/1.0.0/run`, 'serve'), FOLDER, pack('1.0.0'), fetched);
  expect(next).toMatchObject({ command: `${FOLDER}/1.1.0/run`, args: ['serve'] });
});

test('of an image the one word that names it is replaced: what stands before and after it is of the publisher and of the person', () => {
  const image = (version: string) =>
    pack(version, { kind: 'oci', identifier: 'ghcr.io/acme/mcp', integrity: `sha256:${version}` });
  const old = launch(
    'docker',
    'run',
    '-i',
    '--rm',
    '-v',
    '/srv:/srv',
    'ghcr.io/acme/mcp@sha256:1.0.0',
    '--root',
    '/srv',
  );
  const runnable = { command: 'docker', args: ['run', '-i', '--rm', 'ghcr.io/acme/mcp@sha256:1.1.0'] };
  expect(relaunched(old, FOLDER, image('1.0.0'), { installed: image('1.1.0'), runnable })?.args).toEqual([
    ...['run', '-i', '--rm', '-v', '/srv:/srv', 'ghcr.io/acme/mcp@sha256:1.1.0', '--root', '/srv'],
  ]);
});

test('a command line that does not name the package is not touched', () => {
  const fetched = { installed: pack('1.1.0'), runnable: { command: 'node', args: ['x'] } };
  expect(relaunched(launch('/usr/bin/mine', 'x'), FOLDER, pack('1.0.0'), fetched)).toBeNull();
});

test('a bundle moves with all that names its folder, and keeps what a person gave', () => {
  const [before, after] = [`${FOLDER}/1.0.0`, `${FOLDER}/1.1.0`];
  const old = {
    ...launch('python3', `${before}/main.py`, '/srv'),
    cwd: before,
    env: { LIB: `${before}/lib`, KEY: 'x' },
  };
  const bundle = { kind: 'mcpb', identifier: '/x.mcpb' } as const;
  const fetched = { installed: pack('1.1.0', bundle), runnable: { command: 'python3', args: [] }, folder: after };
  expect(relaunched(old, FOLDER, pack('1.0.0', bundle), fetched)).toEqual({
    ...{ kind: 'stdio', command: 'python3', args: [`${after}/main.py`, '/srv'], cwd: after },
    env: { LIB: `${after}/lib`, KEY: 'x' },
  });
  expect(relaunched({ ...old, cwd: null }, FOLDER, pack('1.0.0', bundle), fetched)).toBeNull();
});
