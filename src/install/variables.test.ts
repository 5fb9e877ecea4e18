import { expect, test } from 'vitest';
import { checkNoNul, checkVariableName, isVariableName } from './variables.ts';

test('names that a process cannot carry are refused', () => {
  for (const name of ['A', '_a1', 'API_KEY']) expect(isVariableName(name)).toBe(true);
  for (const name of ['', '1A', 'A-B', 'A=B', 'A B', 'Ä', 'A\0'])
    expect(() => checkVariableName(name)).toThrow(/cannot be the name/);
  expect(() => checkNoNul('a\0b', 'the value of A')).toThrow('the value of A holds a NUL character');
});
