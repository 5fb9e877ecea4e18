import { expect, test } from 'vitest';
import { checkEntry, isRepair } from './entries.ts';

const tool = (inputSchema: unknown, more: Record<string, unknown> = {}) =>
  JSON.stringify({ name: 't', inputSchema, ...more });

test('a sound entry keeps its bytes, big numbers and unknown members too', () => {
  const text = '{"name":"t", "inputSchema":{"type":"object","maximum":12345678901234567890},"x-new":[1.0e3]}';
  expect(checkEntry('tools', text)).toEqual({ raw: text, key: 't', finding: null });
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a boolean', true],
  ['an empty object', {}],
  ['a list of types', { type: ['object', 'null'] }],
  ['a reference to itself', { $ref: '#' }],
  ['a required that is no list', { type: 'object', required: 'a' }],
  ['properties that are no object', { type: 'object', properties: 3 }],
])('an inputSchema that is %s becomes one of type object', (_what, schema) => {
  const { raw, finding } = checkEntry('tools', tool(schema));
  expect(JSON.parse(raw ?? '').inputSchema).toMatchObject({ type: 'object' });
  expect(finding).toContain('repaired inputSchema');
});

test('alternatives at the root of a schema are kept beside the type', () => {
  const { raw } = checkEntry('tools', tool({ anyOf: [{ required: ['a'] }] }));
  expect(JSON.parse(raw ?? '').inputSchema).toEqual({ type: 'object', anyOf: [{ required: ['a'] }] });
});

test('a tool whose schema admits no object is dropped, and said to be', () => {
  expect(checkEntry('tools', tool({ type: 'string' }))).toMatchObject({ raw: null, key: 't' });
});

test.each(['null', '"text"', '7', '[]', '{"name":""}', '{"name":7}', '{"description":"nameless"}'])(
  'the entry %s is dropped',
  (text) => {
    const { raw, finding } = checkEntry('tools', text);
    expect(raw).toBeNull();
    expect(finding).not.toBeNull();
  },
);

test('optional members of the wrong shape are left out, the others keep their bytes', () => {
  const text =
    '{"name":"t","description":5,"title":"T","icons":"x","annotations":{"readOnlyHint":"yes"},"inputSchema":{"type":"object"},"n":1e400}';
  const { raw } = checkEntry('tools', text);
  expect(raw).toBe('{"name":"t","title":"T","inputSchema":{"type":"object"},"n":1e400}');
});

test('a resource without a name is named by its URI', () => {
  expect(JSON.parse(checkEntry('resources', '{"uri":"a://b"}').raw ?? '')).toEqual({ uri: 'a://b', name: 'a://b' });
});

test('a repaired schema keeps the bytes of all that was sound', () => {
  const big = '{"maximum":12345678901234567890, "__proto__":{"a":1.0}}';
  const entry = `{"name":"t","inputSchema":{"required":7,"properties":{"a":${big},"b":true},"$ref":"#","x":1e400}}`;
  expect(checkEntry('tools', entry)).toEqual({
    raw: `{"name":"t","inputSchema":{"properties":{"a":${big},"b":{}},"x":1e400,"type":"object"}}`,
    key: 't',
    finding: 't: repaired inputSchema',
  });
});

test('a repair is told apart from a loss', () => {
  expect(isRepair(checkEntry('tools', '{"name":"t"}').finding ?? '')).toBe(true);
  expect(isRepair(checkEntry('tools', '{"name":"t","inputSchema":{"type":"null"}}').finding ?? '')).toBe(false);
  expect(isRepair(checkEntry('prompts', '7').finding ?? '')).toBe(false);
  expect(isRepair(checkEntry('tools', '{"name":"x: repaired y","inputSchema":{"type":"null"}}').finding ?? '')).toBe(
    false,
  );
});

test('names like those of the language are names like any other', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const text = `{"name":"${name}","inputSchema":{"type":"object","properties":{"${name}":{}}}}`;
    expect(checkEntry('tools', text)).toEqual({ raw: text, key: name, finding: null });
  }
  expect(Object.prototype).not.toHaveProperty('a');
});
