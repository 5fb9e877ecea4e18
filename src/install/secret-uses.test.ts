import { expect, test } from 'vitest';
import { secretReference } from '../secret-references.ts';
import { newSecretUses } from './secret-uses.ts';

const KEY = secretReference('KEY');
const FOLDER = '/home/ann';
const PRESENT = { url: 'https://weather.example/mcp', headers: { Authorization: `Bearer ${KEY}` } };

const uses = (entry: Parameters<typeof newSecretUses>[1], present: Parameters<typeof newSecretUses>[2] = PRESENT) =>
  newSecretUses('weather', entry, present, ['KEY'], FOLDER);

test('a secret that stays where it is goes nowhere new', () => {
  expect(uses({ ...PRESENT, start: 'always' })).toEqual([]);
});

test('another address, another program or another header gets a secret anew', () => {
  expect(uses({ ...PRESENT, url: 'https://elsewhere.example/' })).toEqual([
    {
      server: 'weather',
      secret: 'KEY',
      place: `header: Authorization=Bearer ${KEY}`,
      to: 'https://elsewhere.example/',
      steers: false,
    },
  ]);
  expect(uses({ ...PRESENT, headers: { ...PRESENT.headers, 'X-Copy': KEY } }).map(({ place }) => place)).toEqual([
    `header: X-Copy=${KEY}`,
  ]);
  expect(uses({ command: 'curl', args: ['-d', KEY], env: {} })).toMatchObject([
    { place: `an argument: ${KEY}`, to: `curl -d '${KEY}'`, steers: true },
  ]);
  const installed = { install: 'npm:acme', env: { API_KEY: KEY } };
  expect(uses({ ...installed, install: 'npm:evil' }, installed)).toMatchObject([{ to: 'npm:evil', steers: false }]);
});

test('the same install from another registry, or with other words before it, gets a secret anew', () => {
  const installed = { install: 'pypi:acme', env: { API_KEY: KEY }, package: { integrity: 'sha256-a' } };
  const changed = (change: object) => uses({ ...installed, package: { ...installed.package, ...change } }, installed);
  expect(changed({ integrity: 'sha256-b' })).toEqual([]);
  expect(changed({ registry: 'https://evil.example' })).toMatchObject([
    { place: `variable: API_KEY=${KEY}`, to: 'pypi:acme of https://evil.example', steers: false },
  ]);
  expect(changed({ runtimeArguments: ['--from', 'evil'] })).toMatchObject([{ to: 'pypi:acme --from evil' }]);
  expect(changed({ runtimeArguments: ['-e', `NODE_OPTIONS=${KEY}`] })).toContainEqual(
    expect.objectContaining({ place: `an argument: NODE_OPTIONS=${KEY}`, steers: true }),
  );
});

test('a server that is not there may still have secrets, and one that has none of that name gets none', () => {
  expect(uses(PRESENT, null)).toHaveLength(1);
  expect(newSecretUses('weather', PRESENT, null, [], FOLDER)).toEqual([]);
});

test('a place where a value decides what is run is told apart', () => {
  const variable = (name: string) => uses({ command: 'node', env: { [name]: KEY } }).map(({ steers }) => steers);
  expect([variable('NODE_OPTIONS'), variable('API_KEY')]).toEqual([[true], [false]]);
});
