import fc from 'fast-check';
import { expect, test } from 'vitest';
import { McpdError } from './errors.ts';
import { checkNameFree, isServerName, serverNameOf, slugOf } from './server-names.ts';

function refusal(act: () => void): McpdError {
  try {
    act();
  } catch (error) {
    if (error instanceof McpdError) return error;
    throw error;
  }
  throw new RangeError('nothing was refused');
}

test('plain names are accepted', () => {
  for (const name of ['weather', 'a', '0', 'my-server_2', 'x'.repeat(32)]) expect(isServerName(name)).toBe(true);
});

test('names that break paths, prefixes or devices are refused', () => {
  const bad = [
    '',
    '../x',
    'a/b',
    'a\0b',
    'A',
    'é',
    'a__b',
    'a_',
    '-a',
    '_a',
    'mcpd',
    'con',
    'lpt1',
    'x'.repeat(33),
    'a\n',
  ];
  for (const name of bad) expect(isServerName(name), JSON.stringify(name)).toBe(false);
});

test('a name is taken as it is, another text by its slug, and what leaves nothing usable is refused with the rule', () => {
  expect(serverNameOf('a--b-')).toBe('a--b-');
  expect(serverNameOf('My Server')).toBe('my-server');
  for (const name of ['mcpd', 'MCPD', 'CON'])
    expect(refusal(() => serverNameOf(name)).parts.why).toBe('this name is reserved');
  const error = refusal(() => serverNameOf('…'));
  expect(error.code).toBe('NAME_INVALID');
  expect(error.parts.why).toContain('a-z, 0-9');
});

test('other texts are slugged', () => {
  expect(slugOf('@acme/Cool.Server')).toBe('cool-server');
  expect(slugOf('Café  Déjà__vu_')).toBe('cafe-deja_vu');
  expect(slugOf('server-memory')).toBe('server-memory');
  expect(slugOf('../../etc/passwd')).toBe('etc-passwd');
  expect(slugOf('日本')).toBeNull();
  expect(slugOf('mcpd')).toBeNull();
});

test('whatever the text, a slug is a valid name and its own slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const slug = slugOf(text);
      if (slug === null) return;
      expect(isServerName(slug)).toBe(true);
      expect(slugOf(slug)).toBe(slug);
    }),
  );
});

test('a taken name is refused with the next free one', () => {
  const taken = new Set(['weather', 'weather-2', 'x'.repeat(32)]);
  const error = refusal(() => checkNameFree('weather', (name) => taken.has(name)));
  expect(error.code).toBe('NAME_TAKEN');
  expect(error.parts.fix).toContain('--name weather-3');
  expect(refusal(() => checkNameFree('x'.repeat(32), (name) => taken.has(name))).parts.fix).toContain(
    `--name ${'x'.repeat(30)}-2`,
  );
  expect(() => checkNameFree('todo', (name) => taken.has(name))).not.toThrow();
});
