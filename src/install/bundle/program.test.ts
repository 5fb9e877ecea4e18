import { describe, expect, test } from 'vitest';
import { OWN_NODE } from '../../own-places.ts';
import { readManifest } from './manifest.ts';
import { BUNDLE_FOLDER, filledPlaces, folderIn, type Places } from './places.ts';
import { bundleProgram } from './program.ts';

const LINUX: Places = { userHome: '/home/ann', platform: 'linux' };
const FILES = new Set(['manifest.json', 'server/index.js', 'server/run', 'tool', 'win/app.exe']);

function programOf(server: { type?: string; entry?: string; command?: string }, places = LINUX) {
  const { type = 'node', entry = 'server/index.js', command = 'node' } = server;
  const document = {
    manifest_version: '0.4',
    ...{ name: 'tiny', version: '1.0.0', description: '', author: { name: 'Acme' } },
    server: { type, entry_point: entry, mcp_config: { command } },
  };
  return bundleProgram(readManifest(JSON.stringify(document), 'linux'), FILES, places);
}

test('places are filled in once, and what nobody knows stays', () => {
  const text = ['HOME', 'DESKTOP', 'DOCUMENTS', 'DOWNLOADS', 'pathSeparator', '/', '__dirname', 'x', 'user_config.y']
    .map((name) => ['$', '{', name, '}'].join(''))
    .join(' ');
  const filled = `/home/ann /home/ann/Desktop /home/ann/Documents /home/ann/Downloads / / ${BUNDLE_FOLDER} ${'$'}{x} ${'$'}{user_config.y}`;
  expect(filledPlaces(text, LINUX)).toBe(filled);
  expect(filledPlaces(`${'$'}{pathSeparator}`, { ...LINUX, platform: 'win32' })).toBe('\\');
  expect(folderIn(`${BUNDLE_FOLDER}/a:${BUNDLE_FOLDER}`, '/$&')).toBe('/$&/a:/$&');
});

test('JavaScript is run by mcpd’s own node; another program of the machine stays what it is', () => {
  expect(programOf({}).command).toBe(OWN_NODE);
  expect(programOf({ type: 'python', command: 'python3' }).command).toBe('python3');
  expect(programOf({ type: 'binary', entry: 'server/run', command: 'node' }).command).toBe('node');
  expect(programOf({ type: 'python', command: '/usr/bin/python3' }).command).toBe('/usr/bin/python3');
});

test('a program of the bundle is found however it is written, and becomes executable', () => {
  for (const command of [`${BUNDLE_FOLDER}/server/run`, 'server/run', './server/run', 'server\\run']) {
    expect(programOf({ type: 'binary', entry: 'server/run', command })).toEqual({
      command: `${BUNDLE_FOLDER}/server/run`,
      executables: ['server/run'],
    });
  }
  expect(programOf({ type: 'binary', entry: 'tool', command: 'tool' }).command).toBe(`${BUNDLE_FOLDER}/tool`);
});

test('Windows may leave out its .exe', () => {
  const written = { type: 'binary', entry: 'win/app', command: `${BUNDLE_FOLDER}/win/app` };
  expect(programOf(written, { ...LINUX, platform: 'win32' }).command).toBe(`${BUNDLE_FOLDER}/win/app.exe`);
  expect(() => programOf(written)).toThrow('not in it');
});

describe('a program is refused that', () => {
  test.each<[string, { type?: string; entry?: string; command?: string }, string]>([
    ['climbs out', { type: 'binary', command: `${BUNDLE_FOLDER}/../../evil` }, 'outside of it'],
    ['climbs out by itself', { type: 'binary', command: '../evil' }, 'outside of it'],
    ['is not there', { type: 'binary', command: `${BUNDLE_FOLDER}/server/none` }, 'not in it'],
    ['is a setting', { type: 'python', command: `${'$'}{user_config.python}` }, 'its program is a setting'],
    ['is entered outside', { entry: '../index.js' }, 'outside of it'],
    ['is entered by an absolute path', { entry: '/etc/passwd' }, 'outside of it'],
    ['is entered by a path of Windows', { entry: 'C:\\evil.js' }, 'outside of it'],
    ['is entered where nothing is', { entry: 'none.js' }, 'not in it'],
  ])('%s', (_, server, said) => {
    expect(() => programOf(server)).toThrow(said);
  });
});
