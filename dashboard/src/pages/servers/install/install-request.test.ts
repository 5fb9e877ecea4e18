import { expect, test } from 'vitest';
import type { CatalogHit, InputSpec } from '../../../../../src/api/contract.ts';
import { chosenByEnter, installRequest, isSpec, missingInputs } from './install-request.ts';

const input = (name: string, changes: Partial<InputSpec> = {}): InputSpec => ({
  name,
  description: '',
  required: true,
  secret: false,
  default: null,
  choices: null,
  ...changes,
});

const HIT: CatalogHit = {
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

test('a package, a folder and an address name themselves; words do not', () => {
  expect(['npm:x', ' /srv/tools ', 'https://example.com/mcp'].every(isSpec)).toBe(true);
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
  expect(installRequest({ kind: 'hit', hit: HIT }, values)).toEqual({
    spec: 'github',
    env: { TOKEN: { value: 't', secret: true } },
  });
  expect(installRequest({ kind: 'typed', spec: ' npm:x@1 ' }, values)).toEqual({ spec: 'npm:x@1' });
});
