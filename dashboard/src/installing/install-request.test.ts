import { expect, test } from 'vitest';
import type { SearchHit } from '../../../src/api/contract/search.ts';
import type { InputSpec } from '../../../src/api/contract.ts';
import { chosenByEnter, installRequest, isSpec, meantHits, missingInputs } from './install-request.ts';

const input = (name: string, changes: Partial<InputSpec> = {}): InputSpec => ({
  name,
  description: '',
  required: true,
  secret: false,
  default: null,
  choices: null,
  ...changes,
});

const HIT: SearchHit = {
  name: 'github',
  title: 'GitHub',
  description: '',
  origin: 'npm:x',
  inputs: [
    input('TOKEN', { secret: true }),
    input('HOST', { default: 'github.com' }),
    input('NOTE', { required: false }),
  ],
  installed: false,
  ...{ source: 'catalog', registry: null, version: '1.0.0', publisher: null, repository: null, licence: null },
  ...{ kinds: ['npm'], status: 'active', statusMessage: null },
};

test('Enter takes what names itself, else the first of the catalog that is not installed, else nothing', () => {
  const installed = { ...HIT, name: 'git', installed: true };
  expect(chosenByEnter('npm:x', [HIT])).toEqual({ kind: 'typed', spec: 'npm:x' });
  expect(chosenByEnter('gi', [installed, HIT])).toEqual({ kind: 'hit', hit: HIT });
  expect([chosenByEnter('gi', [installed]), chosenByEnter('zzz', []), chosenByEnter(' ', [HIT])]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a configuration that is pasted is taken as one; what begins with a slash is a folder all the same', () => {
  for (const text of ['{"mcpServers": {}}', '"files": {"command": "x"}', '// mine\n{}'])
    expect(chosenByEnter(text, [HIT])).toEqual({ kind: 'snippet', text });
  expect(chosenByEnter('/srv/tools', [])).toEqual({ kind: 'typed', spec: '/srv/tools' });
});

test('what was most likely meant is found by its name', () => {
  const catalog = ['github', 'gitlab', 'weather'].map((name) => ({ ...HIT, name }));
  expect(meantHits(' githib ', catalog).map(({ name }) => name)[0]).toBe('github');
  expect(meantHits('wether', catalog).map(({ name }) => name)).toEqual(['weather']);
  expect(meantHits('zzzzzz', catalog)).toEqual([]);
});

test('a package, a folder and an address name themselves; words do not', () => {
  expect(['npm:x', 'pypi:x', 'oci:ghcr.io/x/y:1', ' /srv/tools ', 'https://example.com/mcp'].every(isSpec)).toBe(true);
  const repositories = ['git:https://x.test/y', 'git+https://x.test/y', 'ssh://git@x.test/y', 'git@x.test:o/r.git#v1'];
  expect(repositories.filter((text) => !isSpec(text))).toEqual([]);
  expect(['git:', 'git@x.test', 'git+https: x'].some(isSpec)).toBe(false);
  expect(['weather', 'npm:', 'npm: x', 'a/b'].some(isSpec)).toBe(false);
});

test('an input is missing when the server needs it and nobody gave it a value', () => {
  expect(missingInputs(HIT.inputs, new Map())).toEqual(['TOKEN']);
  expect(missingInputs(HIT.inputs, new Map([['TOKEN', 't']]))).toEqual([]);
});

test('only what was filled in is sent, and a secret as one', () => {
  const values = new Map([
    ['TOKEN', 't'],
    ['NOTE', ''],
  ]);
  expect(installRequest({ kind: 'hit', hit: HIT }, { name: null, values })).toEqual({
    spec: 'github',
    env: { TOKEN: { value: 't', secret: true } },
  });
  expect(installRequest({ kind: 'typed', spec: ' npm:x@1 ' }, { name: null, values })).toEqual({ spec: 'npm:x@1' });
});

test('of a registry the very version is asked for that was shown, under the name that a person gave it', () => {
  const hit: SearchHit = { ...HIT, name: 'io.github.acme/weather', source: 'registry', version: '1.2.0' };
  const filled = { name: 'acme', values: new Map() };
  expect(installRequest({ kind: 'hit', hit }, filled)).toEqual({ spec: 'io.github.acme/weather@1.2.0', name: 'acme' });
});
