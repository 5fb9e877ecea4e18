import { describe, expect, test } from 'vitest';
import { McpdError } from '../../src/errors.ts';
import { registryAddress, registryAddresses, searchAddress, versionAddress, versionsAddress } from './addresses.ts';
import { askedRegistries, settingOf } from './asked.ts';
import { isPublishedName, isPublishedVersion } from './names.ts';

const HERE = 'https://registry.example.com';

test('a name, a version and a cursor are single encoded parts of an address', () => {
  expect(versionAddress(HERE, 'io.github.user/weather', '1.0.0+build')).toBe(
    `${HERE}/v0.1/servers/io.github.user%2Fweather/versions/1.0.0%2Bbuild`,
  );
  expect(versionsAddress(HERE, 'io.github.user/weather', 'a/b:1&x=?#')).toBe(
    `${HERE}/v0.1/servers/io.github.user%2Fweather/versions?cursor=a%2Fb%3A1%26x%3D%3F%23`,
  );
  const search = new URL(searchAddress(HERE, 'a&limit=9 #x', null)).searchParams;
  expect([...search]).toEqual([
    ['version', 'latest'],
    ['search', 'a&limit=9 #x'],
    ['limit', '100'],
  ]);
});

test('a name has two parts of plain letters, and no part that a path reads as a step', () => {
  for (const name of ['io.github.user/weather', 'com.acme/a_b.c-D', 'a/b', `a/${'b'.repeat(198)}`])
    expect([name, isPublishedName(name)]).toEqual([name, true]);
  // biome-ignore format: a list
  const others = [
    '', 'weather', 'a/b/c', '/b', 'a/', '../b', 'a/..', './b', 'a/.', 'a b/c', 'a/b\0', 'a/b\n', 'a_b/c',
    'іo.github.user/weather', 'a/$(touch x)', 'a/b;c', `a/${'b'.repeat(299)}`, 'a\\b/c', 'a/b%2f',
  ];
  for (const name of others) expect([name, isPublishedName(name)]).toEqual([name, false]);
});

test('a version is one version: no range, no tag, no step of a path', () => {
  for (const version of ['1.0.0', '2026.1.0-beta.1', '1.0.0+build', 'v3', '0.1'])
    expect([version, isPublishedVersion(version)]).toEqual([version, true]);
  for (const version of [
    '',
    '^1.0.0',
    '>=1',
    '1.x || 2',
    '*',
    'latest',
    '..',
    '.',
    '-rf',
    '1/2',
    '1 2',
    '1\0',
    'a'.repeat(256),
  ])
    expect([version, isPublishedVersion(version)]).toEqual([version, false]);
});

describe('the address of a registry', () => {
  test('is kept without the path of the API and without a slash at its end', () => {
    for (const text of [HERE, `${HERE}/`, `${HERE}/v0`, `${HERE}/v0.1/`]) expect(registryAddress(text)).toBe(HERE);
    expect(registryAddress(`${HERE}/mcp/`)).toBe(`${HERE}/mcp`);
    expect(registryAddress('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
  });

  test('is refused where what comes from there could be changed on its way, or where it is none', () => {
    const others = [
      'http://registry.example.com',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://u:p@x.example',
      'x',
      `${HERE}?a=b`,
      `${HERE}/${'x'.repeat(600)}`,
    ];
    for (const text of others) expect(() => registryAddress(text), text).toThrow(McpdError);
    const many = Array.from({ length: 9 }, (_, at) => `https://r${at}.example`).join(' ');
    expect(() => registryAddresses(many)).toThrow(/9 MCP registries are more than the 8/);
  });

  test('is the official one unless a person or the environment says another; by `none`, none is asked', () => {
    expect(askedRegistries(null, {})).toEqual({
      addresses: ['https://registry.modelcontextprotocol.io'],
      from: 'default',
      fault: null,
    });
    expect(askedRegistries(null, { MCPD_REGISTRIES: 'none' }).addresses).toEqual([]);
    const two = { MCPD_REGISTRIES: `${HERE}/v0.1, https://other.example ${HERE}` };
    expect(askedRegistries(null, two)).toMatchObject({
      addresses: [HERE, 'https://other.example'],
      from: 'environment',
    });
    expect(askedRegistries(settingOf([HERE]), two)).toMatchObject({ addresses: [HERE], from: 'settings' });
  });

  test('that cannot be followed has none asked, and says whose fault it is', () => {
    const asked = askedRegistries(null, { MCPD_REGISTRIES: 'http://evil.example' });
    expect(asked.addresses).toEqual([]);
    expect(asked.fault?.message).toMatch(
      /^MCPD_REGISTRIES cannot be followed: "http:\/\/evil\.example" cannot be an MCP registry/,
    );
  });
});
