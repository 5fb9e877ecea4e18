import { expect, test } from 'vitest';
import { LineSplitter } from './api.ts';

const splitIn = (...chunks: string[]) => {
  const splitter = new LineSplitter();
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
};

test('lines come whole, however the text was cut', () => {
  expect(splitIn('{"a":1}\n{"b"', ':', '2}', '\n', '{"c":3}\n')).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
});

test('empty lines are left out, and a last line needs no end', () => {
  expect(splitIn('\n\n1\n', '', '2')).toEqual(['1', '2']);
});
