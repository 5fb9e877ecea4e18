import { expect, test } from 'vitest';
import { argumentsOf, objectOf } from './form-values.ts';
import { type FieldValue, type FormField, fieldsOf } from './schema-fields.ts';

const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});

function fields(properties: Record<string, unknown>, required: string[] = []): FormField[] {
  const made = fieldsOf(object(properties, required));
  if (made === null) throw new Error('no form');
  return made;
}

const filled = (made: readonly FormField[], values: readonly FieldValue[]) =>
  JSON.parse(JSON.stringify(argumentsOf(made, values), (_, value) => (value instanceof Map ? [...value] : value)));

test('each type has its control, with the words of the schema, its defaults, and what is required', () => {
  const made = fields(
    {
      city: { type: 'string', title: 'City', description: 'Where?' },
      days: { type: 'integer', minimum: 1, maximum: 14, default: 3 },
      hourly: { type: 'boolean', default: false },
      unit: { enum: ['C', 'F'], enumNames: ['Celsius', 'Fahrenheit'], default: 'C' },
      level: { oneOf: [{ const: 1, title: 'low' }, { const: 2 }] },
      tags: { type: 'array', items: { type: 'string' }, default: ['a', 'b'] },
      marks: { type: 'array', items: { enum: ['x', 'y'] }, default: ['y', 'z'] },
      note: { type: ['string', 'null'] },
      odd: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    },
    ['city'],
  );
  expect(made.map(({ label, control, initial }) => [label, control.kind, initial])).toEqual([
    ['City', 'text', ''],
    ['days', 'number', '3'],
    ['hourly', 'boolean', 'false'],
    ['unit', 'choice', '"C"'],
    ['level', 'choice', ''],
    ['tags', 'lines', 'a\nb'],
    ['marks', 'choice', ['"y"']],
    ['note', 'text', ''],
    ['odd', 'json', ''],
  ]);
  expect(made[0]).toMatchObject({ required: true, hint: 'Where?' });
  expect(made[4]?.control).toMatchObject({
    options: [
      { json: '1', label: 'low' },
      { json: '2', label: '2' },
    ],
  });
});

test('a schema that no form suits has none, and one without properties has an empty one', () => {
  expect(fieldsOf({ type: 'object' })).toEqual([]);
  expect(fieldsOf({ type: 'object', additionalProperties: false })).toEqual([]);
  expect(fieldsOf({ type: 'object', additionalProperties: { type: 'string' } })).toBeNull();
  expect(fieldsOf({ anyOf: [] })).toBeNull();
  expect(fieldsOf(true)).toBeNull();
});

test('a needed object is taken apart, one that may be left out is JSON', () => {
  const made = fields({ filter: object({ limit: { type: 'number' } }, ['limit']), extra: object({ a: {} }) }, [
    'filter',
  ]);
  expect(made.map(({ path, control, required }) => [path.join('.'), control.kind, required])).toEqual([
    ['filter.limit', 'number', true],
    ['extra', 'json', false],
  ]);
  expect(filled(made, ['5', '{"a":1}'])).toEqual({ arguments: { filter: { limit: 5 }, extra: { a: 1 } } });
});

test('values become what the schema wants, and what is empty is left out', () => {
  const made = fields({
    city: { type: 'string' },
    days: { type: 'integer' },
    hourly: { type: 'boolean' },
    level: { enum: [1, null] },
    marks: { type: 'array', items: { enum: ['x', 'y'] } },
    tags: { type: 'array', items: { type: 'string' } },
    any: {},
  });
  expect(filled(made, ['Oslo', '3', 'true', 'null', ['"x"'], 'a\n\nb', '[1]'])).toEqual({
    arguments: { city: 'Oslo', days: 3, hourly: true, level: null, marks: ['x'], tags: ['a', 'b'], any: [1] },
  });
  expect(filled(made, ['', '', '', '', [], '', ''])).toEqual({ arguments: {} });
});

