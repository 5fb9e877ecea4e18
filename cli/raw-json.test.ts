import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memberText } from './raw-json.ts';

test('a member comes out as it was written', () => {
  const json = '{"jsonrpc":"2.0", "result" : {"n":9007199254740993,"t":"}\\"]"} ,"id":1}';
  expect(memberText(json, 'result')).toBe('{"n":9007199254740993,"t":"}\\"]"}');
  expect(memberText(json, 'id')).toBe('1');
});

test('what is not there is null', () => {
  for (const json of ['{}', '[]', '1', '"result"', '{"a":{"result":1}}']) expect(memberText(json, 'result')).toBeNull();
});

test('every member of every object is found, with or without white space', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1), (object, indent) => {
      const json = JSON.stringify(object, null, indent);
      for (const [key, value] of Object.entries(object)) {
        expect(JSON.parse(memberText(json, key) ?? '')).toEqual(JSON.parse(JSON.stringify(value)));
      }
    }),
  );
});
