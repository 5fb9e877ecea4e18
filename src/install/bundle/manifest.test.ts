import { describe, expect, test } from 'vitest';
import { McpdError } from '../../errors.ts';
import { readManifest } from './manifest.ts';

const DIRNAME = '$' + '{__dirname}';
const base = {
  manifest_version: '0.3',
  name: 'tiny',
  version: '1.0.0',
  description: 'A tiny one',
  author: { name: 'Acme' },
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: { command: 'node', args: [`${DIRNAME}/server/index.js`], env: { MODE: 'fast' } },
  },
};
const read = (change: object = {}, platform: NodeJS.Platform = 'linux') =>
  readManifest(JSON.stringify({ ...base, ...change }), platform);
const config = (more: object) => ({ server: { ...base.server, mcp_config: { ...base.server.mcp_config, ...more } } });

test('every revision is read, under the old key of its number too', () => {
  for (const revision of ['0.1', '0.2', '0.3', '0.4']) {
    expect(read({ manifest_version: revision }).version).toBe('1.0.0');
    expect(read({ manifest_version: undefined, dxt_version: revision }).version).toBe('1.0.0');
  }
});

test('what it says of itself is taken over, and what it leaves out is nothing', () => {
  const manifest = read({
    display_name: 'Tiny one',
    repository: { type: 'git', url: 'https://example.com/tiny' },
    license: 'MIT',
    homepage: 'https://example.com',
    tools: [{ name: 'echo' }],
  });
  expect(manifest).toMatchObject({
    title: 'Tiny one',
    author: 'Acme',
    repository: 'https://example.com/tiny',
    licence: 'MIT',
    homepage: 'https://example.com',
  });
  expect(read()).toMatchObject({ title: 'tiny', repository: null, licence: null, userConfig: [], platforms: null });
  expect(read({ repository: 'https://example.com/tiny' }).repository).toBe('https://example.com/tiny');
});

test('an override of the platform takes the place of each member that it has, and of no other', () => {
  const change = config({
    platform_overrides: {
      win32: { command: 'node.exe', env: { ONLY: 'this' } },
      darwin: { args: ['a', 'b'] },
    },
  });
  expect(read(change, 'win32').config).toEqual({
    command: 'node.exe',
    args: base.server.mcp_config.args,
    env: { ONLY: 'this' },
  });
  expect(read(change, 'darwin').config).toEqual({ command: 'node', args: ['a', 'b'], env: { MODE: 'fast' } });
  expect(read(change, 'linux').config).toEqual(base.server.mcp_config);
});

test('a uv server of revision 0.4 needs no command line', () => {
  const server = { type: 'uv', entry_point: 'server.py' };
  expect(read({ manifest_version: '0.4', server })).toMatchObject({
    kind: 'uv',
    config: null,
    entryPoint: 'server.py',
  });
});

test('settings are read with their defaults as texts', () => {
  const { userConfig } = read({
    user_config: {
      folders: { type: 'directory', multiple: true, required: true, default: ['$' + '{HOME}/a', 'b'] },
      port: { type: 'number', default: 80, min: 1, max: 99, title: 'Port' },
      'api-key': { type: 'string', sensitive: true, description: 'a key' },
      loud: { type: 'boolean', default: false },
    },
  });
  expect(userConfig.map(({ key, default: given, title }) => [key, given, title])).toEqual([
    ['folders', ['$' + '{HOME}/a', 'b'], 'folders'],
    ['port', ['80'], 'Port'],
    ['api-key', null, 'api-key'],
    ['loud', ['false'], 'loud'],
  ]);
  expect(userConfig[1]).toMatchObject({ min: 1, max: 99, required: false });
  expect(userConfig[2]).toMatchObject({ sensitive: true, description: 'a key' });
});

describe('a manifest that will not do is refused with the member that is wrong:', () => {
  test.each<[string, object, string]>([
    ['no revision', { manifest_version: undefined }, 'no manifest_version; mcpd reads 0.1, 0.2, 0.3, 0.4'],
    ['a later revision', { manifest_version: '1.0' }, 'its manifest_version is "1.0"'],
    ['no name', { name: '' }, 'name'],
    ['no author', { author: {} }, 'author.name'],
    ['an unknown kind', { server: { ...base.server, type: 'perl' } }, 'server.type'],
    ['no command line', { server: { type: 'node', entry_point: 'x' } }, 'server.mcp_config is missing'],
    ['uv before it was there', { server: { type: 'uv' } }, 'revision 0.4'],
    ['a command that is none', config({ command: '' }), 'server.mcp_config.command'],
    ['arguments that are none', config({ args: 'a b' }), 'server.mcp_config.args'],
    ['an argument with a NUL', config({ args: ['a\0b'] }), 'NUL'],
    ['no name of a variable', config({ env: { 'A B': 'x' } }), 'the name of a variable'],
    ['a secret of mcpd', config({ args: ['$' + '{secret:TOKEN}'] }), 'names a secret'],
    [
      'a variable of the person',
      config({ env: { HERE: '$' + '{env:AWS_SECRET_ACCESS_KEY}' } }),
      'a variable of the person',
    ],
    [
      'a default that is one',
      { user_config: { a: { type: 'string', default: '$' + '{env:HOME}' } } },
      'user_config.a.default',
    ],
    ['too many arguments', config({ args: Array.from({ length: 257 }, () => 'a') }), 'server.mcp_config.args'],
    ['several defaults for one value', { user_config: { a: { type: 'string', default: ['b'] } } }, 'user_config.a'],
    ['a setting of no type', { user_config: { a: { type: 'thing' } } }, 'user_config.a.type'],
    ['a setting with an odd name', { user_config: { 'a}b': { type: 'string' } } }, 'user_config'],
  ])('%s', (_, change, said) => {
    const fault = faultOf(() => read(change));
    expect(fault.code).toBe('BUNDLE_INVALID');
    expect(fault.parts.why).toContain(said);
  });

  test.each(['[]', 'null', '"x"', '{"a":', ''])('no object: %s', (text) => {
    expect(faultOf(() => readManifest(text, 'linux')).code).toBe('BUNDLE_INVALID');
  });

  test('names of the prototype are no members', () => {
    const text = JSON.stringify({ ...base, user_config: {} }).replace('{}', '{"__proto__":{"type":"string"}}');
    expect(({} as { type?: string }).type).toBeUndefined();
    expect(() => readManifest(text, 'constructor' as NodeJS.Platform)).not.toThrow();
  });
});

function faultOf(work: () => unknown): McpdError {
  try {
    work();
  } catch (error) {
    if (error instanceof McpdError) return error;
    throw error;
  }
  throw new RangeError('it was not refused');
}
