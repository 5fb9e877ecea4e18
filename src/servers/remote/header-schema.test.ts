import { expect, test } from 'vitest';
import { TOOL_HEADERS_MAX } from '../../http-limits.ts';
import { headerArguments } from './header-schema.ts';

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});
const marked = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });

test('annotated arguments are found at any depth that properties alone lead to', () => {
  const schema = object({
    region: marked('Region'),
    deep: object({ n: marked('Count', 'integer'), deeper: object({ b: marked('Flag', 'boolean') }) }),
    plain: { type: 'string' },
  });
  expect(headerArguments(schema)).toEqual([
    { path: ['region'], header: 'Mcp-Param-Region' },
    { path: ['deep', 'n'], header: 'Mcp-Param-Count' },
    { path: ['deep', 'deeper', 'b'], header: 'Mcp-Param-Flag' },
  ]);
});

test('an argument that is called like the annotation, and data that looks like a schema, are none', () => {
  const data = { 'x-mcp-header': 'X' };
  expect(
    headerArguments(object({ 'x-mcp-header': { type: 'string', default: data, enum: [data], const: data } })),
  ).toEqual([]);
  for (const odd of [null, true, 'text', [], {}]) expect(headerArguments(odd)).toEqual([]);
});

test.each<[string, unknown]>([
  ['empty', object({ a: marked('') })],
  ['no text', object({ a: marked(7) })],
  ['no token', object({ a: marked('A B') })],
  ['with a line break', object({ a: marked('A\r\nB') })],
  ['for a number', object({ a: marked('A', 'number') })],
  ['for an object', object({ a: marked('A', 'object') })],
  ['for a list of types', object({ a: marked('A', ['string', 'null']) })],
  ['given twice, in another case', object({ a: marked('Same'), b: marked('same') })],
  ['at the root', { ...object({}), 'x-mcp-header': 'A' }],
  ['within items', object({ list: { type: 'array', items: marked('A') } })],
  ['within a choice', object({ a: { anyOf: [marked('A')] } })],
  ['within a choice at the root', object({}, { oneOf: [object({ a: marked('A') })] })],
  ['behind a condition', object({}, { if: {}, else: object({ a: marked('A') }) })],
  ['within a definition', object({}, { $defs: { a: marked('A') } })],
  ['for any other property', object({}, { additionalProperties: marked('A') })],
])('an annotation that is %s makes the tool invalid', (_, schema) => {
  expect(headerArguments(schema)).toEqual({ fault: expect.stringContaining('x-mcp-header') });
});

test('more annotations than headers can carry make the tool invalid, however many there are', () => {
  const many = (count: number) =>
    object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, marked(`H${at}`)])));
  expect(headerArguments(many(TOOL_HEADERS_MAX))).toHaveLength(TOOL_HEADERS_MAX);
  expect(headerArguments(many(100_000))).toEqual({ fault: expect.stringContaining('more than 64 times') });
});
