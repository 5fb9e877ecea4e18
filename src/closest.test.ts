import { expect, test } from 'vitest';
import { closest, didYouMean } from './closest.ts';

const names = ['weather', 'todo', 'filesystem', 'memory', 'everything', 'sequential-thinking', 'github'];

test('a typing error finds the name that was meant', () => {
  expect(closest('wether', names)).toEqual(['weather']);
  expect(closest('memroy', names)).toEqual(['memory']);
  expect(closest('GitHub', names)).toEqual(['github']);
});

test('a part of a name finds it, and a longer word finds the name inside it', () => {
  expect(closest('sequential', names)).toEqual(['sequential-thinking']);
  expect(closest('server-filesystem', names)).toEqual(['filesystem']);
});

test('a word that is near nothing gets no hint', () => {
  expect(closest('kubernetes', names)).toEqual([]);
  expect(closest('', ['a', 'bc'])).toEqual([]);
  expect(didYouMean('kubernetes', names)).toBeUndefined();
});

test('at most three are offered, nearest first, as a question', () => {
  expect(closest('abcd', ['abce', 'abcd1', 'abxy', 'abcf', 'abcd'])).toEqual(['abcd', 'abcd1', 'abce']);
  expect(didYouMean('tod', ['todo', 'toad', 'tom'])).toBe('did you mean toad, todo or tom?');
});

test('a very long word is refused without being compared', () => {
  expect(closest('x'.repeat(100_000), names)).toEqual([]);
});