test('what is wrong is said at its field', () => {
  const made = fields({ city: { type: 'string' }, days: { type: 'integer', maximum: 9 }, any: {} }, ['city']);
  expect(filled(made, ['', '12', '{'])).toEqual({
    faults: [
      [0, 'this is needed'],
      [1, 'at most 9'],
      [2, expect.stringContaining('this is no JSON')],
    ],
  });
  expect(filled(made, ['x', '1.5', ''])).toEqual({ faults: [[1, 'a whole number is needed']] });
});

test('a text or a list that the schema does not allow is said at its field, and one that it allows is taken', () => {
  const made = fields({
    name: { type: 'string', minLength: 2, maxLength: 3 },
    mail: { type: 'string', format: 'email' },
    site: { type: 'string', format: 'uri' },
    born: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    id: { type: 'string', format: 'uuid' },
    tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
    marks: { type: 'array', items: { enum: ['x', 'y'] }, maxItems: 1 },
  });
  const wrong = ['abcd', 'ann', 'example.com', '2026-02-30', '2026-01-31 12:00', 'any', 'a\n', ['"x"', '"y"']];
  expect(filled(made, wrong)).toEqual({
    faults: [
      [0, 'at most 3 characters'],
      [1, 'an e-mail address is needed'],
      [2, expect.stringContaining('is needed')],
      [3, expect.stringContaining('is needed')],
      [4, expect.stringContaining('is needed')],
      [6, 'at least 2 values'],
      [7, 'at most 1 value'],
    ],
  });
  const right = [
    'ab\u{1f600}',
    'ann@b.example',
    'a:b',
    '2028-02-29',
    '2026-01-31T12:00:00.5+01:00',
    'any',
    'a\nb',
    ['"x"'],
  ];
  expect(filled(made, right)).toHaveProperty('arguments');
  expect(filled(made, ['', '', '', '', '', '', '', []])).toEqual({ arguments: {} });
});

test('a whole number that a browser reads as another one is never sent as that', () => {
  const made = fields({ days: { type: 'integer' }, any: {} });
  expect(filled(made, ['9007199254740993', '[9007199254740993]'])).toEqual({
    faults: [
      [0, expect.stringContaining('9007199254740992')],
      [1, expect.stringContaining('9007199254740992')],
    ],
  });
  expect(objectOf('{"id":-9007199254740993}')).toEqual({ fault: expect.stringContaining('-9007199254740992') });
  expect(objectOf(`[${'9'.repeat(400)}]`)).toEqual({ fault: expect.stringContaining('would send null') });
  for (const kept of ['{"a":"9007199254740993"}', '{"\\"":9007199254740992}', '{"a":[1.5,1e300,-0,12]}'])
    expect(objectOf(kept)).toHaveProperty('arguments');
});

test('a property may have any name', () => {
  const made = fieldsOf(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')) ?? [];
  expect(JSON.stringify(argumentsOf(made, ['x']))).toBe('{"arguments":{"__proto__":"x"}}');
});

test('raw arguments must be an object', () => {
  expect(objectOf('')).toEqual({ arguments: {} });
  expect(objectOf('{"a":[1]}')).toEqual({ arguments: { a: [1] } });
  for (const wrong of ['[1]', '1', '{', 'null']) expect(objectOf(wrong)).toHaveProperty('fault');
});

test('names that servers give are shown without what hides or turns text, and sent as they are', () => {
  const name = 'pay\u202eee';
  const made = fields({ [name]: { type: 'string' }, kind: { enum: [{ [name]: 1 }] } });
  const [field, choice] = made;
  expect([field?.label, field?.path]).toEqual([String.raw`pay\u202eee`, [name]]);
  expect(choice?.control).toMatchObject({ options: [{ label: String.raw`{"pay\u202eee":1}` }] });
  expect(filled(made, ['ann', ''])).toEqual({ arguments: { [name]: 'ann' } });
});
