import { expect, test } from 'vitest';
import type { InputSpec } from '../../src/api/contract.ts';
import { judged, missingInputs, questionOf } from './questions.ts';

const plain: InputSpec = { name: 'CITY', description: '', required: true, secret: false, default: null, choices: null };

test('a question says what is expected and whether it will be seen', () => {
  expect(questionOf(plain)).toBe('CITY: ');
  expect(questionOf({ ...plain, secret: true })).toBe('CITY (secret, not shown): ');
  expect(questionOf({ ...plain, required: false })).toBe('CITY (Enter to leave it out): ');
  expect(questionOf({ ...plain, default: 'a', choices: ['a', 'b'] })).toBe('CITY (one of a, b; default a): ');
});

test('a name from a package cannot bring an escape sequence into the question', () => {
  expect(questionOf({ ...plain, name: '\u001b[2J' })).toBe('\\x1b[2J: ');
});

test('an answer is a value without the white space around it', () => {
  expect(judged(plain, '  Turin\t')).toEqual({ kind: 'value', value: 'Turin' });
});

test('an empty answer takes the default, leaves an optional input out, and is wrong for a needed one', () => {
  expect(judged({ ...plain, default: 'Oslo' }, '')).toEqual({ kind: 'value', value: 'Oslo' });
  expect(judged({ ...plain, required: false }, ' ')).toEqual({ kind: 'left-out' });
  expect(judged(plain, '')).toEqual({ kind: 'wrong', why: 'CITY is needed' });
});

test('an answer that is not among the choices is told what they are', () => {
  expect(judged({ ...plain, choices: ['celsius', 'kelvin'] }, 'rankine')).toEqual({
    kind: 'wrong',
    why: 'rankine is not one of celsius, kelvin',
  });
});

test('without a terminal the missing inputs are named with the flags that give them', () => {
  const error = missingInputs('mcpd install github', [
    { ...plain, name: 'GITHUB_TOKEN', description: 'a personal token', secret: true },
  ]);
  expect(error.code).toBe('INPUT_MISSING');
  expect(error.parts.what).toContain('GITHUB_TOKEN is needed');
  expect(error.parts.fix).toBe('mcpd install github --env GITHUB_TOKEN=…');
});
