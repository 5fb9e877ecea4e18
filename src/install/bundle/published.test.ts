import { expect, test } from 'vitest';
import { inputsOfPackage } from '../../../registry/published.ts';
import { readManifest } from './manifest.ts';
import { publishedBundle } from './published.ts';

const variable = (name: string) => ['$', '{', name, '}'].join('');
const setting = (key: string) => variable(`user_config.${key}`);

function publishedOf(args: string[], env: Record<string, string> = {}) {
  const document = {
    manifest_version: '0.3',
    ...{ name: 'tiny', display_name: 'Tiny', version: '1.0.0', description: 'One', author: { name: 'Acme' } },
    server: { type: 'node', entry_point: 'a.js', mcp_config: { command: 'node', args, env } },
    user_config: {
      folders: { type: 'directory', multiple: true, default: [`${variable('HOME')}/a`, '/b'] },
      key: { type: 'string', sensitive: true, required: true, title: 'Key' },
      size: { type: 'number', min: 1, max: 9 },
    },
  };
  const places = { userHome: '/home/ann', platform: 'linux' } as const;
  return publishedBundle(readManifest(JSON.stringify(document), 'linux'), '/x.mcpb', 'ab', places);
}

test('a bundle is a published server with one package, which is that file', () => {
  expect(publishedOf([])).toMatchObject({
    ...{ name: 'tiny', title: 'Tiny', version: '1.0.0', publisher: 'Acme', status: 'active' },
    packages: [{ kind: 'mcpb', identifier: '/x.mcpb', version: '1.0.0', fileSha256: 'ab' }],
  });
});

test('settings are asked once, where the command line names them, and others are not', () => {
  const [pack] = publishedOf([setting('folders'), `--key=${setting('key')}`], { KEY: setting('key') }).packages;
  if (pack === undefined) throw new RangeError('it has one');
  expect(inputsOfPackage(pack).map(({ name }) => name)).toEqual(['folders', 'key']);
  expect(pack.arguments).toMatchObject([
    { flag: null, repeated: true, input: { format: 'filepath', default: '/home/ann/a\n/b', value: null } },
    {
      repeated: false,
      input: { value: '--key={key}', variables: [{ name: 'key', secret: true, description: 'Key' }] },
    },
  ]);
  expect(pack.env).toMatchObject([{ name: 'KEY', value: '{key}', variables: [{ required: true }] }]);
});

test('a number keeps its bounds', () => {
  expect(publishedOf([setting('size')]).packages[0]?.arguments[0]?.input).toMatchObject({ min: 1, max: 9 });
});

test('a command line that names what nobody is asked, or a word that could be mistaken for it, is refused', () => {
  expect(() => publishedOf([setting('none')])).toThrow('user_config.none');
  expect(() => publishedOf([`${setting('key')} {key}`])).toThrow('cannot tell');
});
