import { expect, test } from 'vitest';
import { parseSpec, specText } from './spec.ts';

test('names, packages, folders and addresses are told apart', () => {
  expect(parseSpec('weather')).toEqual({ kind: 'catalog', name: 'weather' });
  expect(parseSpec(' npm:tiny ')).toEqual({ kind: 'package', of: 'npm', identifier: 'tiny', range: 'latest' });
  expect(parseSpec('npm:@acme/mcp@1.4.2')).toEqual({
    kind: 'package',
    of: 'npm',
    identifier: '@acme/mcp',
    range: '1.4.2',
  });
  expect(parseSpec('NPM:tiny')).toEqual(parseSpec('npm:tiny'));
  expect(parseSpec('npm:@acme/mcp')).toEqual({ kind: 'package', of: 'npm', identifier: '@acme/mcp', range: 'latest' });
  expect(parseSpec('npm:tiny@>=1.2 <2 || ^3')).toEqual({
    kind: 'package',
    of: 'npm',
    identifier: 'tiny',
    range: '>=1.2 <2 || ^3',
  });
  expect(parseSpec('/home/me/a server')).toEqual({ kind: 'folder', path: '/home/me/a server' });
  expect(parseSpec('https://x.test/mcp')).toEqual({ kind: 'url', url: 'https://x.test/mcp' });
  expect(parseSpec('C:\\servers\\one')).toEqual({ kind: 'folder', path: 'C:\\servers\\one' });
});

test('what npm would take for an address, a file or an option is refused', () => {
  const bad = [
    'npm:',
    'npm:--global',
    'npm:a@https://x.test/a.tgz',
    'npm:a@file:../x',
    'npm:a@npm:b',
    'npm:a b',
    'npm:a@--force',
    'npm:../a',
    'npm:a/b@1',
  ];
  for (const spec of bad) expect(() => parseSpec(spec), spec).toThrow(/cannot be installed/);
});

test('packages of other kinds are named by their kind', () => {
  const of = (spec: string) => {
    const parsed = parseSpec(spec);
    return parsed.kind === 'package' ? [parsed.of, parsed.identifier, parsed.range] : parsed;
  };
  expect(of('pypi:mcp-server-time')).toEqual(['pypi', 'mcp-server-time', 'latest']);
  expect(of('PyPI:mcp-server-time@>=1,<2')).toEqual(['pypi', 'mcp-server-time', '>=1,<2']);
  expect(of('oci:ghcr.io/acme/mcp:1.2')).toEqual(['oci', 'ghcr.io/acme/mcp', '1.2']);
  expect(of('docker://localhost:5000/mcp')).toEqual(['oci', 'localhost:5000/mcp', 'latest']);
  expect(of('nuget:Acme.Mcp@1.0.0-beta.1')).toEqual(['nuget', 'Acme.Mcp', '1.0.0-beta.1']);
  expect(of('/x/server.json')).toEqual({ kind: 'document', path: '/x/server.json' });
});

test.each([
  ...['pypi:--index-url', 'pypi:a@git+https://x', 'pypi:a b', 'pypi:../a', `pypi:${'a'.repeat(300)}`, 'pypi:a@1;id'],
  ...['oci:-v', 'oci:a:b:c', 'oci:a@sha256:0', 'oci:a$(id)', 'oci:../a', `oci:${'a/'.repeat(200)}a`],
  ...['nuget:a@1.0 --source x', 'nuget:a@^1', 'nuget:-y', 'nuget:a..b'],
])('%s is refused', (spec) => {
  expect(() => parseSpec(spec)).toThrow(/cannot be installed/);
});

/** Of every kind what climbs, ends early, is too long, looks like another, or is an option or a line of a shell. */
test.each(['npm', 'pypi', 'oci', 'nuget', 'git'])('a hostile name of a package of %s is refused', (kind) => {
  const names = [
    '..',
    '../../x',
    'a/../../x',
    'x\0y',
    'x\ny',
    'a'.repeat(3000),
    '\u0430cme',
    'x\u202ey',
    '--x=y',
    '-x',
  ];
  for (const name of [...names, 'x;id', '$(id)', '`id`', 'x|id', 'x&id', 'C:\\x', '%2e%2e/x', 'x y', "x'y", ''])
    expect(() => parseSpec(`${kind}:${name}`), name).toThrow(/cannot be installed/);
});

test('what cannot be installed is refused with the way that there is', () => {
  expect(() => parseSpec('cargo:mcp')).toThrow(/"cargo:" is no kind of package/);
  expect(() => parseSpec('server.json')).toThrow(/named by their path/);
  expect(() => parseSpec('foo:bar')).toThrow(/no kind of package/);
  expect(() => parseSpec('@acme/mcp')).toThrow(/looks like a package of npm/);
  expect(() => parseSpec('tiny@1')).toThrow(/looks like a package of npm/);
  expect(() => parseSpec('./x')).toThrow(/absolute path/);
  expect(() => parseSpec('a/b')).toThrow(/neither/);
  expect(() => parseSpec('')).toThrow(/empty/);
});

test('a name of an MCP registry has a domain, a name and perhaps one version', () => {
  const name = 'io.github.acme/weather';
  for (const spec of [name, `${name}@latest`])
    expect(parseSpec(spec)).toEqual({ kind: 'registry', name, version: null });
  expect(parseSpec(`${name}@1.0.0+build`)).toEqual({ kind: 'registry', name, version: '1.0.0+build' });
  const bad = [
    `${name}@^1.0.0`,
    `${name}@`,
    `${name}@..`,
    `${name}@1.0.0@2`,
    'io.github.acme/..',
    'io.github.acme/a/b',
    'io.github.acme/we;ather',
    'io.github.acme/$(touch x)',
    '\u0456o.github.acme/weather',
    `io.github.acme/${'a'.repeat(300)}`,
  ];
  for (const spec of bad) expect(() => parseSpec(spec), spec).toThrow(/cannot be installed/);
});

test('a spec prints as it may be written', () => {
  for (const spec of [
    'weather',
    'npm:@acme/mcp@1.4.2',
    'io.github.acme/x',
    'io.github.acme/x@1.0.0',
    'pypi:mcp-server-time@2025.7.1',
    'nuget:Acme.Mcp@1.0.0',
    'oci:ghcr.io/acme/mcp:1.2',
    `oci:acme/mcp@sha256:${'a'.repeat(64)}`,
    '/x/server.json',
    '/a b',
    'https://x.test/mcp?a=b',
    'git:https://github.com/acme/x#v1',
    'git:git@github.com:acme/x.git',
  ])
    expect(specText(parseSpec(spec))).toBe(spec);
});
