import { expect, test } from 'vitest';
import { areaOf, lineOf } from './spark-path.ts';

const SIZE = { width: 60, height: 20, max: 10 };

test('a line goes from the oldest value at the left to the newest at the right', () => {
  expect(lineOf([0, 10, 5], SIZE)).toBe('M0 18.5L30 1.5L60 10');
});

test('nothing happening is a level line at the bottom, and more than the top stays inside', () => {
  expect(lineOf([0, 0], { ...SIZE, max: 0 })).toBe('M0 18.5L60 18.5');
  expect(lineOf([7], { ...SIZE, max: 5 })).toBe('M0 1.5L60 1.5');
});

test('without values there is no line and no area', () => {
  expect([lineOf([], SIZE), areaOf([], SIZE)]).toEqual(['', '']);
});
