import { expect, test } from 'vitest';
import {
  ALL_ABILITIES,
  capabilitiesForLegacy,
  isCallback,
  lackFor,
  NO_ABILITIES,
  readAbilities,
  SHARED_ABILITIES,
} from './abilities.ts';

const read = (capabilities: unknown) => readAbilities(JSON.stringify(capabilities));

test.each([
  [{}, { form: true, url: false }],
  [{ form: {} }, { form: true, url: false }],
  [{ url: {} }, { form: false, url: true }],
  [
    { form: {}, url: {} },
    { form: true, url: true },
  ],
  [{ url: true }, { form: true, url: false }],
])('elicitation %j: an empty object means forms, since they came first', (elicitation, modes) => {
  expect(read({ elicitation }).elicitation).toEqual(modes);
});

test.each([
  ['{}', ''],
  ['null', ''],
  ['[]', ''],
  ['"elicitation"', ''],
  ['{"elicitation":null,"roots":1,"sampling":"x"}', ''],
  ['{"sampling":{},"elicitation":{}}', 'elicitation+sampling'],
  ['{"sampling":{},"roots":{},"elicitation":{"url":{}}}', 'elicitation+roots+sampling'],
  ['{"tasks":{},"experimental":{},"extensions":{}}', ''],
])('%s declares %j', (raw, declared) => {
  expect(readAbilities(raw).declared).toBe(declared);
});

test('what is no object declares nothing to anybody', () => {
  for (const raw of ['null', '[]', '7', '"x"']) {
    const abilities = readAbilities(raw);
    expect(capabilitiesForLegacy(abilities)).toBe('{}');
    expect(abilities.forModern).toBe('{}');
  }
});

test('a legacy server is told of what mcpd carries, as the host said it; of tasks and what nobody knows it is not', () => {
  const capabilities = {
    roots: { listChanged: true, later: 1 },
    sampling: { tools: {}, context: {} },
    elicitation: { url: {} },
    experimental: { x: {} },
    extensions: { 'a/b': {} },
    vendor: {},
    tasks: { list: {} },
  };
  const { vendor, tasks, ...carried } = capabilities;
  expect(JSON.parse(capabilitiesForLegacy(read(capabilities)))).toEqual(carried);
  expect([vendor, tasks]).toHaveLength(2);
});

test('a modern server is told the same in its own words: no listChanged, and the modes by name', () => {
  const forModern = (capabilities: unknown): unknown => JSON.parse(read(capabilities).forModern);
  expect(forModern({ roots: { listChanged: true }, elicitation: {}, sampling: { tools: {} }, tasks: {} })).toEqual({
    roots: {},
    elicitation: { form: {} },
    sampling: { tools: {} },
  });
  expect(forModern({ elicitation: { url: {} } })).toEqual({ elicitation: { url: {} } });
});

test.each([
  ['roots/list', {}, { roots: {} }, null],
  ['roots/list', {}, {}, 'roots'],
  ['elicitation/create', {}, { elicitation: {} }, null],
  ['elicitation/create', { mode: 'form' }, { elicitation: { url: {} } }, 'elicitation.form'],
  ['elicitation/create', { mode: 'url' }, { elicitation: {} }, 'elicitation.url'],
  ['elicitation/create', { mode: 'url' }, { elicitation: { url: {} } }, null],
  ['sampling/createMessage', {}, { sampling: {} }, null],
  ['sampling/createMessage', {}, {}, 'sampling'],
  ['sampling/createMessage', { tools: [] }, { sampling: {} }, 'sampling.tools'],
  ['sampling/createMessage', { toolChoice: {} }, { sampling: {} }, 'sampling.tools'],
  ['sampling/createMessage', { tools: [] }, { sampling: { tools: {} } }, null],
] as const)('%s with %j of a client with %j lacks %j', (method, params, capabilities, lack) => {
  expect(lackFor(read(capabilities), method, params)).toBe(lack);
});

test('params that are no object are those of the simplest request', () => {
  for (const params of [null, 7, 'url', ['url']]) {
    expect(lackFor(read({ elicitation: {} }), 'elicitation/create', params)).toBeNull();
    expect(lackFor(NO_ABILITIES, 'sampling/createMessage', params)).toBe('sampling');
  }
});

test('one process for all is told of everything but roots; a comparison of everything', () => {
  expect(SHARED_ABILITIES.declared).toBe('elicitation+sampling');
  expect(ALL_ABILITIES.declared).toBe('elicitation+roots+sampling');
});

test('three requests are put to hosts, and no other', () => {
  expect(['elicitation/create', 'roots/list', 'sampling/createMessage'].every(isCallback)).toBe(true);
  expect(['ping', 'tools/call', 'constructor', ''].some(isCallback)).toBe(false);
});
