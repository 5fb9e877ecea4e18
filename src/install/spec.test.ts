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

test('what cannot be installed is refused with the way that there is', () => {
  expect(() => parseSpec('pypi:mcp-server-git')).toThrow(/use mcpd add/);
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
    '/a b',
    'https://x.test/mcp?a=b',
  ])
    expect(specText(parseSpec(spec))).toBe(spec);
});
