import { expect, test } from 'vitest';
import { conditionOf, windFrom } from './conditions.ts';

test('a weather code is shown in words, an unknown one by its number', () => {
  expect([0, 63, 95].map(conditionOf)).toEqual(['clear sky', 'rain', 'thunderstorm']);
  expect(conditionOf(12)).toBe('conditions of WMO code 12');
});

test('a wind direction is the nearest of eight points', () => {
  expect([0, 22, 23, 180, 337, 338, 360, -90, 725].map(windFrom)).toEqual([
    'north',
    'north',
    'north-east',
    'south',
    'north-west',
    'north',
    'north',
    'west',
    'north',
  ]);
});
