import fc from 'fast-check';
import { expect, test } from 'vitest';
import { McpdError } from '../src/errors.ts';
import { argumentsJson, objectJson } from './tool-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    ratio: { type: 'number' },
    exact: { type: 'boolean' },
    place: { type: 'object' },
    tags: { type: 'array', items: { type: 'string' } },
    ids: { type: 'array', items: { type: 'integer' } },
    maybe: { type: ['string', 'null'] },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    unit: { $ref: '#/$defs/unit' },
    level: { enum: [1, 2, 'high'] },
    loop: { $ref: '#/properties/loop' },
    free: {},
  },
  $defs: { unit: { type: 'boolean' } },
};

test.each([
  ['a string stays a string even when it looks like a number', ['city=007'], '{"city":"007"}'],
  ['a number goes as it was typed, digit for digit', ['days=9007199254740993'], '{"days":9007199254740993}'],
  ['a fraction fits a number', ['ratio=-1.5e3'], '{"ratio":-1.5e3}'],
  ['a whole number fits a number', ['ratio=2'], '{"ratio":2}'],
  ['a boolean', ['exact=true'], '{"exact":true}'],
  ['an object is JSON', ['place={"lat":1}'], '{"place":{"lat":1}}'],
  ['an array as JSON', ['tags=["a","b"]'], '{"tags":["a","b"]}'],
  ['an array by repeating the key', ['tags=a', 'tags=1'], '{"tags":["a","1"]}'],
  ['an array of one', ['ids=7'], '{"ids":[7]}'],
  ['null where the schema allows it, else text', ['maybe=null', 'city=null'], '{"maybe":null,"city":"null"}'],
  ['the first type of several that fits', ['either=7'], '{"either":7}'],
  ['text where no other type fits', ['either=seven'], '{"either":"seven"}'],
  ['a type behind a reference', ['unit=false'], '{"unit":false}'],
  ['a choice that is no string', ['level=2'], '{"level":2}'],
  ['a choice that is one', ['level=high'], '{"level":"high"}'],
  ['a reference in a circle ends', ['loop=x'], '{"loop":"x"}'],
  ['without a type: text', ['free=1'], '{"free":"1"}'],
  ['a key the schema does not know: text', ['other=1'], '{"other":"1"}'],
  ['raw JSON whatever the schema says', ['city:={"a":[1]}'], '{"city":{"a":[1]}}'],
  ['a value may hold equal signs, colons and newlines', ['city=a=b:=c\nd'], '{"city":"a=b:=c\\nd"}'],
  ['an empty value', ['city='], '{"city":""}'],
  ['a special name is a name', ['__proto__=x'], '{"__proto__":"x"}'],
  ['nothing', [], '{}'],
])('%s', (_, words, json) => {
  expect(argumentsJson(words, schema)).toBe(json);
});

test.each([
  ['days=soon', 'days'],
  ['exact=1', 'exact'],
  ['place=Rome', 'place'],
  ['city:=Rome', 'city'],
  ['ids=x', 'ids'],
  ['days=1.5', 'days'],
  ['Rome', 'Rome'],
  ['=Rome', '=Rome'],
])('%s is refused by name', (word, named) => {
  expect(() => argumentsJson([word], schema)).toThrow(McpdError);
  expect(() => argumentsJson([word], schema)).toThrow(named);
});

test('one value where the tool takes one: a second is refused', () => {
  expect(() => argumentsJson(['city=a', 'city=b'], schema)).toThrow('city is given 2 times');
});

test('whatever is typed for a string arrives as that string', () => {
  fc.assert(
    fc.property(
      fc.string(),
      (text) => (JSON.parse(argumentsJson([`city=${text}`], schema)) as { city: string }).city === text,
    ),
  );
});

test('choices that cannot be turned into text and types that nobody knows are passed over', () => {
  for (const key of [{ enum: [{ toString: 0 }, ['value']] }, { type: 'text' }, { anyOf: [{ type: ['text'] }] }])
    expect(argumentsJson(['key=value'], { properties: { key } })).toBe('{"key":"value"}');
});

test('any schema a server may send is survived', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (odd) => {
      expect(argumentsJson(['key=value'], { properties: { key: { anyOf: odd, items: odd, enum: odd } } })).toBe(
        '{"key":"value"}',
      );
      expect(argumentsJson(['key=value'], odd)).toBe('{"key":"value"}');
    }),
  );
});

test('arguments as one JSON object pass as they were typed; other JSON is refused', () => {
  expect(objectJson('{"n":9007199254740993}')).toBe('{"n":9007199254740993}');
  for (const text of ['[]', '1', 'null', '{', '']) expect(() => objectJson(text)).toThrow(McpdError);
});
