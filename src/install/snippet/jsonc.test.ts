import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JSON_DEPTH_MAX, JsonFault, type JsonNode, parseJsonc, placeOf } from './jsonc.ts';

const plain = (node: JsonNode): unknown => {
  if (node.kind === 'object') return Object.fromEntries(node.members.map(({ name, value }) => [name, plain(value)]));
  if (node.kind === 'array') return node.items.map(plain);
  return node.kind === 'null' ? null : node.value;
};
const read = (text: string) => plain(parseJsonc(text));

function fault(text: string): string {
  try {
    parseJsonc(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { line, column } = placeOf(text, error.at);
    return `${line}:${column} ${error.message}`;
  }
  return '';
}

describe('JSON as people paste it', () => {
  test('is what JSON.parse reads, when it is JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(JSON.stringify(read(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test('may have comments, trailing commas and a byte order mark', () => {
    const text = '\uFEFF// mine\n{ /* a */ "a": [1, 2,], // two\n "u": "http://x/*y*/", /**/ }\n';
    expect(read(text)).toEqual({ a: [1, 2], u: 'http://x/*y*/' });
  });

  test('is refused at the place where it stops being so', () => {
    expect(fault('{\n  "a": 1\n  "b": 2\n}')).toBe('3:3 a comma or "}" should be here');
    expect(fault('{"a" 1}')).toContain('1:6 a colon');
    expect(fault('{a: 1}')).toContain('1:2 the name');
    expect(fault("{'a': 1}")).toContain('1:2 the name');
    expect(fault('{"a": \'x\'}')).toContain('1:7 texts stand between double quotes');
    expect(fault('{"a": nope}')).toContain('1:7 no value begins so');
    expect(fault('{"a": 01}')).toContain('1:7');
    expect(fault('{"a": [1, 2')).toBe('1:12 the text ends before its "]"');
    expect(fault('{"a": "x\n"}')).toContain('1:7 this text does not end on its line');
    expect(fault('{"a": "\\q"}')).toContain('1:7 this text holds what JSON does not allow');
    expect(fault('{} x')).toBe('1:4 something follows the end');
    expect(fault('/* {}')).toContain('this comment has no end');
    expect(fault('')).toBe('1:1 the text ends where a value should be');
    expect(fault('[1,,2]')).toContain('1:4');
  });

  test('does not go deeper than configurations do, and a long text is read in a moment', () => {
    expect(fault('['.repeat(JSON_DEPTH_MAX + 2))).toContain('deep inside one another');
    expect(read(`[${'"x",'.repeat(100_000)}]`)).toHaveLength(100_000);
    expect(fault(`"${'\\"'.repeat(200_000)}`)).toContain('does not end on its line');
  });

  test('never quotes the text in a fault', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (text) => {
        expect(fault(`{"a": ${text}`)).not.toContain(`${text} `);
      }),
    );
  });
});
