import fc from 'fast-check';
import { expect, test } from 'vitest';
import { duplicateKey, elements, jsonString, member, members, text } from './members.ts';

const bytesOf = (json: string) => Buffer.from(json);
const all = (bytes: Uint8Array) => ({ start: 0, end: bytes.length });

const spaced = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t '))
  .map(([value, space]) => JSON.stringify(value, null, space));

test('the members of an object are those of JSON.parse, each with its own text', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'grapheme' }), spaced, { noNullPrototype: false }),
      fc.constantFrom('', ' ', '\n '),
      (object, blank) => {
        const entries = Object.entries(object);
        const list = entries.map(([key, json]) => `${blank}${JSON.stringify(key)}${blank}:${blank}${json}${blank}`);
        const bytes = bytesOf(`[1,{${list.join(',')}}]`);
        const found = members(bytes, { start: 3, end: bytes.length - 1 });
        expect(found.map((one) => [one.key, text(bytes, one)])).toEqual(entries);
        for (const one of found) {
          expect(JSON.parse(text(bytes, { start: one.keyStart, end: one.keyEnd }))).toBe(one.key);
          expect(member(bytes, { start: 3, end: bytes.length - 1 }, one.key)).toEqual(one);
        }
      },
    ),
  );
});

test('the elements of an array are those of JSON.parse', () => {
  fc.assert(
    fc.property(fc.array(spaced), fc.constantFrom('', ' ', '\n '), (list, blank) => {
      const bytes = bytesOf(`${blank}[${list.map((json) => blank + json + blank).join(',')}]`);
      expect(elements(bytes, all(bytes)).map((span) => text(bytes, span))).toEqual(list);
    }),
  );
});

test('a string is decoded, anything else is null', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const bytes = bytesOf(`{"a":${JSON.stringify(value)}}`);
      expect(jsonString(bytes, { start: 5, end: bytes.length - 1 })).toBe(JSON.parse(JSON.stringify(value)));
    }),
  );
  for (const json of ['1', 'null', '{}', '["a"]', '"a"b', '"', '""x"', '', '"\\"', '"\\x"']) {
    expect(jsonString(bytesOf(json), all(bytesOf(json)))).toBeNull();
  }
});

test('keys are decoded; the first of equal ones is found, and the second one is told', () => {
  const bytes = bytesOf('{"\\u0061":1,"b":2,"a":3,"__proto__":{"c":4}}');
  const list = members(bytes, all(bytes));
  expect(list.map(({ key }) => key)).toEqual(['a', 'b', 'a', '__proto__']);
  expect(member(bytes, all(bytes), 'a')?.start).toBe(10);
  expect(member(bytes, all(bytes), 'c')).toBeNull();
  expect(duplicateKey(list)).toBe('a');
  expect(duplicateKey(list.slice(1))).toBeNull();
});

test('what is no object has no members, and what is no array no elements', () => {
  for (const json of ['[]', '"{}"', '1', 'null', ' ', '', '{'])
    expect(members(bytesOf(json), all(bytesOf(json)))).toEqual([]);
  for (const json of ['{}', '"[]"', '1', 'null', ' ', '', '['])
    expect(elements(bytesOf(json), all(bytesOf(json)))).toEqual([]);
});

test('broken JSON and spans outside never throw', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a', '1', ' ', '"a":', 'é');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(40), fc.nat(40), (pieces, start, end) => {
      const bytes = bytesOf(pieces.join(''));
      for (const span of [all(bytes), { start, end }]) {
        const found = [...members(bytes, span), ...elements(bytes, span)];
        for (const one of found) expect(one.start).toBeLessThan(one.end);
        member(bytes, span, 'a');
        jsonString(bytes, span);
        text(bytes, span);
      }
    }),
    { numRuns: 3000 },
  );
});

test('long strings end at their own quote, however many are escaped before it', () => {
  for (const inside of [
    'x'.repeat(200),
    `${'\\'.repeat(70)}"`,
    '"'.repeat(90),
    `${'a'.repeat(62)}\\"\\\\"`,
    'é"\\'.repeat(60),
  ]) {
    const bytes = Buffer.from(JSON.stringify({ first: inside, second: [inside, { third: inside }], last: 1 }));
    const found = members(bytes, { start: 0, end: bytes.length });
    expect(found.map(({ key }) => key)).toEqual(['first', 'second', 'last']);
    expect(found.map((one) => JSON.parse(text(bytes, one)))).toEqual([inside, [inside, { third: inside }], 1]);
  }
});
