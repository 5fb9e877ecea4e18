import { expect, test } from 'vitest';
import { McpdError } from '../src/errors.ts';
import { fromCaller, givenVariables } from './environment-flags.ts';

test('a value may hold equal signs and be empty; a bare name is asked for; the last one counts', () => {
  expect([...givenVariables(['A=b=c', 'B', 'C=', 'A=2'])]).toEqual([
    ['A', '2'],
    ['B', null],
    ['C', ''],
  ]);
});

test.each(['=x', '1A=x', 'A-B=x', '', 'A B'])('%j names no variable', (word) => {
  expect(() => givenVariables([word])).toThrow(McpdError);
});

test('an error does not repeat the value', () => {
  expect(() => givenVariables(['MY-KEY=sekret'])).toThrow('--env MY-KEY=… names no variable');
});

test('a bare name takes the variable of the caller, where there is one', () => {
  expect([...fromCaller(givenVariables(['TOKEN', 'OTHER', 'SET=1']), { TOKEN: 't', SET: '2' })]).toEqual([
    ['TOKEN', 't'],
    ['OTHER', null],
    ['SET', '1'],
  ]);
});
