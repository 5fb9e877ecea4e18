import { describe, expect, test } from 'vitest';
import { McpdError } from '../src/errors.ts';
import { publishedOf } from './server-json.ts';

const NAMES = { name: 'io.github.acme/weather', description: 'Weather for all', version: '1.2.3' };
const PACKAGE = { registryType: 'npm', identifier: '@acme/weather', version: '1.2.3', transport: { type: 'stdio' } };
const withPackage = (more: object) => publishedOf({ ...NAMES, packages: [{ ...PACKAGE, ...more }] });
const refusal = (document: unknown) => {
  try {
    publishedOf(document);
  } catch (error) {
    if (error instanceof McpdError && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  return '';
};

/** One server in the words of each revision. */
const snake = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-07-09/server.schema.json',
  ...NAMES,
  status: 'deprecated',
  website_url: 'https://weather.acme.test',
  repository: { url: 'https://github.com/acme/weather', source: 'github', id: null },
  packages: [
    {
      registry_type: 'npm',
      registry_base_url: 'https://registry.npmjs.org',
      identifier: '@acme/weather',
      version: '1.2.3',
      file_sha256: 'A'.repeat(64),
      runtime_hint: 'npx',
      transport: { type: 'stdio' },
      runtime_arguments: [{ type: 'named', name: '-y' }],
      package_arguments: [
        { type: 'named', name: '--port', value_hint: 'port', is_repeated: true, default: 8080, format: 'number' },
        { type: 'positional', value_hint: 'file_path', is_required: true, format: 'filepath' },
      ],
      environment_variables: [
        { name: 'API_KEY', description: 'A\nkey', is_required: true, is_secret: true, choices: null },
        { name: 'URL', value: 'https://{host_name}/', variables: { host_name: { is_required: true } } },
      ],
    },
  ],
};
const camel = {
  ...NAMES,
  websiteUrl: snake.website_url,
  repository: snake.repository,
  packages: [
    {
      registryType: 'npm',
      registryBaseUrl: 'https://registry.npmjs.org',
      identifier: '@acme/weather',
      version: '1.2.3',
      fileSha256: 'a'.repeat(64),
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      runtimeArguments: [{ type: 'named', name: '-y' }],
      packageArguments: [
        { type: 'named', name: '--port', valueHint: 'port', isRepeated: true, default: '8080', format: 'number' },
        { type: 'positional', valueHint: 'file_path', isRequired: true, format: 'filepath' },
      ],
      environmentVariables: [
        { name: 'API_KEY', description: 'A key', isRequired: true, isSecret: true },
        { name: 'URL', value: 'https://{host_name}/', variables: { host_name: { isRequired: true } } },
      ],
    },
  ],
};

describe('every revision', () => {
  test('of 2025-07-09, with snake_case and the status inside, reads as the newest', () => {
    expect(publishedOf(snake)).toEqual({ ...publishedOf(camel), status: 'deprecated' });
    const { version, ...rest } = snake;
    expect(publishedOf({ ...rest, version_detail: { version } })).toEqual(publishedOf(snake));
  });

  test.each(['2025-09-16', '2025-09-29', '2025-10-11', '2025-10-17', '2025-12-11', 'draft'])('of %s', (revision) => {
    const document = {
      $schema: `https://static.modelcontextprotocol.io/schemas/${revision}/server.schema.json`,
      ...camel,
      ...(revision === '2025-09-16' ? { status: 'active' } : {}),
      icons: [{ src: 'https://x.test/i.png' }],
      _meta: { 'io.acme': { registry_type: 'stays' } },
    };
    expect(publishedOf(document)).toMatchObject({
      ...{ name: 'io.github.acme/weather', title: 'weather', publisher: 'github.com/acme', version: '1.2.3' },
      ...{ status: 'active', repository: 'https://github.com/acme/weather', unsupported: [], remotes: [] },
      packages: [
        {
          ...{ kind: 'npm', identifier: '@acme/weather', version: '1.2.3', registryBaseUrl: null },
          ...{ fileSha256: 'a'.repeat(64), runtimeHint: 'npx' },
          runtimeArguments: [{ flag: '-y', input: null }],
          arguments: [
            { flag: '--port', repeated: true, input: { name: 'port', default: '8080', format: 'number' } },
            { flag: null, repeated: false, input: { name: 'file_path', required: true, format: 'filepath' } },
          ],
          env: [
            { name: 'API_KEY', description: 'A key', required: true, secret: true, value: null },
            { name: 'URL', variables: [{ name: 'host_name', required: true }] },
          ],
        },
      ],
    });
  });

  test('has an image in one name, or with its tag and its registry apart', () => {
    const image = (more: object) => withPackage({ registryType: 'oci', version: null, ...more }).packages[0];
    expect(image({ identifier: 'ghcr.io/acme/mcp:1.0' })).toMatchObject({
      identifier: 'ghcr.io/acme/mcp',
      version: '1.0',
    });
    expect(image({ identifier: 'acme/mcp', version: '1.0', registryBaseUrl: 'https://docker.io' })).toMatchObject({
      ...{ identifier: 'acme/mcp', version: '1.0', registryBaseUrl: null },
    });
    expect(image({ identifier: 'acme/mcp', version: '1.0', registryBaseUrl: 'https://ghcr.io' })).toMatchObject({
      identifier: 'ghcr.io/acme/mcp',
    });
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(image({ identifier: `acme/mcp:1.0@${digest}` })).toMatchObject({ identifier: 'acme/mcp', version: digest });
    expect(image({ identifier: 'localhost:5000/mcp' })).toMatchObject({
      identifier: 'localhost:5000/mcp',
      version: null,
    });
  });

  test('has remotes, with what their address names even where nothing describes it', () => {
    const remotes = (remote: object) => publishedOf({ ...NAMES, remotes: [remote] }).remotes[0];
    expect(
      remotes({
        type: 'streamable-http',
        url: 'https://{tenant}.acme.test/mcp',
        headers: [{ name: 'Authorization', value: 'Bearer {token}', variables: { token: { isSecret: true } } }],
      }),
    ).toMatchObject({
      transport: 'streamable-http',
      variables: [{ name: 'tenant', required: true }],
      headers: [{ name: 'Authorization', value: 'Bearer {token}', variables: [{ name: 'token', secret: true }] }],
    });
    expect(remotes({ transport_type: 'sse', url: 'https://acme.test/sse' })).toMatchObject({ transport: 'sse' });
    expect(remotes({ type: 'sse', url: '{base}/mcp' })).toMatchObject({ variables: [{ name: 'base' }] });
  });
});

describe('what mcpd cannot use', () => {
  test('is named, and leaves the rest', () => {
    const document = {
      ...NAMES,
      packages: [
        { ...PACKAGE, registryType: 'cargo' },
        { ...PACKAGE, registryType: 'git', identifier: 'https://github.com/acme/mcp' },
        { ...PACKAGE, transport: { type: 'sse', url: 'http://x' } },
        PACKAGE,
      ],
      remotes: [{ type: 'carrier-pigeon', url: 'https://x.test' }],
    };
    const published = publishedOf(document);
    expect(published.packages).toHaveLength(1);
    expect(published.unsupported).toEqual([
      'a package of the kind "cargo"',
      'a package of the kind "git"',
      'a package of npm that is reached by sse once it runs, and not by its stdin and stdout',
      'a remote server that is reached by "carrier-pigeon"',
    ]);
  });

  test('is bundled, when anybody but mcpd says so', () => {
    expect(withPackage({ registryType: 'bundled', identifier: 'servers/x.js' }).packages).toEqual([]);
  });
});

describe('hostile text', () => {
  test.each<[string, object, string]>([
    ['a name with ..', { name: 'io.github.acme/..' }, 'cannot be the name'],
    ['a name of 300 characters', { name: `io.github.acme/${'a'.repeat(300)}` }, 'cannot be the name'],
    ['a name with two slashes', { name: 'a/b/c' }, 'cannot be the name'],
    ['a name with a NUL', { name: 'io.github.acme/a\0b' }, 'cannot be the name'],
    ['a version with a NUL', { version: '1\0' }, 'version holds a control character'],
    ['a name that looks like another', { name: 'io.github.acme/wеather' }, 'cannot be the name'],
    ['no object', { packages: 'x' }, 'packages'],
  ])('%s is refused', (_, more, why) => {
    expect(refusal({ ...NAMES, ...more })).toContain(why);
  });

  test.each<[string, object, string]>([
    ['a shell line as identifier', { identifier: 'x; rm -rf ~' }, 'cannot be the name of a package'],
    ['an option as identifier', { identifier: '--registry=http://evil' }, 'cannot be the name of a package'],
    ['.. in an identifier', { identifier: '@a/../../x' }, 'cannot be the name of a package'],
    ['a long identifier', { identifier: 'a'.repeat(300) }, 'at most 214'],
    ['an identifier with a line break', { identifier: 'a\nb' }, 'cannot be the name of a package'],
    ['a shell line as version', { version: '1.0.0 && id' }, 'not one exact version'],
    ['a range as version', { version: '^1.0.0' }, 'not one exact version'],
    ['latest as version', { version: 'latest' }, 'not one version'],
    ['a path as runtime hint', { runtimeHint: '../../bin/sh' }, 'no program'],
    ['a shell line as runtime hint', { runtimeHint: 'sh -c id' }, 'no program'],
    ['a registry that is no address', { registryBaseUrl: 'http://x y' }, 'no address'],
    ['a registry with a password', { registryBaseUrl: 'https://ann:pw@x.example/' }, 'a user or a password'],
    ['a registry without encryption', { registryBaseUrl: 'http://x.example/' }, 'without encryption'],
    ['a hash that is none', { fileSha256: 'zz' }, '64 hexadecimal digits'],
    ['a variable that is none', { environmentVariables: [{ name: 'A=B' }] }, 'which is no variable'],
    ['a NUL in a value', { environmentVariables: [{ name: 'A', value: 'a\0' }] }, 'control character'],
    [
      'an escape sequence in a default',
      { environmentVariables: [{ name: 'A', default: '\u001b[2J' }] },
      'control character',
    ],
    ['a flag with a space', { packageArguments: [{ type: 'named', name: '--a b' }] }, 'which is no flag'],
    ['an argument without anything', { packageArguments: [{ type: 'positional' }] }, 'neither a value nor a valueHint'],
    ['a secret of this machine', { environmentVariables: [{ name: 'A', value: `\${secret:X}` }] }, 'of this machine'],
    [
      'a variable of this machine',
      { packageArguments: [{ type: 'positional', value: `\${env:HOME}` }] },
      'of this machine',
    ],
  ])('%s is refused', (_, more, why) => {
    expect(refusal({ ...NAMES, packages: [{ ...PACKAGE, ...more }] })).toContain(why);
  });

  test('for people becomes one line', () => {
    const { title, description, websiteUrl } = publishedOf({
      ...NAMES,
      title: 'A\u001b[31m\n title',
      description: `$(id)\r\n${'x'.repeat(2000)}`,
      websiteUrl: 'javascript:alert(1)',
    });
    expect(title).toBe('A [31m title');
    expect(description).toHaveLength(1000);
    expect(description).not.toMatch(/[\r\n]/);
    expect(websiteUrl).toBeNull();
  });
});
